/// Runs: how they end, and what is shown then.
extension Ledger {
    /// Asks what the results of runs show, and ends all of them in one step.
    mutating func land(_ runs: [Run]) {
        var shown: [Run] = []
        for run in runs where !reject(run) {
            // If the result isn't shown, the entry may still be asked for what it shows together with the others.
            if runs.count == 1 && isPlain(run) || isIgnored(run) { end(run, nil) } else { shown.append(run) }
        }
        if !shown.isEmpty { ask(questions(shown)) }
    }

    /// Whether no code of the app decides what the result shows.
    private func isPlain(_ run: Run) -> Bool {
        guard case .success? = self[run].outcome, !isIgnored(run) else { return true }
        let entry = run.entry
        return self[entry].layers.isEmpty && self[entry].updates.isEmpty && self[entry].joint.isEmpty
            && (!entry.isComparable || self[entry].value == nil)
    }

    /// - Parameter answer: What the result shows; `nil` if that is the result itself.
    mutating func end(_ run: Run, _ answer: Question?) {
        let entry = run.entry
        guard isCurrent(run), let outcome = self[run].outcome else { return }
        let (callers, next, isOutdated) = (self[run].callers, self[run].nextCallers, self[run].isOutdated)
        let isIgnored = isIgnored(run)
        self[run].callers = []
        note(endOf: run, outcome, isRefused: isIgnored)
        if case .success = outcome, !isIgnored { self[run].changes = nil }
        takeOut(run)
        switch outcome {
        case .success(let value) where !isIgnored: accept(value, of: run, answer)
        case .failure(let error) where !isIgnored:
            // Its reads stay beside those of the value: a change of either may end the failure (R18).
            self[entry].lastShown = max(self[entry].lastShown, self[run].number)
            self[entry].record.fail(error, at: time)
            self[entry].record.setFailures(UInt32(self[run].failures) + 1, error)
            self[entry].record.cause = run.isPrivate ? .manual : self[run].cause
        case .success, .failure:
            self[entry].record.cause = self[run].isSuperseded ? .written : .manual
            if self[entry].record.error == nil { self[entry].record.setFailures(0, nil) }
        case .cancelled:
            // A private run has shown nothing, and others may have since.
            if !run.isPrivate { restore(entry, self[run].rollback) }
        }
        let shown = if case .cancelled = outcome { Result<AnyValue, any Error>?.none } else { isIgnored ? nil : outcome.result }
        let isUnfollowed = shown != nil && markUnfollowed(run)
        let cause = self[run].trailing ?? (next.isEmpty ? nil : .manual)
        if let cause, !run.isPrivate {
            let isByCaller = !next.isEmpty && (self[run].trailing == nil || !self[entry].isObserved)
            let settings = isByCaller ? next[0].settings : runSettings(entry) ?? run.settings
            let aim = isByCaller ? next[0].aim : .everything
            begin(entry, settings, Run.Start(cause: cause, aim: aim, isByLibrary: !isByCaller), next, showing: shown)
        } else {
            publish(entry, shown)
        }
        end(callers, of: run, outcome.result)
        // No run follows a private one by itself, nor one that is older than a private one that was shown.
        let mayBeStale = run.isPrivate ? isOutdated : isIgnored
        if mayBeStale, self[entry].isObserved, self[entry].isInvalidated, self[entry].run == nil { want(entry, .stale) }
        if isUnfollowed { dropLanded(entry) } else { foldIfUnfetched(entry) }
    }

    func isIgnored(_ run: Run) -> Bool {
        let entry = run.entry
        if self[run].isWithheld { return true }
        // Some pages replace those of the value from which they were fetched, and no newer ones.
        if run.isPrivate, run.aim != .everything, !isIdentical(self[run].rollback.base, self[entry].base) { return true }
        if run.isPrivate { return self[run].number <= self[entry].lastShown || self[run].number <= self[entry].lastOverwritten }
        return self[run].isSuperseded || self[run].number < self[entry].lastShown
    }

    private mutating func accept(_ value: AnyValue, of run: Run, _ answer: Question?) {
        let entry = run.entry
        // The other pages are as old as before.
        let isPart = run.aim != .everything && self[entry].record.flags.contains(.hasValue)
        let valueTime = self[entry].record.valueTime
        self[entry].record.succeed(at: isPart ? valueTime : time)
        self[entry].record.cause = run.isPrivate ? .manual : self[run].cause
        if !isPart {
            // A mark of another run of the entry doesn't concern what this one has read.
            self[entry].asOf = self[run].isOutdated ? self[run].asOf : max(self[run].asOf, self[entry].marked)
            keepReads(run)
        }
        self[entry].lastShown = max(self[entry].lastShown, self[run].number)
        // An update supersedes the runs before it, so this run has begun after those that are left.
        dropUpdates(entry)
        setBase(entry, value)
        self[entry].isFinal = !run.isPrivate
        if let answer { removeLayers(entry, answer.landed) }
        self[entry].shownInputs = self[entry].inputs
        self[entry].shownRecord = nil
        trash.add(self[entry].joint)
        self[entry].joint = []
        if let answer { show(entry, answer) } else { show(entry, value) }
        if run.isPrivate { rebase(entry) }
    }

    mutating func keepReads(_ run: Run) {
        if isListed(run.entry) { self[tables].reads.settle(slot: self[run.entry].slot, run: self[run].number) }
    }

    /// Answers the callers of a run. Those that are runs take over what it has read, and whether that has changed since (R18).
    mutating func end(_ callers: [Caller], of run: Run, _ result: Result<AnyValue, any Error>) {
        for caller in callers {
            handOver(run, to: caller)
            answer(caller, result, after: run.entry)
        }
    }

    /// Gives a run up. Its callers are answered by the caller of this method.
    mutating func stop(_ run: Run, restores: Bool = true) {
        guard isCurrent(run) else { return }
        let isLive = self[run].phase == .live
        takeOut(run)
        effects.append(.cancel(run, attempt: self[run].attempt))
        // The element of a stream was a result, so it stays.
        if restores, !isLive, !run.isPrivate { restore(run.entry, self[run].rollback) }
    }

    /// Removes a run from its entry and from all counts.
    private mutating func takeOut(_ run: Run) {
        let entry = run.entry
        if let changes = self[run].changes { self[entry].changes?.merge(changes) }
        endWaits(run)
        setPhase(run, .held)
        leaveRound(run)
        let (recurring, progress) = run.notes.withLock { $0.end() }
        trash.add(recurring)
        trash.add(progress)
        if run.isPrivate { self[entry].privateRuns.removeAll { $0 === run } } else { self[entry].run = nil }
        trash.add(run)
        updateUse(entry)
        review(entry)
    }

    /// What an attempt that is over still waits for doesn't count.
    mutating func endWaits(_ run: Run) {
        if self[run].waits > 0, counts(self[run].phase) { beginWork() }
        self[run].waits = 0
        trash.add(self[run].awaited)
        for wait in self[run].elsewhere { trash.add(wait.holder) }
        self[run].elsewhere = []
        trash.add(self[run].awaitedCalls)
        (self[run].awaited, self[run].awaitedCalls) = ([], [])
    }

    /// Shows what was shown before a run that is given up.
    private mutating func restore(_ entry: Entry, _ rollback: Run.Rollback) {
        let hasShownOther = rollback.hasShownOther
        holdRecord(entry)
        self[entry].record = rollback.record
        self[entry].record.cause = .cancelled
        guard hasShownOther else {
            if self[entry].shownInputs == self[entry].inputs { self[entry].shownRecord = nil }
            return
        }
        setBase(entry, rollback.base)
        self[entry].updates = rollback.updates + self[entry].updates
        derive([entry])
    }

    /// A run that is given up later restores what is shown now.
    mutating func rebase(_ entry: Entry) {
        guard let run = self[entry].run else { return }
        self[run].rollback = Run.Rollback(base: self[entry].base, record: self[entry].record)
    }

    /// Ends a run for all who wait for it.
    mutating func cancel(_ entry: Entry) {
        self[entry].lastShown = self[entry].lastRun
        guard let run = self[entry].run else { return }
        let callers = self[run].callers + self[run].nextCallers
        stop(run)
        publish(entry)
        for caller in callers { answer(caller, .failure(CancellationError()), after: entry) }
        foldIfUnfetched(entry)
    }
}

extension QueryRecord {
    /// A value has become the result.
    mutating func succeed(at time: QueryTimestamp) {
        flags.subtract([.partial, .simulated, .failed, .placeholder])
        flags.formUnion([.succeeded, .hasValue])
        error = nil
        valueCount &+= 1
        valueTime = time
        setFailures(0, nil)
    }
}
