extension StoreCore {
    /// Adds a handler, calls it with the current state, and starts the run that the subscription requires.
    func attach(_ given: RequestSettings, isObserver: Bool, _ make: (_ number: UInt32) -> any Subscriber) -> any Subscriber {
        let number = contents.withBasis { basis, _ in basis.nextSubscriber() }
        let subscriber = make(number)
        let (settings, state, actions) = join(subscriber, given)
        // A handler gets one event at a time: deliveries posted from now on wait in the subscriber's backlog until this call returns.
        RunScope.outside { subscriber.begin(typing, shown(state, to: settings), settings.context) }
        perform(actions)
        while let missed = missedDelivery(of: subscriber) {
            let box = shown(missed.delivery.event.state, to: missed.settings)
            let shown = ShownState(typing: typing, box: box)
            RunScope.outside { subscriber.receive(missed.delivery.event, shown, missed.settings.context) }
            missed.delivery.endTurn()
        }
        return subscriber
    }

    /// Adds a subscriber with its settings in the current session. Their conditions determine whether it may start a run.
    private func join(_ subscriber: any Subscriber, _ given: RequestSettings) -> (RequestSettings, StateBox, StoreActions) {
        var settings = given
        while true {
            let isEnabled = subscriber.isObserver && typing.runsByItself && settings.askIfEnabled()
            let (joined, actions) = decide(by: settings.context) { [settings] contents, input, freshness -> StateBox? in
                if settings.context.owner?.isEnded == true { return nil }
                // During a batch a new subscriber first gets the published state, and the changes at the end, like all others.
                let state = contents.rare?.held?.published ?? contents.state
                contents.join(subscriber, settings)
                guard subscriber.isObserver else { return state }
                let record = contents.state.record
                let wantsRun = isEnabled && contents.isStale(by: freshness)
                let cause: QueryCause? = wantsRun ? (record.hasResult ? .stale : .subscribed) : nil
                contents.addObserver(wanting: cause, input)
                return state
            }
            if let joined { return (settings, joined, actions) }
            perform(actions)
            settings = inPresentSession(settings)
        }
    }

    /// Replaces the settings of a subscriber, and fetches if they require it.
    ///
    /// - Parameter wasEnabled: Whether the previous settings were enabled. If so, nothing is fetched.
    func replaceSettings(of subscriber: any Subscriber, with given: RequestSettings, wasEnabled: Bool) {
        var settings = given
        while true {
            let mayRun = typing.runsByItself && settings.askIfEnabled() && !wasEnabled
            let isDone = change(by: settings.context) { [settings] contents, input, freshness in
                if settings.context.owner?.isEnded == true { return false }
                contents.replaceSettings(of: subscriber, with: settings)
                let record = contents.state.record
                guard mayRun, contents.isStale(by: freshness) else { return true }
                contents.process(input) { $0.refresh(record.hasResult ? .stale : .subscribed, &$1) }
                return true
            }
            if isDone { return }
            settings = inPresentSession(settings)
        }
    }

    /// The next delivery that a new subscriber missed while its handler was being called; `nil` once it is up to date.
    private func missedDelivery(of subscriber: any Subscriber) -> Outbox.Missed? {
        let (missed, actions) = contents.withLock { contents -> (Outbox.Missed?, StoreActions) in
            let missed = contents.outbox.catchUp(subscriber)
            return (missed, missed == nil ? contents.conclude() : StoreActions())
        }
        perform(actions)
        return missed
    }

    func unsubscribe(_ subscriber: any Subscriber) {
        change { contents, input in
            contents.leave(subscriber)
            if subscriber.isObserver { contents.removeObserver(input) }
        }
    }
}
