/// The listeners to the events of a client at one moment. Code that counts what has happened reads them under the same lock.
final class EventListeners: Sendable {
    enum Listener: Sendable {
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

    /// How many events were lost because listeners were too slow.
    final class Losses: Sendable {
        private let count = Tally()

        var value: Int { count.value }

        func note() { _ = count.add(1) }
    }

    private let recorders: [EventRecorder]
    private let others: [Listener]
    private let losses: Losses

    init(_ recorders: [EventRecorder], _ others: [Listener], _ losses: Losses) {
        self.recorders = recorders
        self.others = others
        self.losses = losses
    }

    func send(_ event: QueryEvent) {
        for recorder in recorders { recorder.put(event) }
        sendToOthers(event)
    }

    /// Sends an event of a store. The event is described now only if a listener needs the description immediately.
    @inline(__always)
    func send(_ note: () -> EventNote) {
        for recorder in recorders { recorder.put(note) }
        if !others.isEmpty { sendToOthers(note().event) }
    }

    @inline(never)
    private func sendToOthers(_ event: QueryEvent) {
        for listener in others where !listener.take(event) { losses.note() }
    }

    /// Ends all streams.
    func finish() {
        for listener in others {
            if case .stream(let stream) = listener { stream.finish() }
        }
    }
}
