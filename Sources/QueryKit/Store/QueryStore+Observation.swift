extension QueryStore {
    /// Observes the store: the handler hears the present state at once, and from then on each change, in order.
    ///
    /// Fetches if the request is enabled and there is no result or a stale one. As long as it lives, invalidations bring
    /// fresh values by themselves and the store is kept.
    public func subscribe(with handler: QueryEventHandler<State>) -> QuerySubscription {
        QuerySubscription(StoreSubscriptionToken(self, attach(handler, isObserver: true)))
    }

    /// Adds a handler, lets it hear the present state, and starts the run that it brings about.
    func attach(_ handler: QueryEventHandler<State>, isObserver: Bool) -> Subscriber {
        let (context, number) = core.withLock { ($0.context, $0.nextSubscriber()) }
        let subscriber = HandlingSubscriber<State>(handler, isObserver: isObserver, number: number)
        let isEnabled = isObserver && State.runsByItself && context.isEnabled
        let now = context.clock.now
        let (state, work) = change { core, input in
            let state = core.state
            core.outbox.join(subscriber)
            guard isObserver else { return (state, StoreWork()) }
            let record = state.record
            let wantsRun = isEnabled && record.isStale(at: now, ttl: context.ttl)
            let cause: QueryCause? = wantsRun ? (record.hasResult ? .stale : .subscribed) : nil
            return (state, core.process(input) { $0.subscribe(wanting: cause, &$1) })
        }
        // A handler hears one thing at a time: what is posted from now on waits in its backlog until this call returns.
        if let changed = handler.onStateChanged { RunScope.outside { changed(State(state, initialValue: initial), context) } }
        perform(work)
        while let missed = core.withLock({ $0.outbox.catchUp(subscriber) }) {
            let shown = ShownState(State(missed.state, initialValue: initial))
            RunScope.outside { subscriber.receive(missed, shown) }
        }
        return subscriber
    }

    func unsubscribe(_ subscriber: Subscriber) {
        let work = change { core, input in
            core.outbox.remove(subscriber)
            guard subscriber.isObserver else { return StoreWork() }
            let abandonment = core.context.abandonment
            return core.process(input) { $0.unsubscribe(abandonment, &$1) }
        }
        perform(work)
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
