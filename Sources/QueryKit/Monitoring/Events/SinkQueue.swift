import Dispatch

/// The way of events to one sink: a bounded buffer, and a queue of its own on which the sink may block for as long as it likes.
///
/// Not a task: a sink that blocks would take one of the few threads that all tasks share.
final class SinkQueue: Sendable {
    private struct State {
        var buffer: [QueryEvent] = []
        var isDraining = false
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
        let (isTaken, mustDrain) = state.withLock { state in
            if state.isClosed { return (true, false) }
            guard state.buffer.count < capacity else { return (false, false) }
            state.buffer.append(event)
            defer { state.isDraining = true }
            return (true, !state.isDraining)
        }
        // The queue holds this until the line is empty, so that nothing is lost when the client goes.
        if mustDrain { queue.async { self.drain() } }
        return isTaken
    }

    /// Takes nothing more, and forgets what is in line. A call that has begun goes on.
    func close() {
        // Let go outside: errors may be anybody's.
        let forgotten = state.withLock { state in
            state.isClosed = true
            defer { state.buffer = [] }
            return state.buffer
        }
        withExtendedLifetime(forgotten) {}
    }

    private func drain() {
        while let batch = next() {
            for event in batch where !state.withLock({ $0.isClosed }) { sink.receive(event) }
        }
    }

    private func next() -> [QueryEvent]? {
        state.withLock { state in
            guard !state.buffer.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer { state.buffer = [] }
            return state.buffer
        }
    }
}
