/// How a store takes the changes of its client, which come before anything else happens to it (R29).
extension StoreContents {
    /// What has to be found out with the lock open before an event can be carried out.
    // Indirect, because it mostly is none.
    indirect enum Question: Sendable {
        /// What values look like with the layers of mutations over them.
        case layered(LayeredValues.Basis)
        /// Whether the library may start a run by itself: one of these contexts has to allow it.
        case isEnabled([QueryContext])
        /// What the first settings are in the present session, and whether one of the second allows runs; `nil` if there is no condition to check.
        case renewal([RequestSettings], conditional: [RequestSettings]?)
        /// Which tags a value carries.
        case tags(of: AnyValue)
        /// Whether the value that comes equals the present one, which another thread has just published.
        case comparison(of: AnyValue)
    }

    /// Takes what the client has entered, and finds out whether it and the event can be carried out.
    mutating func prepare(_ input: StoreInput) -> Question? {
        if host.latestChange != latest { takeNews() }
        if news.isEmpty, rare == nil { return missingComparison(for: input) }
        if let question = question(for: input) { return question }
        guard !news.isEmpty else { return nil }
        let changes = news
        news = []
        for change in changes { apply(change, input) }
        return question(for: input)
    }

    private mutating func takeNews() {
        let taken = host.takeNews(for: ticket)
        latest = taken.latest
        for change in taken.changes {
            // What the mutation did can be seen by runs that begin from now on.
            if let mutation = change.regions?.mutation, let rare, !rare.layers.isEmpty {
                rare.layers.land(mutation, after: machine.lastBegunNumber)
            }
            news.append(change)
        }
    }

    private func question(for input: StoreInput) -> Question? {
        for change in news {
            switch change.kind {
            case .renewed:
                let old = allSettings + (rare?.latestComputing.map { [$0] } ?? [])
                if !old.allSatisfy({ input.renewed?.covers($0) == true }) { return .renewal(old, conditional: conditionalSettings) }
            case .invalidated, .reset:
                if input.isEnabled == nil, let contexts = conditionalContexts { return .isEnabled(contexts) }
            }
        }
        if let rare, rare.isTagged, case .success(let value) = input.result, input.tags?.version != rare.taggingVersion {
            return .tags(of: value)
        }
        if let basis = missingBasis(for: input) { return .layered(basis) }
        return missingComparison(for: input)
    }

    /// A value that was compared with one that the store no longer has is compared again (R5).
    private func missingComparison(for input: StoreInput) -> Question? {
        guard let comparison = input.comparison, comparison.number != valueNumber, case .success(let value) = input.result else {
            return nil
        }
        return .comparison(of: input.layered?.accepted ?? value)
    }

    /// What has to be computed with the lock open before an event can be carried out, if anything has.
    private func missingBasis(for input: StoreInput) -> LayeredValues.Basis? {
        guard let rare, !rare.layers.isEmpty else { return nil }
        let rollback = run?.rollback
        let isOwn = input.run == nil || input.run == machine.runNumber
        let isOutdated = isOwn ? machine.run?.isOutdated == true : input.run.map { $0 <= machine.lastInvalidated } == true
        if let layered = input.layered, layered.version == rare.layers.version, layered.isOutdated == isOutdated,
            layered.rollback == rollback.map({ ObjectIdentifier($0) })
        {
            return nil
        }
        let reader = isOwn ? run : input.reader
        return LayeredValues.Basis(layers: rare.layers, rollback: rollback, reader: reader, asOf: latest, isOutdated: isOutdated)
    }

    /// Takes a change that no client numbers.
    mutating func receive(_ kind: StoreChange.Kind) { apply(StoreChange(number: latest, kind: kind), StoreInput()) }

    private mutating func apply(_ change: StoreChange, _ input: StoreInput) {
        let isEnabled = input.isEnabled ?? runsByItself
        // What fires from now on may have seen the change, and no run that began before it answers that.
        rare?.triggered = nil
        switch change.kind {
        case .invalidated(let cause, let refetch):
            guard runsByItself else { return }
            if let regions = change.regions { rare?.changes?.add(regions.regions) } else { rare?.changes? = .anything }
            if let rare, rare.isConsistent, change.regions != nil, rare.missed == nil, state.record.hasResult {
                rare.missed = change.number
            }
            process(input.withoutValue) { machine, record in
                machine.invalidate(cause, refetch: refetch, isEnabled: isEnabled, sparing: change.spared, &record)
            }
            // A run that the change doesn't outdate reads as of the change.
            if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, change.number) }
        case .reset(let cause, let forgets):
            var plain = input.withoutValue
            plain.forgets = forgets
            process(plain) { $0.reset(cause, refetches: isEnabled, &$1) }
        case .renewed:
            guard let renewal = input.renewed else { return }
            endSessionOfHeldBack()
            add(.release(value: [base, caller]))
            base = renewal[base].kept
            caller = caller.map { $0.isInline ? renewal[$0].kept : renewal[$0] }
            outbox.endSession()
            outbox.replaceSettings { [renewal] _, old in renewal[old] }
            let triggers = Array((rare?.triggers ?? [:]).values)
            if let rare {
                add(.release(value: rare.layers))
                rare.layers.removeAll()
                rare.triggers = [:]
                // Caches hold what belongs to a session under its name.
                rare.keepers = []
                let computing = rare.latestComputing.map { [renewal[$0]] } ?? []
                add(.release(value: rare.latestComputing))
                rare.forgetComputing()
                for settings in computing + allSettings {
                    let own = settings.context.settings
                    if own.persistence != nil || own.computedTags != nil { mention(settings, isCall: false) }
                }
                renewCompanions(renewal)
            }
            process(input.withoutValue) { $0.reset(.session, refetches: isEnabled, &$1) }
            // The new ones come first: a trigger may observe another store, whose run would be given up in between.
            add(.updateTriggers)
            for session in triggers { add(.endTriggers(session)) }
        }
    }

    /// Observers that go on in a new session go on hearing with the handlers of their requests, in its context.
    private mutating func renewCompanions(_ renewal: SettingsRenewal) {
        let former = takeCompanions()
        add(.release(value: former))
        rare?.companions = former.filter { renewal[$0] === $0 }.map { Companion(settings: $0) }
        for settings in outbox.observers where settings.hasHandlers { mention(settings, isCall: false) }
    }
}
