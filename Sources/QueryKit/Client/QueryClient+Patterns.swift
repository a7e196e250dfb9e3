/// Operations on many requests at once. The cost of a call depends on the number of matches, not on the number of stores.
///
/// A debug build reports a pattern that is malformed, or that matches nothing and is probably misspelled; see ``QueryMistake``.
///
/// `reset`, `remove`, `clear` and `invalidate` find the matches and take effect before they return. They also notify observers for about a
/// millisecond; after that, a task of the client notifies the remaining ones. With `.all` they don't have to search, so they return within
/// some milliseconds, even with a million stores.
extension QueryClient {
    /// Marks the values of all matches as out of date, and refetches those with observers or waiting callers.
    ///
    /// A run that began earlier does not satisfy the invalidation: its result is published as stale, and exactly one other run follows,
    /// even if there are further invalidations. Matches without observers are refetched at their next subscription.
    ///
    /// Returns the runs that follow, so that you can wait for them.
    @discardableResult
    public func invalidate(_ pattern: QueryPattern, refetch: QueryRefetch = .active) -> QueryRefetches {
        invalidate(pattern, .invalidated(pattern), refetch: refetch)
    }

    @discardableResult
    func invalidate(_ pattern: QueryPattern, _ cause: QueryCause, refetch: QueryRefetch) -> QueryRefetches {
        core.invalidate(pattern, cause, refetch: refetch)
    }

    /// Invalidates one request.
    @discardableResult
    public func invalidate<Request: QueryRequest>(_ request: Request, refetch: QueryRefetch = .active) -> QueryRefetches {
        core.invalidate(request.path, existingStore(for: request)?.core, refetch: refetch)
    }

    /// Refetches all matches that are enabled, whether or not they are observed or fresh. Joins runs that are under way.
    ///
    /// Returns all these runs, new and joined, so that you can wait for them.
    @discardableResult
    public func refetch(_ pattern: QueryPattern) -> QueryRefetches {
        let stores = core.stores(matching: pattern)
        defer { core.check(pattern, hasMatches: !stores.isEmpty) }
        let cause = core.announce(.manual, as: .refetch, of: .pattern(pattern))
        return QueryRefetches(of: { refetches in
            for store in stores { store.refresh(cause, refetches) }
        })
    }

    /// Checks the conditions of `enabled(when:)` again, and refetches the matches that have observers, have become enabled and are stale.
    ///
    /// Call it when data that the conditions depend on has changed, for example after login.
    public func reconsider(_ pattern: QueryPattern = .all) {
        let stores = core.stores(matching: pattern)
        core.visit(stores) { $0.reconsider() }
        core.check(pattern, hasMatches: !stores.isEmpty)
    }

    /// Cancels the runs of all matches for all their callers. The states are restored to what they were before the runs.
    ///
    /// Also ends the calls of matching mutations. Their journal entries stay, so that the calls can be resumed; ``cancelMutations(_:)``
    /// removes the entries, too.
    public func cancel(_ pattern: QueryPattern) {
        core.mutationQueues.end(matching: pattern, .kept)
        let running = core.runningStores(matching: pattern)
        for store in running { store.cancel() }
        core.check(pattern, hasMatches: !running.isEmpty || !core.stores(matching: pattern).isEmpty)
    }

    /// Resets all matches to their initial state. Those with observers are refetched.
    ///
    /// Also ends the calls of matching mutations, as ``cancel(_:)`` does.
    public func reset(_ pattern: QueryPattern) {
        core.reset(pattern)
    }

    /// Removes all matches. Those with observers keep their store, which is reset and refetched.
    ///
    /// Cancels runs, even if callers wait for them, and ends the calls of matching mutations, as ``cancel(_:)`` does. Also removes the
    /// matches from the caches of the client.
    public func remove(_ pattern: QueryPattern) {
        core.remove(pattern)
    }

    /// Releases the matches that are stale and unused, as if their retention had ended. Caches keep their entries.
    package func releaseStale(_ patterns: [QueryPattern]) {
        for pattern in patterns { core.releaseStale(pattern) }
    }

    /// Removes everything, for example at logout: `remove(.all)`. Values that you write or fetch afterwards are kept.
    public func clear() { remove(.all) }
}
