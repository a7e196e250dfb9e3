/// The settings of those who ask and observe, and what they come to for the store (R30).
extension StoreContents {
    /// The settings of a run that nobody waits for: of the observer that came last, without observers of the last caller.
    var runSettings: RequestSettings { outbox.latestObserver ?? caller ?? base }

    /// The settings by which the store is looked after: by what clock, in what session.
    var latestSettings: RequestSettings { runSettings }

    /// All settings that count at this moment.
    var allSettings: [RequestSettings] { outbox.observers + (caller.map { [$0] } ?? []) + [base] }

    /// The contexts one of which has to allow runs that the library starts; `nil` where nobody has to be asked.
    var conditionalContexts: [QueryContext]? {
        if outbox.containsObserver(where: \.isUnconditional) { return nil }
        let observers = outbox.observers
        let deciding = observers.isEmpty ? [caller ?? base] : observers
        return deciding.contains(where: \.isUnconditional) ? nil : deciding.map(\.context)
    }

    /// Whether one of those who look wants to hear of equal values.
    var wantsEqual: Bool {
        (caller ?? base).context.settings.notifiesEqual || outbox.containsObserver { $0.context.settings.notifiesEqual }
    }

    /// Somebody asks with some settings, or makes a handle with them. Some of it counts until the store goes.
    mutating func mention(_ settings: RequestSettings, isCall: Bool) {
        if isCall, settings !== caller {
            if let caller { actions.append(.release(caller)) }
            caller = settings
        }
        let own = settings.context.settings
        if let retention = own.retention, retention > self.retention ?? .nanoseconds(-1) {
            self.retention = retention
            hasNewActivity = true
        }
        guard own.persistence != nil || !own.handlers.isEmpty || !own.tags.isEmpty || own.computedTags != nil else { return }
        let extras = needExtras()
        if let persistence = own.persistence,
            !extras.keepers.contains(where: { $0.context.settings.persistence?.isSame(as: persistence) == true })
        {
            extras.keepers.append(settings)
        }
        if !own.handlers.isEmpty, !extras.companions.contains(where: { $0.settings === settings }) {
            extras.companions.append(Companion(settings: settings))
        }
        extras.tags.formUnion(own.tags)
        if own.computedTags != nil, !extras.computing.contains(where: { $0.settings === settings }) {
            extras.computing.append(Companion(settings: settings))
        }
    }

    /// A subscriber observes from now on.
    mutating func join(_ subscriber: Subscriber, _ settings: RequestSettings) {
        if subscriber.isObserver, !machine.isObserved { retention = nil }
        mention(settings, isCall: false)
        outbox.join(subscriber, settings)
        if subscriber.isObserver, needsTriggers { actions.append(.updateTriggers) }
    }

    mutating func leave(_ subscriber: Subscriber) {
        if let settings = outbox.settings(of: subscriber) { actions.append(.release(settings)) }
        outbox.remove(subscriber)
        if subscriber.isObserver, needsTriggers { actions.append(.updateTriggers) }
    }

    /// A subscriber goes on with other settings.
    mutating func replaceSettings(of subscriber: Subscriber, with settings: RequestSettings) {
        mention(settings, isCall: false)
        if let old = outbox.settings(of: subscriber) { actions.append(.release(old)) }
        outbox.replaceSettings { other, _ in other === subscriber ? settings : nil }
        if needsTriggers { actions.append(.updateTriggers) }
    }

    /// The tags that do not depend on the value, and the settings that compute more; `nil` where there are none of either.
    var tagging: (tags: Set<QueryTag>, computing: [RequestSettings])? {
        guard let extras, !extras.tags.isEmpty || !extras.computing.isEmpty else { return nil }
        extras.computing.removeAll { $0.settings == nil }
        return (extras.tags, extras.computing.compactMap(\.settings))
    }

    /// The settings with handlers that are still held by a handle, an observer or a caller.
    func takeCompanions() -> [RequestSettings] {
        guard let extras, !extras.companions.isEmpty else { return [] }
        extras.companions.removeAll { $0.settings == nil }
        return extras.companions.compactMap(\.settings)
    }

    // MARK: Triggers

    private var needsTriggers: Bool {
        extras?.triggers.isEmpty == false || outbox.containsObserver { !$0.context.settings.triggers.isEmpty }
    }

    /// Brings the triggers in line with those who observe; returns those that have to end and to begin.
    ///
    /// Each observer has its own triggers, by its own freshness. Of several polling intervals the shortest holds.
    mutating func exchangeTriggers(
        _ make: (_ triggers: [QueryTrigger], _ settings: RequestSettings, _ observer: UInt32) -> TriggerSession
    ) -> (ended: [TriggerSession], begun: [TriggerSession]) {
        var wanted: [UInt32: (settings: RequestSettings, triggers: [QueryTrigger], observer: UInt32)] = [:]
        var shortest = Duration.infinity
        for (number, settings) in host.isClosed ? [] : outbox.numberedObservers {
            for trigger in settings.context.settings.triggers {
                guard case .every(let interval) = trigger.kind else {
                    wanted[number, default: (settings, [], number)].triggers.append(trigger)
                    continue
                }
                guard interval > .zero, interval < shortest else { continue }
                shortest = interval
                wanted[StoreExtras.polling] = (settings, [trigger], number)
            }
        }
        if extras == nil, wanted.isEmpty { return ([], []) }
        let extras = needExtras()
        var (ended, begun): ([TriggerSession], [TriggerSession]) = ([], [])
        for (key, session) in extras.triggers where wanted[key]?.triggers.map(\.name) != session.names {
            ended.append(session)
            extras.triggers[key] = nil
        }
        for (key, new) in wanted where extras.triggers[key] == nil {
            let session = make(new.triggers, new.settings, new.observer)
            extras.triggers[key] = session
            begun.append(session)
        }
        return (ended, begun)
    }
}
