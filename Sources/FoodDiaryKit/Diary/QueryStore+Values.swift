import QueryKit

extension QueryStore where State.StateValue == State.QueryValue?, State.QueryValue: Equatable {
    /// The current value, if there is one, and each different value after it; a slow reader gets only the newest. Observes the store until
    /// the stream is no longer read, and retains `owner` until then: without its client a store would publish nothing.
    func values(keeping owner: some Sendable) -> AsyncStream<Value> {
        let last = Lock<Value?>(nil)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let subscription = subscribe(
                with: QueryEventHandler { state, _ in
                    guard let value = state.value else { return }
                    let isNews = last.withLock { last in
                        defer { last = value }
                        return last != value
                    }
                    if isNews { continuation.yield(value) }
                }
            )
            continuation.onTermination = { _ in withExtendedLifetime(owner) { subscription.cancel() } }
        }
    }
}
