import Dispatch

/// The way of events to one sink: a bounded buffer, and a queue of its own on which the sink may block for as long as it likes.
///
/// Not a task: a sink that blocks would take one of the few threads that all tasks share.
final class SinkQueue: Sendable {
    private struct State {
        var line = DeliveryLine<QueryEvent>()
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

    /// Puts an event in line; false if there was no room.
    func put(_ event: QueryEvent) -> Bool {
        let (isTaken, first) = state.withLock { state -> (Bool, QueryEvent?) in
            if state.isClosed { return (true, nil) }
            guard state.line.count < capacity else { return (false, nil) }
            return (true, state.line.enter(event))
        }
        // The queue holds this until the line is empty, so that nothing is lost when the client goes.
        if let first { queue.async { self.deliver(first) } }
        return isTaken
    }

    /// Takes nothing more, and forgets what is in line. A call that has begun goes on.
    func close() {
        // Let go outside: errors may be anybody's.
        let forgotten = state.withLock { state in
            state.isClosed = true
            return state.line.removeAll()
        }
        withExtendedLifetime(forgotten) {}
    }

    private func deliver(_ first: QueryEvent) {
        var next: QueryEvent? = first
        while let event = next {
            if !state.withLock({ $0.isClosed }) { sink.receive(event) }
            next = state.withLock { $0.line.next() }
        }
    }
}
