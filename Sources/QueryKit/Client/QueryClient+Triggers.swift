extension QueryClient {
    /// Invalidates all matches whenever a trigger fires, until the subscription ends: those with observers run again, fresh or not, and
    /// the others when the next subscriber comes.
    ///
    /// ``QueryRequest/refetch(on:)`` refetches one observed store, and only if it is stale. Use this call for what ends at that
    /// moment, observed or not: a cached "today" at midnight. However often the trigger fires, all matches are invalidated ten times
    /// a second at most.
    ///
    /// ```swift
    /// let subscription = client.invalidate("food/**", on: .dayChange)
    /// ```
    /// It goes on in later sessions. The trigger keeps the context that it has now, so it must not fetch through the client.
    public func invalidate(_ pattern: QueryPattern, on trigger: QueryTrigger) -> QuerySubscription {
        let session = TriggerSession([trigger], context, core) { [weak self] cause in
            self?.invalidate(pattern, cause, refetch: .active)
        }
        session.begin()
        return QuerySubscription { session.end() }
    }
}
