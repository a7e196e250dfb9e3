/// The value, what lies over it, and what an observer sees of a change.
extension StoreContents {
    /// Brings the state in line with the effects; returns what an observer would see.
    mutating func apply(
        _ effects: RunMachine.Effects,
        _ input: StoreInput,
        _ before: StateBox,
        _ after: consuming QueryRecord
    ) -> StateChanges {
        var base = before
        var record = after
        var value: AnyValue??
        var changed = false
        var isEqual = false
        let hasLayers = rare?.layers.isEmpty == false
        switch effects.value {
        case .keep:
            break
        case .accept:
            guard case .success(let new) = input.result else { preconditionFailure("A value to accept is missing: \(effects)") }
            // R5: equality counts only where nothing else changed either, and of two equal values the old one stays.
            isEqual = input.comparison?.isEqual == true
            changed = !isEqual
            if !input.isFinal, changed || hasLayers { run?.hasShownOther = true }
            if input.isFinal || input.variant != .unknown { rare?.variant = input.variant }
            // An intermediate value is nobody's result, and pages are as old as those that a run has not fetched again.
            if input.isFinal || input.run != nil, !effects.isPart {
                asOf = input.asOf ?? (input.run == run?.number ? run?.asOf : nil) ?? latest
                if let rare, rare.isConsistent { rare.missed = record.flags.contains(.invalidated) ? asOf.next : nil }
            }
            if hasLayers {
                value = .some(land(new, input))
            } else {
                value = isEqual && !wantsEqual ? .some(state.current) : .some(new)
                if isEqual { add(.releaseValue(new)) }
            }
        case .restore:
            guard let run else { preconditionFailure("A run to restore is missing: \(machine)") }
            base = run.rollback
            changed = run.hasShownOther
            if hasLayers {
                changeLayers { $0.base = base.current }
                value = .some(input.layered?.restored)
            }
        case .clear:
            // In another session observers see another context, and no stand-in of the former one.
            changed = base.current != nil || record.cause == .session
            value = .some(nil)
            rare?.missed = nil
            if hasLayers { changeLayers { $0.base = nil } }
        case .relayer:
            changed = input.comparison?.isEqual != true
            value = .some(input.shown)
        }
        if effects.value != .keep { valueNumber &+= 1 }
        if rare?.layers.isEmpty == false, (value ?? base.current) != nil {
            record.flags.insert(.optimistic)
        } else {
            record.flags.remove(.optimistic)
        }
        if !changed, !record.looksLike(before.record) { changed = true }
        let isHeardEqual = !changed && isEqual && wantsEqual
        if changed || isHeardEqual, rare?.held == nil { record.revision = before.record.revision + 1 }
        if effects.value != .keep || changed || !record.isKnownToEqual(before.record) {
            let replaced = before
            state = value.map { StateBox(record: record, current: $0, byteCount: input.byteCount) } ?? base.with(record)
            // What was there before a run is held by that.
            if !replaced.isCovered(by: state), run.map({ replaced.isCovered(by: $0.rollback) }) != true { release(replaced) }
        }
        if effects.rebases, let run {
            release(run.rollback)
            run.rollback = settledBase(of: state)
            run.hasShownOther = false
        }
        return changed ? .state : isHeardEqual ? .equalState : []
    }

    /// A new base slides under the layers, and those go that it makes needless. Returns what shows.
    private mutating func land(_ new: AnyValue, _ input: StoreInput) -> AnyValue? {
        guard let layered = input.layered else { preconditionFailure("A value landed beneath layers that were not asked") }
        changeLayers { layers in
            layers = layered.staying
            layers.base = new
        }
        return layered.accepted
    }

    /// Whether a result may be shown neither with the layers of a mutation nor without them, because it was read just when that took effect.
    ///
    /// Only once in a row: a run that reads for long might never bring a value where others write all the time. Then the layers stay.
    mutating func isDoubtful(_ input: StoreInput) -> Bool {
        guard input.layered?.isUnsure == true, let run = machine.run, run.number == input.run, !run.isSuperseded else { return false }
        guard let rare, rare.doubtedRun != run.number - 1 else { return false }
        let number = run.number
        rare.doubtedRun = number
        return true
    }

    /// Changes the layers, or the value beneath them. What was there is released outside the lock.
    private mutating func changeLayers(_ change: (inout LayerStack) -> Void) {
        guard let rare else { return }
        add(.release(value: rare.layers))
        change(&rare.layers)
    }

    /// A state without the run that is under way, and without layers.
    func settledBase(of state: StateBox) -> StateBox {
        let settled = state.settled
        guard let rare, !rare.layers.isEmpty else { return settled }
        return StateBox(record: settled.record, current: rare.layers.base, byteCount: settled.byteCount)
    }
}

extension StateBox {
    /// The state without the run that is under way.
    fileprivate var settled: StateBox {
        var record = self.record
        guard !record.flags.isDisjoint(with: .running) else { return self }
        record.flags.subtract(.running)
        return with(record)
    }

    /// Whether nothing ends when this state goes and another one stays.
    fileprivate func isCovered(by other: StateBox) -> Bool { hasSameValue(as: other) && record.sharesDetails(with: other.record) }
}
