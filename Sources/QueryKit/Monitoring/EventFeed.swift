/// Hands events to those who listen, and costs next to nothing while nobody does.
final class EventFeed: Sendable {
    private struct State {
        var nextListener = 0
        var listeners: [Int: AsyncStream<QueryEvent>.Continuation] = [:]
        var dropped = 0
    }

    private static let capacity = 1_000
    private let state = Lock(State())

    /// How many events were lost because a listener was too slow.
    var dropCount: Int { state.withLock { $0.dropped } }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// The events from now on, each listener with a buffer of its own that keeps the newest.
    func listen() -> AsyncStream<QueryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: QueryEvent.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let listener = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
        }
        return stream
    }

    func send(_ event: QueryEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .dropped = listener.yield(event) { state.withLock { $0.dropped += 1 } }
        }
    }

    /// Ends all streams: the client is gone.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }
}
