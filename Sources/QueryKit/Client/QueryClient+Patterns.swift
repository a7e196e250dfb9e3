/// Many requests at once. Each call costs as much as there are matches, however many stores there are.
extension QueryClient {
    /// Marks the values of all matches as out of date, and runs those again that somebody observes or waits for.
    ///
    /// A run that began before does not count: its result is published as stale, and exactly one other run follows,
    /// however many invalidations come meanwhile. Matches that nobody looks at run when the next subscriber comes.
    public func invalidate(_ pattern: QueryPattern, refetch: QueryRefetch = .active) {
        invalidate(pattern, .invalidated(pattern), refetch: refetch)
    }

    func invalidate(_ pattern: QueryPattern, _ cause: QueryCause, refetch: QueryRefetch) {
        core.invalidate(pattern, cause, refetch: refetch)
    }

    /// Invalidates one request.
    public func invalidate<Request: QueryRequest>(_ request: Request, refetch: QueryRefetch = .active) {
        core.invalidate(request.path, existingStore(for: request)?.core, refetch: refetch)
    }

    /// Runs all matches that are enabled, observed or not, fresh or not. Joins runs that are under way.
    public func refetch(_ pattern: QueryPattern) {
        for store in core.stores(matching: pattern) { store.refresh(.manual) }
    }

    /// Cancels the runs of all matches for all who wait for them. Their states go back to what they were before.
    public func cancel(_ pattern: QueryPattern) {
        for store in core.runningStores(matching: pattern) { store.cancel() }
    }

    /// Takes all matches back to the beginning. Those with subscribers run anew.
    public func reset(_ pattern: QueryPattern) {
        core.reset(pattern)
    }

    /// Forgets all matches. Those with subscribers keep their store, which is reset and runs anew.
    ///
    /// A run that somebody still waits for is cancelled. The caches of the client forget the matches, too.
    public func remove(_ pattern: QueryPattern) {
        core.remove(pattern)
    }

    /// Forgets everything, as at log-out: `remove(.all)`.
    public func clear() { remove(.all) }
}
