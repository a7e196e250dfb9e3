import Dispatch

/// Passes events to one sink: a bounded buffer, and a separate queue on which the sink may block.
///
/// It doesn't use a task, because a sink that blocks would occupy one of the few threads that all tasks share.
final class SinkQueue: Sendable {
    private struct State {
        var queue = DeliveryQueue<QueryEvent>()
        var isClosed = false
    }

    private let sink: any QueryEventSink
    private let capacity: Int
    private let queue = DispatchQueue(label: "QueryKit.events")
    private let state = Lock(State())

    init(_ sink: any QueryEventSink, capacity: Int) {
        self.sink = sink
        self.capacity = capacity
    }

    /// Appends an event. Returns `false` if the buffer is full.
    func put(_ event: QueryEvent) -> Bool {
        let (isTaken, first) = state.withLock { state -> (Bool, QueryEvent?) in
            if state.isClosed { return (true, nil) }
            guard state.queue.count < capacity else { return (false, nil) }
            return (true, state.queue.enter(event))
        }
        // The queue retains this object until the queue is empty, so that nothing is lost when the client is deallocated.
        if let first { queue.async { self.deliver(first) } }
        return isTaken
    }

    /// Accepts no more events, and drops the buffered ones. A call under way continues.
    func close() {
        // Release the events outside the lock: deallocating their errors may run arbitrary code.
        let forgotten = state.withLock { state in
            state.isClosed = true
            return state.queue.removeAll()
        }
        withExtendedLifetime(forgotten) {}
    }

    private func deliver(_ first: QueryEvent) {
        var next: QueryEvent? = first
        while let event = next {
            if !state.withLock({ $0.isClosed }) { sink.receive(event) }
            next = state.withLock { $0.queue.next() }
        }
    }
}
