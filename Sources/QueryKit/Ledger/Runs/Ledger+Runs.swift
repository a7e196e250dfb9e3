/// Runs: how they begin, and continue with another attempt.
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
        review(run.entry)
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

    func isUnderWay(_ run: Run, _ attempt: Int) -> Bool {
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
}
