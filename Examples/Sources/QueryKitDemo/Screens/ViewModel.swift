import QueryKit

/// Stands between a view and a request: it knows the client, the view does not.
struct ViewModel<Value: Sendable>: Sendable {
    private let store: QueryStore<QueryState<Value?, Value>>

    init(_ request: some QueryRequest<Value, QueryState<Value?, Value>>, in client: QueryClient) {
        store = client.store(for: request)
    }

    /// Draws the present contents at once, and again whenever they change, until the result is cancelled.
    func observe(_ draw: @escaping @Sendable (Contents<Value>) -> Void) -> QuerySubscription {
        store.subscribe(with: QueryEventHandler { state, _ in draw(Contents(state)) })
    }

    /// The value for somebody who waits for it, instead of observing.
    func load() async throws -> Value { try await store.fetch() }

    var isOutdated: Bool { store.isInvalidated }

    var isLoading: Bool { store.isFetching }
}
