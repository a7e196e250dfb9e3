/// How the settings of callers and observers combine to those of the store (R30).
extension StoreContents {
    /// The settings of a run that the library starts: those of the latest observer, or of the last caller if there are no observers.
    var runSettings: RequestSettings { outbox.latestObserver ?? caller ?? base }

    /// The settings that determine the clock and the session of the store.
    var latestSettings: RequestSettings { runSettings }

    /// Whether the store is in the given session.
    func isIn(_ session: WeakOwner?) -> Bool { base.context.owner === session }

    /// All settings that currently count.
    var allSettings: [RequestSettings] { outbox.observers + (caller.map { [$0] } ?? []) + [base] }

    /// The contexts whose conditions decide whether the library may start runs: one must allow it. `nil` if there is no condition.
    var conditionalContexts: [QueryContext]? { conditionalSettings?.map(\.context) }

    /// The settings with these contexts.
    var conditionalSettings: [RequestSettings]? {
        if outbox.containsObserver(where: { $0.isUnconditional }) { return nil }
        let observers = outbox.hasObservers ? outbox.observers : []
        if !observers.isEmpty { return observers }
        let settings = caller ?? base
        return settings.isUnconditional ? nil : [settings]
    }

    /// Whether an observer or the last caller wants to be notified of equal values.
    var wantsEqual: Bool {
        (caller ?? base).notifiesEqual || outbox.containsObserver(where: \.notifiesEqual)
    }

    /// Registers the settings of a caller, an observer or a handle. Some of them count until the store is released.
    mutating func register(_ settings: RequestSettings, isCall: Bool) {
        if isCall, settings !== caller {
            if let caller { release(caller) }
            caller = settings.isInline ? settings.kept : settings
        }
        if let retention = settings.context.settings.retention.map({ Nanoseconds($0) }), self.retention.map({ $0 < retention }) ?? true {
            self.retention = retention
            hasNewActivity = true
        }
        guard settings.isRemembered else { return }
        let own = settings.context.settings
        let rare = needRare()
        if let persistence = own.persistence,
            !rare.allCacheSettings.contains(where: { $0.context.settings.persistence?.isSame(as: persistence) == true })
        {
            rare.allCacheSettings.append(settings.kept)
        }
        if !own.handlers.isEmpty, !rare.handlerSettings.contains(where: { $0.settings === settings }) {
            rare.handlerSettings.append(WeakSettings(settings: settings))
        }
        if own.computedTags != nil {
            if let replaced = rare.latestComputing, replaced !== settings { release(replaced) }
            // The client must know that the tags of the run under way are not known yet.
            if !machine.isIdle { hasNewActivity = true }
        }
        rare.addTags(of: settings)
    }

    /// Adds a subscriber.
    mutating func join(_ subscriber: any Subscriber, _ settings: RequestSettings) {
        if subscriber.isObserver, !machine.isObserved { retention = nil }
        register(settings, isCall: false)
        outbox.join(subscriber, settings)
        if subscriber.isObserver, settings.hasTriggers { add(.updateTriggers) }
        if subscriber.isObserver, settings.isConsistent { updateConsistency() }
    }

    mutating func leave(_ subscriber: any Subscriber) {
        let settings = outbox.remove(subscriber)
        if let settings { release(settings) }
        // The triggered run no longer satisfies triggers of other observers: they may fire for an event that this subscriber has missed.
        if let rare, rare.triggered?.observer == subscriber.number { rare.triggered = nil }
        if subscriber.isObserver, settings?.hasTriggers == true { add(.updateTriggers) }
        if subscriber.isObserver, settings?.isConsistent == true { updateConsistency() }
    }

    /// Replaces the settings of a subscriber.
    mutating func replaceSettings(of subscriber: any Subscriber, with settings: RequestSettings) {
        register(settings, isCall: false)
        let old = outbox.settings(of: subscriber)
        if let old { release(old) }
        outbox.replaceSettings { other, _ in other === subscriber ? settings : nil }
        if settings.hasTriggers || old?.hasTriggers == true { add(.updateTriggers) }
        if settings.isConsistent || old?.isConsistent == true { updateConsistency() }
    }

    /// The tags that don't depend on the value, and the settings that compute more; `nil` if there are neither.
    var tagging: (tags: Set<QueryTag>, computing: [RequestSettings], version: UInt32)? {
        guard let rare, rare.isTagged else { return nil }
        return (rare.tags, rare.computing.compactMap(\.settings), rare.taggingVersion)
    }

    /// The settings with handlers that a handle, an observer or a caller still holds.
    func takeHandlerSettings() -> [RequestSettings] {
        guard let rare, !rare.handlerSettings.isEmpty else { return [] }
        rare.handlerSettings.removeAll { $0.settings == nil }
        return rare.handlerSettings.compactMap(\.settings)
    }

    // MARK: Triggers

    /// Updates the triggers to match the observers. Returns the sessions to end and to begin.
    ///
    /// Each observer has its own triggers, which use its own time to live. Only the shortest polling interval is used.
    mutating func exchangeTriggers(
        _ make: (_ triggers: [QueryTrigger], _ settings: RequestSettings, _ observer: UInt32) -> TriggerSession
    ) -> (ended: [TriggerSession], begun: [TriggerSession]) {
        var wanted: [UInt32: (settings: RequestSettings, triggers: [QueryTrigger], observer: UInt32)] = [:]
        var shortest = Duration.infinity
        for (number, settings) in host.isClosed ? [] : outbox.numberedObservers {
            for trigger in settings.context.settings.triggers where !host.covers(trigger, in: settings.context) {
                guard case .every(let interval) = trigger.kind else {
                    wanted[number, default: (settings, [], number)].triggers.append(trigger)
                    continue
                }
                guard interval > .zero, interval < shortest else { continue }
                shortest = interval
                wanted[RareContents.polling] = (settings, [trigger], number)
            }
        }
        if rare == nil, wanted.isEmpty { return ([], []) }
        let rare = needRare()
        var (ended, begun): ([TriggerSession], [TriggerSession]) = ([], [])
        for (key, session) in rare.triggers where !session.hasSame(wanted[key]?.triggers ?? []) {
            ended.append(session)
            rare.triggers[key] = nil
        }
        for (key, new) in wanted where rare.triggers[key] == nil {
            let session = make(new.triggers, new.settings, new.observer)
            rare.triggers[key] = session
            begun.append(session)
        }
        return (ended, begun)
    }
}
