/// Runs: how they begin, continue with another attempt, and end.
extension Ledger {
    // MARK: Beginning

    /// - Parameter result: A result to show in the same step, so that no state in between is published (R17).
    mutating func begin(
        _ entry: Entry,
        _ settings: Settings,
        _ start: Run.Start,
        _ callers: [Caller],
        showing result: Result<AnyValue, any Error>? = nil
    ) {
        self[entry].lastRun += 1
        let rollback = Run.Rollback(base: self[entry].base, record: self[entry].record)
        let run = Run(entry, settings, start, Run.Progress(self[entry].lastRun, start.cause, asOf: change, rollback))
        // Callers for other pages wait for a run of their own.
        for caller in callers { add(caller, to: caller.aim == run.aim ? .run(run) : .nextRun(run)) }
        let isPaused = mustPause(run)
        if run.isPrivate {
            self[entry].privateRuns.append(run)
        } else {
            self[entry].run = run
            takeChanges(run)
            self[entry].record.begin(start.cause, keepsError: isPaused)
        }
        updateUse(entry)
        if isPaused { self[run].phase = .paused(hasBegun: false) } else { startAttempt(run) }
        if settings.isConsistent { enterRound(run) }
        publish(entry, result)
    }

    /// Begins an attempt, as soon as the limits allow it.
    private mutating func startAttempt(_ run: Run) {
        if takePlaces(run) { startNow(run) } else { setPhase(run, .queued(hasBegun: self[run].attempt > 1)) }
    }

    /// A run has got its place.
    mutating func startQueued(_ run: Run) {
        guard case .queued(let hasBegun) = self[run].phase else { return }
        if mustPause(run) {
            pause(run, hasBegun: hasBegun)
        } else {
            if !hasBegun { readAsOfNow(run) }
            startNow(run)
            if run.settings.isConsistent { enterRound(run) }
        }
        publish(run.entry)
    }

    private mutating func startNow(_ run: Run) {
        setPhase(run, .working)
        let attempt = self[run].attempt
        if let timeout = run.settings.timeout {
            // Otherwise an attempt without any time could end before it is over.
            if timeout <= .zero { return timeOut(run, attempt: attempt) }
            schedule(.timeout(run, attempt), after: timeout)
        }
        effects.append(.start(run, attempt: attempt))
    }

    func counts(_ phase: Run.Phase) -> Bool { phase == .working || phase == .failing }

    func isAtWork(_ run: Run) -> Bool { counts(self[run].phase) && self[run].waits == 0 }

    mutating func setPhase(_ run: Run, _ phase: Run.Phase) {
        let (did, does) = (counts(self[run].phase), counts(phase))
        self[run].phase = phase
        if phase != .working, !phase.isQueued { leavePlaces(run) }
        guard did != does, self[run].waits == 0 else { return }
        if does { beginWork() } else { endWork() }
    }

    // MARK: Attempts

    /// An attempt has failed. Until the engine has asked what follows, nothing of the attempt counts any more: neither its values nor its
    /// time limit. Returns what the attempts have done before; `nil` if the run is over.
    mutating func fail(_ run: Run, attempt: Int) -> Run.Trials? {
        guard isUnderWay(run, attempt) else { return nil }
        let wasLive = self[run].phase == .live
        setPhase(run, .failing)
        if wasLive { publish(run.entry) }
        return self[run].trials
    }

    private func isUnderWay(_ run: Run, _ attempt: Int) -> Bool {
        isCurrent(run) && self[run].attempt == attempt && (self[run].phase == .working || self[run].phase == .live)
    }

    /// An attempt has ended.
    mutating func finish(_ run: Run, attempt: Int, _ outcome: Run.Outcome, then sequel: Run.Sequel = .end) {
        guard isUnderWay(run, attempt) || isCurrent(run) && self[run].attempt == attempt && self[run].phase == .failing else { return }
        if case .failure(let error) = outcome, continues(run, after: error, sequel) { return publish(run.entry) }
        setPhase(run, .held)
        self[run].outcome = outcome
        if case .cancelled = outcome { leaveRound(run) }
        if let round = self[run.entry].round, !run.isPrivate { close(round) } else { land([run]) }
    }

    /// Arranges the next attempt; returns false if there is none.
    private mutating func continues(_ run: Run, after error: any Error, _ sequel: Run.Sequel) -> Bool {
        var delay = Nanoseconds.zero
        switch sequel {
        case .end: return false
        case .repeats(let help): self[run].trials.helps.insert(help)
        case .retry(let after): delay = after
        case .whenOnline where network.isOffline:
            noteFailure(run, error)
            pause(run)
            return true
        case .whenOnline(let after):
            guard let after else { return false }
            delay = after
        }
        // Of what has failed without depending on the network, the next attempt doesn't either.
        if case .whenOnline = sequel { self[run].needsNetwork = true } else { self[run].needsNetwork = false }
        if case .repeats = sequel {} else { self[run].trials.retries += 1 }
        noteFailure(run, error)
        if delay <= .zero {
            proceed(run)
        } else {
            setPhase(run, .backingOff)
            leaveRound(run)
            schedule(.attempt(run, self[run].attempt), after: delay)
        }
        return true
    }

    /// R12: whether the next attempt has to wait for the network.
    private func mustPause(_ run: Run) -> Bool {
        guard network.isOffline else { return false }
        return switch run.settings.networkMode {
        case .online: true
        case .offlineFirst: self[run].needsNetwork
        case .always: false
        }
    }

    private mutating func pause(_ run: Run, hasBegun: Bool = true) {
        setPhase(run, .paused(hasBegun: hasBegun))
        leaveRound(run)
    }

    private mutating func noteFailure(_ run: Run, _ error: any Error) {
        self[run].failures += 1
        if !run.isPrivate { self[run.entry].record.setFailures(UInt32(self[run].failures), error) }
    }

    /// Begins the next attempt of a run that waits for it, or the first one of a run that was paused at its start.
    mutating func proceed(_ run: Run) {
        guard isCurrent(run) else { return }
        if case .paused(hasBegun: false) = self[run].phase {
            readAsOfNow(run)
            startAttempt(run)
            if run.settings.isConsistent { enterRound(run) }
        } else if mustPause(run) {
            pause(run)
        } else {
            self[run].attempt += 1
            startAttempt(run)
        }
    }

    /// It has read nothing so far.
    private mutating func readAsOfNow(_ run: Run) {
        self[run.entry].lastRun += 1
        self[run].number = self[run.entry].lastRun
        self[run].asOf = change
    }

    /// R26: the attempt has taken too long. What it returns later is ignored.
    mutating func timeOut(_ run: Run, attempt: Int) {
        guard isCurrent(run), self[run].attempt == attempt, self[run].phase == .working else { return }
        // The engine asks what follows, and then ends the next attempt with the error.
        self[run].attempt += 1
        setPhase(run, .failing)
        endWaits(run)
        effects.append(.cancel(run, attempt: attempt))
        effects.append(.expire(run, attempt: attempt + 1))
    }

    // MARK: Intermediate values

    /// R9: shows a value while the run continues. Returns false if it is ignored.
    mutating func yield(_ run: Run, attempt: Int, _ value: AnyValue) -> Bool {
        let entry = run.entry
        guard isCurrent(run), self[run].attempt == attempt, self[run].phase == .working, !run.isPrivate, !self[run].isSuperseded,
            self[run].number > self[entry].lastShown
        else { return false }
        // In a round, only the results are shown.
        if self[entry].round != nil || mayShowTwice(run) { return true }
        let (failures, reason) = (self[entry].record.failures, self[entry].record.failureReason)
        holdRecord(entry)
        self[entry].record.succeed(at: time)
        self[entry].record.setFailures(failures, reason)
        self[entry].record.flags.insert(.partial)
        self[entry].record.cause = self[run].cause
        self[run].rollback.hasShownOther = true
        self[run].rollback.updates += self[entry].updates
        dropUpdates(entry)
        setBase(entry, value)
        derive([entry])
        return true
    }

    /// A stream has brought an element: a result, although the run continues.
    mutating func stream(_ run: Run, attempt: Int, _ value: AnyValue) -> Bool {
        let entry = run.entry
        guard isCurrent(run), self[run].attempt == attempt, self[run].phase == .working || self[run].phase == .live else { return false }
        if run.isPrivate {
            // Its caller waits for one value.
            effects.append(.cancel(run, attempt: attempt))
            finish(run, attempt: attempt, .success(value))
            return false
        }
        let callers = self[run].callers
        self[run].callers = []
        leaveRound(run)
        let isWanted = self[entry].isObserved || !self[run].nextCallers.isEmpty
        if self[run].isSuperseded {
            // Opened before the current value was written: later elements are newer.
            if isWanted { restart(entry, self[run].trailing ?? .written) } else { stop(run, restores: false) }
            end(callers, of: run, .success(value))
            publish(entry)
            foldIfUnfetched(entry)
            return false
        }
        let wasLive = self[run].phase == .live
        (self[run].failures, self[run].trials.retries) = (0, 0)
        holdRecord(entry)
        self[entry].record.succeed(at: time)
        self[entry].record.cause = self[run].cause
        // An element is newer than all changes, but what was read before the stream was opened isn't, if another run must follow.
        if !wasLive { self[entry].asOf = self[run].asOf } else if self[run].trailing == nil { self[entry].asOf = change }
        self[entry].lastShown = max(self[entry].lastShown, self[run].number)
        dropUpdates(entry)
        setBase(entry, value)
        removeLayers(entry, self[entry].layers.filter { sight(of: $0, in: run, asOf: self[entry].asOf) == .seen })
        keepReads(run)
        let cause = self[run].trailing ?? (self[run].nextCallers.isEmpty ? nil : .manual)
        if let cause, isWanted {
            restart(entry, cause)
        } else if !self[entry].isObserved {
            stop(run, restores: false)
        } else {
            setPhase(run, .live)
            // A change that it may not have seen can still be waiting for its turn to begin another run.
            self[run].isOutdated = self[entry].isInvalidated
            rebase(entry)
        }
        derive([entry], result: .success(value))
        end(callers, of: run, .success(value))
        foldIfUnfetched(entry)
        return true
    }

    /// Ends the run of a stream and begins another one, which keeps the value.
    mutating func restart(_ entry: Entry, _ cause: QueryCause) {
        guard let run = self[entry].run else { return }
        let next = self[run].nextCallers
        stop(run, restores: false)
        let settings = next.first?.settings ?? runSettings(entry) ?? run.settings
        begin(entry, settings, Run.Start(cause: cause, isByLibrary: next.isEmpty), next)
    }

    // MARK: Ending

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

    private mutating func keepReads(_ run: Run) {
        if isListed(run.entry) { self[tables].reads.settle(slot: self[run.entry].slot, run: self[run].number) }
    }

    /// Answers the callers of a run. Those that are runs take over what it has read, and whether that has changed since (R18).
    private mutating func end(_ callers: [Caller], of run: Run, _ result: Result<AnyValue, any Error>) {
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
    }

    /// What an attempt that is over still waits for doesn't count.
    private mutating func endWaits(_ run: Run) {
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
    /// R1: a run begins. Without a value, the state becomes loading again.
    fileprivate mutating func begin(_ cause: QueryCause, keepsError: Bool) {
        flags.subtract(.simulated)
        setFailures(0, nil)
        self.cause = cause
        guard !flags.contains(.hasValue), !keepsError else { return }
        flags.remove(.failed)
        error = nil
    }

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
