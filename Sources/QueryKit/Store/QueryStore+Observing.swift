extension QueryStore {
    /// Observes the store: the handler receives the current state at once, and then each change, in order.
    ///
    /// Fetches if the request is enabled and the store has no result or a stale one. As long as the subscription exists, invalidations
    /// cause refetches and the client keeps the store.
    public func subscribe(with handler: QueryEventHandler<State>) -> QuerySubscription {
        QuerySubscription(StoreSubscriptionToken(core, attach(handler, isObserver: true)))
    }

    func attach(_ handler: QueryEventHandler<State>, isObserver: Bool) -> any Subscriber {
        core.attach(settings, isObserver: isObserver) { HandlingSubscriber<State>(handler, isObserver: isObserver, number: $0) }
    }

    /// The states of the store, starting with the current one. Each iteration subscribes, and unsubscribes when it ends.
    ///
    /// A slow consumer receives the newest state and may miss states in between.
    public var states: QueryStates<State> { QueryStates(store: self) }

    /// Returns the values that a closure derives from the states, without consecutive duplicates.
    ///
    /// ```swift
    /// for await count in store.select({ $0.value?.count ?? 0 }) {
    ///     badge = count
    /// }
    /// ```
    public func select<Selected: Equatable & Sendable>(
        _ transform: @escaping @Sendable (State) -> Selected
    ) -> QuerySelection<State, Selected> {
        QuerySelection(states: states, transform: transform)
    }
}
