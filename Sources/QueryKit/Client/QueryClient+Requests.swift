/// One request at a time: ask for its value, or write it.
extension QueryClient {
    /// The value of a request: the cached one while it is fresh, else the result of a run. What a mutation only expects is no part of it.
    ///
    /// ``QueryStore/fetch(using:handler:)`` runs in any case. Joins a run that is under way. A failed run is not repeated unless the request says so with `retry(limit:backoff:when:)`.
    @discardableResult
    public func fetch<Request: QueryRequest>(_ request: Request) async throws -> Request.Value
    where Request.State.StateValue: ExpressibleByNilLiteral {
        let (store, settings) = entry(for: request, .shared)
        if let value = store.freshValue(by: settings) { return value.unboxed(as: Request.Value.self) }
        return try await store.ask(settings, unlessFresh: true).unboxed(as: Request.Value.self)
    }

    /// Makes sure that a fresh value is cached, for a screen that will soon need it. An error stays in the store.
    public func prefetch<Request: QueryRequest>(_ request: Request) async
    where Request.State.StateValue: ExpressibleByNilLiteral {
        _ = try? await fetch(request)
    }

    /// Makes sure that a list is fresh and has at least so many pages; see ``QueryStore/prefetch(pages:)``. An error stays in the store.
    ///
    /// ```swift
    /// await client.prefetch(History().ttl(.seconds(60)), pages: 3)
    /// ```
    public func prefetch<Request: QueryRequest>(_ request: Request, pages count: Int) async
    where Request.Value: QueryPagesProtocol, Request.State.StateValue: ExpressibleByNilLiteral {
        await store(for: request).prefetch(pages: count)
    }

    /// The value that is cached for a request, fresh or not; `nil` if there is none. Runs nothing and makes no store.
    public func value<Request: QueryRequest>(for request: Request) -> Request.Value? {
        guard let state = existingStore(for: request)?.state, state.record.flags.contains(.hasValue) else { return nil }
        return state.current
    }

    /// Publishes a value for a request at once, as fresh as a fetched one.
    ///
    /// A run under way does not overwrite it, and is followed by another.
    public func setValue<Request: QueryRequest>(_ value: Request.Value, for request: Request)
    where Request.State.StateValue: ExpressibleByNilLiteral {
        store(for: request).setValue(value)
    }

    /// Changes the cached value of a request, if there is one; `false` if not. `change` may be called again; see ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue<Request: QueryRequest>(
        for request: Request,
        _ change: (inout Request.Value) throws -> Void
    ) rethrows -> Bool {
        try existingStore(for: request)?.updateValue(change) ?? false
    }
}
