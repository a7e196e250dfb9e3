extension StoreCore {
    /// Adds a handler, lets it hear the present state, and starts the run that it brings about.
    func attach(isObserver: Bool, _ make: (_ number: UInt32) -> Subscriber) -> Subscriber {
        let (context, number) = contents.withLock { ($0.context, $0.nextSubscriber()) }
        let subscriber = make(number)
        let isEnabled = isObserver && typing.runsByItself && context.isEnabled
        let now = context.clock.now
        let (state, work) = change { contents, input in
            let state = contents.state
            contents.outbox.join(subscriber)
            guard isObserver else { return (state, StoreWork()) }
            let record = state.record
            let wantsRun = isEnabled && record.isStale(at: now, ttl: context.ttl)
            let cause: QueryCause? = wantsRun ? (record.hasResult ? .stale : .subscribed) : nil
            return (state, contents.process(input) { $0.subscribe(wanting: cause, &$1) })
        }
        // A handler hears one thing at a time: what is posted from now on waits in its backlog until this call returns.
        RunScope.outside { subscriber.begin(typing, state, initial, context) }
        perform(work)
        while let missed = contents.withLock({ $0.outbox.catchUp(subscriber) }) {
            let shown = typing.shown(missed.state, initial: initial)
            RunScope.outside { subscriber.receive(missed, shown) }
        }
        return subscriber
    }

    func unsubscribe(_ subscriber: Subscriber) {
        let work = change { contents, input in
            contents.outbox.remove(subscriber)
            guard subscriber.isObserver else { return StoreWork() }
            let abandonment = contents.context.abandonment
            return contents.process(input) { $0.unsubscribe(abandonment, &$1) }
        }
        perform(work)
    }
}
