/// The value, its layers, and the changes that observers see.
extension StoreContents {
    /// Applies the effects to the state. Returns the changes that observers see.
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
            guard case .success(let new) = input.result else { preconditionFailure("There is no value to accept: \(effects)") }
            // R5: an equal value is not a change unless something else has changed too. If two values are equal, the old one is kept.
            isEqual = input.comparison?.isEqual == true
            changed = !isEqual
            if !input.isFinal, changed || hasLayers { run?.hasShownOther = true }
            if input.isFinal || input.variant != .unknown { rare?.variant = input.variant }
            // `asOf` stays the same for an intermediate value, which is not a result (an element of a stream is one), and after a run of
            // some pages, because the value is as old as the pages that weren't fetched.
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
            guard let run else { preconditionFailure("There is no run to restore: \(machine)") }
            base = run.rollback
            changed = run.hasShownOther
            if hasLayers {
                changeLayers { $0.base = base.current }
                value = .some(input.layered?.restored)
            }
        case .clear:
            // In another session observers get another context, and no placeholder of the previous session.
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
        let notifiesEqual = !changed && isEqual && wantsEqual
        if changed || notifiesEqual, rare?.held == nil { record.revision = before.record.revision + 1 }
        if effects.value != .keep || changed || !record.isKnownToEqual(before.record) {
            let replaced = before
            state = value.map { StateBox(record: record, current: $0, byteCount: input.byteCount) } ?? base.with(record)
            // If the new state has the same objects as the replaced one, or the state that a run under way would restore has them, nothing
            // is deallocated here.
            if !replaced.isCovered(by: state), run.map({ replaced.isCovered(by: $0.rollback) }) != true { release(replaced) }
        }
        if effects.rebases, let run {
            release(run.rollback)
            run.rollback = settledBase(of: state)
            run.hasShownOther = false
        }
        return changed ? .state : notifiesEqual ? .equalState : []
    }

    /// Replaces the base beneath the layers, and removes the layers whose effect the new base includes. Returns the visible value.
    private mutating func land(_ new: AnyValue, _ input: StoreInput) -> AnyValue? {
        guard let layered = input.layered else { preconditionFailure("A value landed, but the layers over it were not computed") }
        changeLayers { layers in
            layers = layered.staying
            layers.base = new
        }
        return layered.accepted
    }

    /// Whether a result must not be shown at all, because it was read while a mutation took effect: it might be wrong with the mutation's
    /// layers as well as without them.
    ///
    /// Only one result in a row is discarded: with frequent writes, a slow run might otherwise never bring a value. If the next result is
    /// unsure too, it is shown and the layers are kept.
    mutating func mustDiscard(_ input: StoreInput) -> Bool {
        guard input.layered?.isUnsure == true, let run = machine.run, run.number == input.run, !run.isSuperseded else { return false }
        guard let rare, rare.discardedRun != run.number - 1 else { return false }
        let number = run.number
        rare.discardedRun = number
        return true
    }

    /// Changes the layers or the base. The previous ones are released outside the lock.
    private mutating func changeLayers(_ change: (inout LayerStack) -> Void) {
        guard let rare else { return }
        add(.release(value: rare.layers))
        change(&rare.layers)
    }

    /// A state without the run under way and without layers.
    func settledBase(of state: StateBox) -> StateBox {
        let settled = state.settled
        guard let rare, !rare.layers.isEmpty else { return settled }
        return StateBox(record: settled.record, current: rare.layers.base, byteCount: settled.byteCount)
    }
}

extension StateBox {
    /// The state without the run under way.
    fileprivate var settled: StateBox {
        var record = self.record
        guard !record.flags.isDisjoint(with: .running) else { return self }
        record.flags.subtract(.running)
        return with(record)
    }

    /// Whether releasing this state deallocates nothing as long as `other` exists.
    fileprivate func isCovered(by other: StateBox) -> Bool { hasSameValue(as: other) && record.sharesDetails(with: other.record) }
}
