/// Many requests at once. Each call costs as much as there are matches, however many stores there are.
///
/// A pattern that is malformed, or that matches nothing and looks like a slip, is reported by a debug build; see ``QueryMistake``.
///
/// `reset`, `remove`, `clear` and `invalidate` find the matches and take effect before they return, and notify for about a millisecond; a task
/// of the client does the rest. With `.all` there is nothing to find, so they return within some milliseconds, also with a million stores.
extension QueryClient {
    /// Marks the values of all matches as out of date, and runs those with observers or waiting callers again.
    ///
    /// A run that began before does not count: its result is published as stale, and exactly one other run follows,
    /// however many invalidations come meanwhile. Matches without observers run when the next subscriber comes.
    ///
    /// Returns the runs that follow, for those who want to wait for them.
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

    /// Runs all matches that are enabled, observed or not, fresh or not. Joins runs that are under way.
    ///
    /// Returns those runs, for those who want to wait for them.
    @discardableResult
    public func refetch(_ pattern: QueryPattern) -> QueryRefetches {
        let stores = core.stores(matching: pattern)
        defer { core.check(pattern, hasMatches: !stores.isEmpty) }
        return QueryRefetches(of: { refetches in
            for store in stores { store.refresh(.manual, refetches) }
        })
    }

    /// Asks the conditions of `enabled(when:)` again, and runs the matches that have observers, became enabled and are stale.
    ///
    /// Call it when what the conditions depend on has changed, such as after a log-in.
    public func reconsider(_ pattern: QueryPattern = .all) {
        let stores = core.stores(matching: pattern)
        core.visit(stores) { $0.reconsider() }
        core.check(pattern, hasMatches: !stores.isEmpty)
    }

    /// Cancels the runs of all matches for all who wait for them. Their states go back to what they were before.
    ///
    /// Also ends the calls of matching mutations. Their journal entries stay until they are resumed; ``cancelMutations(_:)`` removes them.
    public func cancel(_ pattern: QueryPattern) {
        core.lines.end(matching: pattern, .left)
        let running = core.runningStores(matching: pattern)
        for store in running { store.cancel() }
        core.check(pattern, hasMatches: !running.isEmpty || !core.stores(matching: pattern).isEmpty)
    }

    /// Takes all matches back to their initial state. Those with subscribers run again.
    ///
    /// Ends the calls of matching mutations, as ``cancel(_:)`` does.
    public func reset(_ pattern: QueryPattern) {
        core.reset(pattern)
    }

    /// Forgets all matches. Those with subscribers keep their store, which is reset and runs again.
    ///
    /// Cancels runs, even if callers wait for them, and ends the calls of matching mutations, as ``cancel(_:)`` does. Also removes the
    /// matches from the caches of the client.
    public func remove(_ pattern: QueryPattern) {
        core.remove(pattern)
    }

    /// Releases the matches that are stale and not in use, as if their retention had ended. Caches keep their entries.
    package func releaseStale(_ patterns: [QueryPattern]) {
        for pattern in patterns { core.releaseStale(pattern) }
    }

    /// Forgets everything, as at log-out: `remove(.all)`. What you write or fetch after it stays.
    public func clear() { remove(.all) }
}
