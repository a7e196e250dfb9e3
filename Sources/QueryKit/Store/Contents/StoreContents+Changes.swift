/// How a store takes the changes that its client has entered. They are applied before any other event (R29).
extension StoreContents {
    /// Something that must be evaluated without the lock before an event can be processed.
    // Indirect to keep the optional small, because mostly there is no question.
    indirect enum Question: Sendable {
        /// The values with the layers of mutations applied.
        case layered(LayeredValues.Basis)
        /// Whether the library may start a run on its own, which one of these contexts has to allow.
        case isEnabled([QueryContext])
        /// The settings in the first list, renewed for the current session, and whether one of the `conditional` settings allows runs.
        /// `conditional` is `nil` if there is no condition to check.
        case renewal([RequestSettings], conditional: [RequestSettings]?)
        /// The tags of a value.
        case tags(of: AnyValue)
        /// Whether the new value equals the current one, which another thread has just published.
        case comparison(of: AnyValue)
    }

    /// Takes the changes that the client has entered, and applies them. If a question must be answered before the changes can be applied or
    /// the event can be processed, returns that question.
    mutating func prepare(_ input: StoreInput) -> Question? {
        if host.latestChange != latest { takePendingChanges() }
        if pendingChanges.isEmpty, rare == nil { return missingComparison(for: input) }
        if let question = question(for: input) { return question }
        guard !pendingChanges.isEmpty else { return nil }
        let changes = pendingChanges
        pendingChanges = []
        for change in changes { apply(change, input) }
        return question(for: input)
    }

    private mutating func takePendingChanges() {
        let taken = host.takePendingChanges(for: ticket)
        latest = taken.latest
        for change in taken.changes {
            // Runs that begin from now on see the effect of the mutation.
            if let mutation = change.regions?.mutation, let rare, !rare.layers.isEmpty {
                rare.layers.land(mutation, after: machine.lastBegunNumber)
            }
            pendingChanges.append(change)
        }
    }

    private func question(for input: StoreInput) -> Question? {
        for change in pendingChanges {
            switch change.kind {
            case .renewed:
                let old = allSettings + (rare?.latestComputing.map { [$0] } ?? [])
                if !old.allSatisfy({ input.renewed?.covers($0) == true }) { return .renewal(old, conditional: conditionalSettings) }
            case .invalidated, .due, .reset:
                if input.isEnabled == nil, let contexts = conditionalContexts { return .isEnabled(contexts) }
            }
        }
        if let rare, rare.isTagged, case .success(let value) = input.result, input.tags?.version != rare.taggingVersion {
            return .tags(of: value)
        }
        if let basis = missingBasis(for: input) { return .layered(basis) }
        return missingComparison(for: input)
    }

    /// If the store has another value than the one that the new value was compared with, the comparison is repeated (R5).
    private func missingComparison(for input: StoreInput) -> Question? {
        guard let comparison = input.comparison, comparison.number != valueNumber, case .success(let value) = input.result else {
            return nil
        }
        return .comparison(of: input.layered?.accepted ?? value)
    }

    /// The input of layered values that must be computed before the event can be processed; `nil` if none must be.
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

    /// Applies a change to a store whose client was deallocated, so that the change has no number.
    mutating func receive(_ kind: StoreChange.Kind) { apply(StoreChange(number: latest, kind: kind), StoreInput()) }

    private mutating func apply(_ change: StoreChange, _ input: StoreInput) {
        let isEnabled = input.isEnabled ?? runsByItself
        // A trigger that fires from now on may be due to this change, so a run that began before doesn't satisfy it.
        if !change.kind.isDue { rare?.triggered = nil }
        switch change.kind {
        case .invalidated(let cause, let refetch):
            guard runsByItself else { return }
            if let regions = change.regions { rare?.changes?.add(regions.regions) } else { rare?.changes? = .anything }
            if let rare, rare.isConsistent, rare.missed == nil, state.record.hasResult {
                rare.missed = change.number
            }
            process(input.withoutValue) { machine, record in
                machine.invalidate(cause, refetch: refetch, isEnabled: isEnabled, sparing: change.spared, &record)
            }
            // If the change doesn't outdate the run, the run's reads include the change.
            if let run, machine.run?.isOutdated == false { run.asOf = max(run.asOf, change.number) }
        case .due(let cause):
            guard runsByItself, isEnabled, machine.isObserved, state.record.flags.contains(.invalidated) else { return }
            process(input.withoutValue) { $0.refresh(cause, &$1) }
        case .reset(let cause, let forgets):
            var plain = input.withoutValue
            plain.forgets = forgets
            process(plain) { $0.reset(cause, refetches: isEnabled, &$1) }
        case .renewed(let cause):
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
                // Caches keep the values of a session under the session's name.
                rare.allCacheSettings = []
                let computing = rare.latestComputing.map { [renewal[$0]] } ?? []
                add(.release(value: rare.latestComputing))
                rare.forgetComputing()
                for settings in computing + allSettings {
                    let own = settings.context.settings
                    if own.persistence != nil || own.computedTags != nil { register(settings, isCall: false) }
                }
                renewHandlerSettings(renewal)
            }
            process(input.withoutValue) { $0.reset(cause, refetches: isEnabled, &$1) }
            // Begin new triggers before the old ones end: a trigger may observe another store, whose run might be given up in between.
            add(.updateTriggers)
            for session in triggers { add(.endTriggers(session)) }
        }
    }

    /// Lets observers that continue in the new session keep the handlers of their requests, with contexts of the new session.
    private mutating func renewHandlerSettings(_ renewal: SettingsRenewal) {
        let former = takeHandlerSettings()
        add(.release(value: former))
        rare?.handlerSettings = former.filter { renewal[$0] === $0 }.map { WeakSettings(settings: $0) }
        for settings in outbox.observers where settings.hasHandlers { register(settings, isCall: false) }
    }
}
