/// Operations on one request: fetch its value, or write it.
extension QueryClient {
    /// Returns the value of a request, without optimistic layers: the cached value if it is fresh, otherwise the result of a run.
    ///
    /// Joins a run that is under way. ``QueryStore/fetch(using:handler:)`` runs even if the value is fresh. A failed run is not repeated
    /// unless the request has `retry(limit:backoff:when:)`.
    @discardableResult
    public func fetch<Request: QueryRequest>(_ request: Request) async throws -> Request.Value
    where Request.State.StateValue: ExpressibleByNilLiteral {
        let (store, settings) = entry(for: request, .shared)
        if let value = store.freshValue(by: settings) { return value.unboxed(as: Request.Value.self) }
        return try await store.fetch(settings, unlessFresh: true).unboxed(as: Request.Value.self)
    }

    /// Ensures that a fresh value is cached, for a screen that will soon need it. An error is kept in the store.
    public func prefetch<Request: QueryRequest>(_ request: Request) async
    where Request.State.StateValue: ExpressibleByNilLiteral {
        _ = try? await fetch(request)
    }

    /// Ensures that a list is fresh and has at least this many pages; see ``QueryStore/prefetch(pages:)``. An error is kept in the store.
    ///
    /// ```swift
    /// await client.prefetch(History().ttl(.seconds(60)), pages: 3)
    /// ```
    public func prefetch<Request: QueryRequest>(_ request: Request, pages count: Int) async
    where Request.Value: QueryPagesProtocol, Request.State.StateValue: ExpressibleByNilLiteral {
        await store(for: request).prefetch(pages: count)
    }

    /// The cached value of a request, fresh or not; `nil` if there is none. Starts no run and creates no store.
    public func value<Request: QueryRequest>(for request: Request) -> Request.Value? {
        guard let state = existingStore(for: request)?.state, state.record.flags.contains(.hasValue) else { return nil }
        return state.current
    }

    /// Publishes a value for a request immediately. It is as fresh as a fetched value.
    ///
    /// The result of a run under way does not overwrite the value; if there are observers or waiting callers, another run follows. The next
    /// value of an open stream replaces the written value.
    public func setValue<Request: QueryRequest>(_ value: Request.Value, for request: Request)
    where Request.State.StateValue: ExpressibleByNilLiteral {
        store(for: request).setValue(value)
    }

    /// Changes the cached value of a request. Returns `false` if there is none. `change` may be called more than once; see
    /// ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue<Request: QueryRequest>(
        for request: Request,
        _ change: (inout Request.Value) throws -> Void
    ) rethrows -> Bool {
        try existingStore(for: request)?.updateValue(change) ?? false
    }
}
