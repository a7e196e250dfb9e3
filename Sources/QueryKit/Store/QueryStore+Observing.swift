extension QueryStore {
    /// Observes the store: the handler hears the present state at once, and from then on each change, in order.
    ///
    /// Fetches if the request is enabled and there is no result or a stale one. As long as it lives, invalidations bring
    /// fresh values by themselves and the store is kept.
    public func subscribe(with handler: QueryEventHandler<State>) -> QuerySubscription {
        QuerySubscription(StoreSubscriptionToken(core, attach(handler, isObserver: true)))
    }

    func attach(_ handler: QueryEventHandler<State>, isObserver: Bool) -> any Subscriber {
        core.attach(settings, isObserver: isObserver) { HandlingSubscriber<State>(handler, isObserver: isObserver, number: $0) }
    }

    /// The states of the store, beginning with the present one. Each iteration subscribes, and unsubscribes when it ends.
    ///
    /// A consumer that is slower than the changes sees the newest state and misses some in between.
    public var states: QueryStates<State> { QueryStates(store: self) }

    /// What a closure makes of the states, without repetitions.
    ///
    /// ```swift
    /// for await count in store.select({ $0.value?.count ?? 0 }) { badge = count }
    /// ```
    public func select<Selected: Equatable & Sendable>(
        _ transform: @escaping @Sendable (State) -> Selected
    ) -> QuerySelection<State, Selected> {
        QuerySelection(states: states, transform: transform)
    }
}
