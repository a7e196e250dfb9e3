import Foundation

/// Calls of mutations: how they end, and what the app does with them.
extension Ledger {
    // MARK: Ending

    /// Its layers stay until the entries have seen what it has done, or won't be fetched again (R22).
    mutating func succeed(_ call: CallEntry, _ value: AnyValue, _ patterns: [QueryPattern]) {
        leaveScope(call)
        let entries = self[call].layers.map(\.entry)
        self[call].commit = change.next
        holdShown(call)
        move(call, to: .landing(value))
        if let own = call.shown?.entry {
            take(value, of: call)
            derive([own])
        }
        var marked: Set<Entry> = []
        let concerned = (unchanged(by: call) + patterns.flatMap { matches($0) }).filter { marked.insert($0).inserted }
        mark(concerned, patterns.first.map { .invalidated($0) } ?? .manual, .active)
        finish(call, .success(value))
        for entry in entries { foldIfUnfetched(entry) }
        endIfLanded(call)
        advance(scope: call.scope)
    }

    /// Ends a call without a result to keep.
    mutating func end(_ call: CallEntry, _ result: Result<AnyValue, any Error>) { end([call], result) }

    /// Ends calls in one step, before others of their scopes begin.
    ///
    /// - Parameter isKept: Whether they stay in the journal, so that a resumption makes them again.
    private mutating func end(_ ended: [CallEntry], _ result: Result<AnyValue, any Error>, isKept: Bool = false) {
        var entries: [Entry] = []
        for call in ended {
            leaveScope(call)
            holdShown(call)
            move(call, to: .ended(result))
            if case .failure(let error) = result, !(error is CancellationError) { take(error, of: call) }
            calls[call.number] = nil
            trash.add(call)
            entries += showing(call, dropLayers(call))
        }
        var known: Set<Entry> = []
        derive(entries.filter { known.insert($0).inserted })
        for call in ended { foldAfterDropping(call) }
        for call in ended { if isKept { keep(call, result) } else { finish(call, result) } }
        for call in ended { advance(scope: call.scope) }
    }

    /// The last step of a call: the journal forgets it, and those who wait for it continue.
    private mutating func finish(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        callHandlers(call, result)
        if call.isDurable {
            self[call].isLeavingJournal = true
            resumption?.known.insert(call.id)
            write(.remove, call)
        } else {
            answerCallers(call, result)
        }
    }

    /// The last step of a call that stays in the journal.
    private mutating func keep(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        callHandlers(call, result)
        answerCallers(call, result)
        guard call.isDurable else { return }
        self[call].isKept = true
        kept[call.id] = call
        // Any client may make it from now on.
        if call.isShared { write(.release, call) }
    }

    /// The journal has forgotten the call.
    mutating func removed(_ call: CallEntry) {
        finishWriting()
        self[call].isLeavingJournal = false
        if let result = self[call].state.result { answerCallers(call, result) }
    }

    private mutating func callHandlers(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        guard call.handlers != nil else { return }
        beginWork()
        effects.append(.callHandlers(call, result))
    }

    private mutating func cancelAttempt(_ call: CallEntry) {
        if case .working(let attempt) = self[call].state { effects.append(.cancelCall(call, attempt: attempt)) }
        endWaits(call)
    }

    // MARK: By hand

    /// Ends a call, wherever it is, and removes it from the journal.
    mutating func withdraw(_ call: CallEntry, _ error: any Error = CancellationError()) { withdraw([call], error) }

    mutating func withdraw(_ withdrawn: [CallEntry], _ error: any Error = CancellationError()) {
        let ended = withdrawn.filter { self[$0].state.result == nil }
        stop(ended, .failure(error))
        for call in withdrawn {
            if self[call].isKept {
                forgetKept(call.id)
                self[call].isKept = false
                resumption?.known.insert(call.id)
                write(.remove, call)
                // It may have been resumed since then.
                if let again = calls.values.first(where: { $0.id == call.id }) { withdraw(again, error) }
            }
            // A call that has the key of this one is the same for the server.
            if let successor = self[call].successor, successor.id == call.id { withdraw(successor, error) }
        }
    }

    /// R24: the calls of a mutation that is cancelled or reset by itself end. Those in the journal stay there.
    mutating func endCalls(of own: Entry) { stop(self[own].calls, .failure(CancellationError()), isKept: true) }

    mutating func stop(_ ended: [CallEntry], _ result: Result<AnyValue, any Error>, isKept: Bool = false) {
        for call in ended { cancelAttempt(call) }
        end(ended, result, isKept: isKept)
        for call in ended {
            noteFirstAttempt(of: call)
            passOn(call)
        }
    }

    /// Makes a call instead of one that has ended without success. Returns the one that counts.
    mutating func submit(_ call: CallEntry, insteadOf former: CallEntry) -> CallEntry {
        if let successor = self[former].successor { return successor }
        self[former].successor = call
        if call.id == former.id {
            // The journal has the call, or gets it again.
            forgetKept(call.id)
            self[former].isKept = false
        } else if let own = former.shown?.entry {
            _ = noteReplacement(of: former.id, own)
        }
        submit(call)
        return call
    }

    /// Repeats a call that the log of its mutation shows. Returns the one that counts; `nil` if another one was made instead already.
    mutating func submit(_ call: CallEntry, insteadOf former: UUID) -> CallEntry? {
        guard let own = call.shown?.entry else { return nil }
        if call.id == former {
            if let known = self[own].calls.first(where: { $0.id == former }) { return known }
            forgetKept(former)
        } else if !noteReplacement(of: former, own) {
            return nil
        }
        submit(call)
        return call
    }

    /// A call that stays in the journal is made again, or removed.
    mutating func forgetKept(_ id: UUID) { if let former = kept.removeValue(forKey: id) { self[former].isKept = false } }

    // MARK: The end of a session

    /// R24: durable calls stay in the journal for their session.
    mutating func endWithSession(_ call: CallEntry) {
        if self[call].state.result == nil {
            let result = Result<AnyValue, any Error>.failure(CancellationError())
            cancelAttempt(call)
            move(call, to: .ended(result))
            keep(call, result)
        }
        for (entry, layer) in self[call].layers { self[entry].layers.removeAll { $0 === layer } }
        trash.add(self[call].layers.map(\.layer))
        self[call].layers = []
        trash.add(call)
        for (entry, _) in call.layers { updateUse(entry) }
    }

    /// A batch was not entered before its session has ended. Its durable calls are made in the next session of that user.
    mutating func drop(_ changes: [Change]) {
        for case .call(let call) in changes where self[call].state.result == nil {
            if call.isDurable { write(.append, call) }
            endWithSession(call)
        }
    }
}
