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
        // Caches first: what the stores fetch from now on must not be marked.
        core.patterns.tell(.invalidated(pattern))
        core.invalidate(core.stores(matching: pattern), { _ in cause }, refetch: refetch)
    }

    /// Invalidates one request.
    public func invalidate<Request: QueryRequest>(_ request: Request, refetch: QueryRefetch = .active) {
        core.patterns.tell(.invalidated(.path(request.path)))
        existingStore(for: request)?.core.invalidate(.invalidated(.path(request.path)), refetch: refetch)
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
        for store in core.stores(matching: pattern) { store.reset() }
    }

    /// Forgets all matches. Those with subscribers keep their store, which is reset and runs anew.
    ///
    /// A run that somebody still waits for is cancelled. The caches of the client forget the matches, too.
    public func remove(_ pattern: QueryPattern) {
        core.patterns.tell(.removed(pattern))
        // A value that has come since then is on its way to the cache, so each store says for itself that it is forgotten.
        for store in core.stores(matching: pattern) where !core.retire(store, .removed, forgets: true) { remove(store) }
    }

    private func remove(_ store: StoreCore) {
        store.reset()
        // A run that was cancelled just now may have been all that kept it.
        _ = core.retire(store, .removed)
    }

    /// Forgets everything, as at log-out: `remove(.all)`.
    public func clear() { remove(.all) }
}
