/// Buffers the events of a client until they are taken, a few times per second, and describes them only then.
///
/// Recording adds little work to a client. A sink adds more, because it receives each event at once, on another thread.
package final class EventRecorder: Sendable {
    private enum Item: Sendable {
        case note(EventNote)
        // Rare and large, so it takes no space in the other items.
        indirect case event(QueryEvent)

        var event: QueryEvent {
            switch self {
            case .note(let note): note.event
            case .event(let event): event
            }
        }
    }

    private struct State {
        var items: [Item] = []
        /// The empty array of the last time, whose memory is used again.
        var spare: [Item] = []
        var isClosed = false
    }

    private let limit: Int
    private let losses: EventListeners.Losses
    private let state: Lock<State>

    /// - Parameters:
    ///   - limit: How many events are kept between two calls of ``take()``.
    ///   - losses: Counts the events that were lost because there was no space for them.
    init(limit: Int, _ losses: EventListeners.Losses) {
        self.limit = limit
        self.losses = losses
        var state = State()
        state.items.reserveCapacity(limit)
        state.spare.reserveCapacity(limit)
        self.state = Lock(state)
    }

    func put(_ event: QueryEvent) { keep { .event(event) } }

    /// Keeps an event that is not described yet. The closure must call no foreign code.
    @inline(__always)
    func put(_ note: () -> EventNote) { keep { .note(note()) } }

    @inline(__always)
    private func keep(_ item: () -> Item) {
        let isKept = state.withLock { state in
            if state.isClosed { return true }
            guard state.items.count < limit else { return false }
            state.items.append(item())
            return true
        }
        if !isKept { losses.note() }
    }

    /// Returns the events since the last call, in order. Calls code of the app, such as the `path` of requests. Call it from one thread at
    /// a time.
    package func take() -> [QueryEvent] {
        var items = state.withLock { state in
            var items = state.spare
            state.spare = []
            swap(&items, &state.items)
            return items
        }
        let events = items.map(\.event)
        // Released outside the lock: deallocating an error may run code of the app.
        items.removeAll(keepingCapacity: true)
        state.withLock { state in
            if !state.isClosed { state.spare = items }
        }
        return events
    }

    /// Drops the events, and keeps no more.
    func close() {
        let former = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.items
        }
        withExtendedLifetime(former) {}
    }
}
