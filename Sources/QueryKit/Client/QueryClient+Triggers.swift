extension QueryClient {
    /// Invalidates all matches whenever a trigger fires, until the subscription ends: those that somebody observes run again, fresh or not, and
    /// the others when the next subscriber comes.
    ///
    /// ``QueryRequest/refetch(on:)`` asks one store that somebody observes, and only if it is stale. This is for what is over at that
    /// moment, also where nobody looks: a cached "today" at midnight. However often the trigger fires, all matches are invalidated ten times
    /// a second at most.
    ///
    /// ```swift
    /// let subscription = client.invalidate("food/**", on: .dayChange)
    /// ```
    public func invalidate(_ pattern: QueryPattern, on trigger: QueryTrigger) -> QuerySubscription {
        let session = TriggerSession([trigger], context, core) { [weak self] cause in
            self?.invalidate(pattern, cause, refetch: .active)
        }
        session.begin()
        return QuerySubscription { session.end() }
    }
}
