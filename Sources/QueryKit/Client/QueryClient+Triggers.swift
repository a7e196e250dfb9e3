extension QueryClient {
    /// Invalidates all requests that a pattern matches whenever a trigger fires, until the subscription ends. Requests with observers are
    /// refetched even if they were fresh; the others are refetched at their next subscription.
    ///
    /// ``QueryRequest/refetch(on:)`` refetches one observed store, and only if it is stale. Use this method for values that become invalid
    /// at the moment of the event, observed or not, such as a cached "today" at midnight. Each time the trigger fires, all matches are out
    /// of date from that moment on. Observed matches are refetched at most ten times per second: if the trigger fires again within 100 ms,
    /// they are refetched after this pause, as one change, unless they have been fetched by then.
    ///
    /// ```swift
    /// let subscription = client.invalidate("food/**", on: .dayChange)
    /// ```
    ///
    /// The trigger continues in later sessions: in each of them it begins again, with the context of that session.
    public func invalidate(_ pattern: QueryPattern, on trigger: QueryTrigger) -> QuerySubscription {
        invalidate(anyOf: [pattern], on: trigger)
    }

    /// Like ``invalidate(_:on:)``, for requests that no single pattern describes. All requests that match any of the patterns become out of
    /// date in one step, so consistent requests change together. With a separate call for each pattern, an observer could see a moment at
    /// which only some of the requests have changed.
    ///
    /// ```swift
    /// let subscription = client.invalidate(
    ///     anyOf: ["entries/**", "totals/**"],
    ///     on: .dayChange
    /// )
    /// ```
    public func invalidate(anyOf patterns: [QueryPattern], on trigger: QueryTrigger) -> QuerySubscription {
        let watch = TriggerWatch { [weak self] in
            guard let self else { return nil }
            let mark = { @Sendable [weak self] (cause: QueryCause) in _ = self?.core.invalidate(anyOf: patterns, cause, refetch: .none) }
            return TriggerSession([trigger], context, core, mark: mark) { [weak self] cause, isLate in
                guard let core = self?.core else { return }
                if isLate {
                    core.refetchInvalidated(anyOf: patterns, cause)
                } else {
                    core.invalidate(anyOf: patterns, cause, refetch: .active)
                }
            }
        }
        let renewal = core.sessions.add { [weak watch] _ in watch?.begin() }
        watch.begin()
        return QuerySubscription {
            renewal.cancel()
            watch.end()
        }
    }
}

/// A trigger of a client that begins again in each session.
private final class TriggerWatch: Sendable {
    private struct State {
        var isOver = false
        var current: TriggerSession?
    }

    private let make: @Sendable () -> TriggerSession?
    private let state = Lock(State())

    /// - Parameter make: Creates the trigger of the current session; returns `nil` once the client is deallocated.
    init(_ make: @escaping @Sendable () -> TriggerSession?) { self.make = make }

    /// Begins the trigger of the current session. The previous one ends afterwards, so that no event is missed in between.
    func begin() {
        while let new = make() {
            new.begin()
            let replaced = state.withLock { state in
                if state.isOver { return Optional(new) }
                defer { state.current = new }
                return state.current
            }
            replaced?.end()
            // Another session may have begun by now, and the replaced trigger may belong to it.
            if !new.isOfEndedSession { return }
        }
    }

    func end() {
        let current = state.withLock { state in
            state.isOver = true
            defer { state.current = nil }
            return state.current
        }
        current?.end()
    }
}
