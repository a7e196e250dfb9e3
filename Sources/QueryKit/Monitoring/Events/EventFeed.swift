/// Passes events to listeners. Costs almost nothing while there are none.
final class EventFeed: Sendable {
    private struct State {
        var lastListener = 0
        var others: [Int: EventListeners.Listener] = [:]
        var recorders: [EventRecorder] = []
        /// `nil` without listeners.
        var listeners: EventListeners?
    }

    private static let capacity = 1_000
    private let state = Lock(State())
    private let losses = EventListeners.Losses()
    /// Called with the listeners each time they change, in order and with the lock held; `nil` if there are none.
    private let onChange: @Sendable (EventListeners?) -> Void

    init(onChange: @escaping @Sendable (EventListeners?) -> Void) { self.onChange = onChange }

    /// How many events were lost because a listener was too slow.
    var dropCount: Int { losses.value }

    /// The events from now on. Each listener has its own buffer, which keeps the newest events.
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

    /// Keeps the events from now on for a reader that takes them. Returns also a closure that ends this.
    func record(limit: Int) -> (recorder: EventRecorder, end: @Sendable () -> Void) {
        let recorder = EventRecorder(limit: limit, losses)
        change { $0.recorders.append(recorder) }
        let end: @Sendable () -> Void = { [weak self] in
            self?.change { $0.recorders.removeAll { $0 === recorder } }
            recorder.close()
        }
        return (recorder, end)
    }

    private func add(_ listener: EventListeners.Listener) -> Int {
        change { state in
            state.lastListener += 1
            state.others[state.lastListener] = listener
            return state.lastListener
        }
    }

    private func remove(_ number: Int) { _ = change { $0.others.removeValue(forKey: number) } }

    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        // The former listeners are released outside the lock.
        let (result, former) = state.withLock { state in
            let result = body(&state)
            let former = state.listeners
            let isEmpty = state.others.isEmpty && state.recorders.isEmpty
            state.listeners = isEmpty ? nil : EventListeners(state.recorders, Array(state.others.values), losses)
            onChange(state.listeners)
            return (result, former)
        }
        withExtendedLifetime(former) {}
        return result
    }

    /// The present listeners; `nil` if there are none.
    var listeners: EventListeners? { state.withLock { $0.listeners } }

    func send(_ event: QueryEvent) { listeners?.send(event) }

    /// Ends all streams, and lets the sinks finish their queued events. Called when the client is deallocated.
    func finish() { listeners?.finish() }
}
