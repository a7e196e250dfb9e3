/// Passes events to listeners. Costs almost nothing while there are none.
final class EventFeed: Sendable {
    private enum Listener: Sendable {
        case stream(AsyncStream<QueryEvent>.Continuation)
        case sink(SinkQueue)

        /// Passes an event to the listener. Returns `false` if an event was lost.
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
    /// Called with 1 for each listener that is added, and with -1 for each that is removed.
    private let onChange: @Sendable (Int) -> Void

    init(onChange: @escaping @Sendable (Int) -> Void) { self.onChange = onChange }

    /// How many events were lost because a listener was too slow.
    var dropCount: Int { state.withLock { $0.dropped } }

    /// The events from now on. Each listener has its own buffer, which keeps the newest.
    func listen() -> AsyncStream<QueryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let number = add(.stream(continuation))
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Sends the events from now on to a sink. Returns a closure that ends this.
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
        // The listener is released outside the lock.
        let listener = state.withLock { $0.listeners.removeValue(forKey: number) }
        if listener != nil { onChange(-1) }
    }

    func send(_ event: QueryEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) where !listener.take(event) {
            state.withLock { $0.dropped += 1 }
        }
    }

    /// Ends all streams, and lets the sinks finish their queued events. Called when the client is deallocated.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .stream(let stream) = listener { stream.finish() }
        }
    }
}
