/// Passes events to listeners. Costs next to nothing while there are none.
final class EventFeed: Sendable {
    private enum Listener: Sendable {
        case stream(AsyncStream<QueryEvent>.Continuation)
        case sink(SinkQueue)

        /// Hands an event over; false if one was lost over it.
        func take(_ event: QueryEvent) -> Bool {
            switch self {
            case .stream(let stream):
                if case .dropped = stream.yield(event) { false } else { true }
            case .sink(let queue): queue.put(event)
            }
        }
    }

    private struct State {
        var lastListener = 0
        var listeners: [Int: Listener] = [:]
        var dropped = 0

        mutating func add(_ listener: Listener) -> Int {
            lastListener += 1
            listeners[lastListener] = listener
            return lastListener
        }
    }

    private static let capacity = 1_000
    private let state = Lock(State())
    /// Called once for each listener that comes, with 1, and once when it goes, with -1.
    private let onChange: @Sendable (Int) -> Void

    init(onChange: @escaping @Sendable (Int) -> Void) { self.onChange = onChange }

    /// How many events were lost because a listener was too slow.
    var dropCount: Int { state.withLock { $0.dropped } }

    /// The events from now on, each listener with a buffer of its own that keeps the newest.
    func listen() -> AsyncStream<QueryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let number = add(.stream(continuation))
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Sends the events from now on to a sink; answers with what ends that.
    func attach(_ sink: any QueryEventSink) -> @Sendable () -> Void {
        let queue = SinkQueue(sink, capacity: Self.capacity)
        let number = add(.sink(queue))
        return { [weak self] in
            self?.remove(number)
            queue.close()
        }
    }

    private func add(_ listener: Listener) -> Int {
        let number = state.withLock { $0.add(listener) }
        onChange(1)
        return number
    }

    private func remove(_ number: Int) {
        // The listener leaves the lock before it ends.
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        if listener != nil { onChange(-1) }
    }

    func send(_ event: QueryEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) where !listener.take(event) {
            state.withLock { $0.dropped += 1 }
        }
    }

    /// Ends all streams, and lets the sinks finish what is in line: the client is gone.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .stream(let stream) = listener { stream.finish() }
        }
    }
}
