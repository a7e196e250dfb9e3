/// What a store tells the monitor of its client. Counting is always done; an event is made only while somebody listens.
extension StoreCore {
    // MARK: Runs

    /// Counts and reports a run that begins, and before it a cache miss if `isMiss`.
    func noteStart(_ cause: QueryCause, on clock: any QueryClock, isMiss: Bool = false) -> RunTrace {
        let (trace, notice) = host.monitor.runStarted(ticket.source, at: clock.now, isMiss: isMiss) { path }
        if notice.isHeard {
            if isMiss { report(.miss, .manual) }
            report(.runStarted, cause, run: trace.number)
        }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
        return trace
    }

    /// Counts a run that ended, and reports it. One that was given up before was counted then, and only what it brings now is reported.
    func noteEnd(
        _ trace: RunTrace,
        _ outcome: RunOutcome,
        _ cause: QueryCause,
        at instant: QueryInstant,
        isIgnored: Bool = false,
        wasGivenUp: Bool = false
    ) {
        if wasGivenUp { return reportEnd(trace, outcome, cause, nil, isIgnored: isIgnored) }
        let notice = host.monitor.runEnded(trace, outcome.end, at: instant)
        if notice.isHeard { reportEnd(trace, outcome, cause, .nanoseconds(trace.nanoseconds(to: instant)), isIgnored: isIgnored) }
        if let tally = notice.examines { host.examineAlerts(tally, cause) }
    }

    private func reportEnd(_ trace: RunTrace, _ outcome: RunOutcome, _ cause: QueryCause, _ duration: Duration?, isIgnored: Bool) {
        let reason: QueryEvent.Reason? = isIgnored ? (duration == nil ? .runOver : .overtaken) : nil
        switch outcome {
        case .success: report(isIgnored ? .resultDropped : .runSucceeded, cause, run: trace.number, duration, reason)
        case .failure(let error): report(isIgnored ? .resultDropped : .runFailed, cause, error, run: trace.number, duration, reason)
        case .cancelled: if !isIgnored { report(.runCancelled, cause, run: trace.number, duration) }
        }
    }

    /// Counts and reports a run that was given up from outside.
    func noteGivenUp(_ run: StoreRun) {
        guard let trace = run.trace else { return }
        noteEnd(trace, .cancelled, run.start.cause, at: context.clock.now)
    }

    /// Counts an attempt that failed and is followed by another.
    func noteFailedAttempt(_ start: RunStart, _ error: any Error) {
        host.monitor.attemptFailed(ticket.source) { path }
        report(.attemptFailed, start.cause, error, run: number(of: start))
    }

    func noteIgnoredYield(_ start: RunStart, isRunning: Bool) {
        report(.resultDropped, start.cause, run: number(of: start), nil, start.isPrivate ? .privateRun : isRunning ? .overtaken : .runOver)
    }

    /// The number of a run among all of the client, as long as it is under way.
    func number(of start: RunStart) -> Int? {
        guard host.wantsEvents else { return nil }
        return contents.withLock { $0.run?.number == start.number ? $0.run?.trace?.number : nil }
    }

    // MARK: Look-ups

    /// Counts a caller who would take a fresh value from the cache, of a request whose values can be fresh.
    func noteLookup(isHit: Bool, _ settings: RequestSettings) {
        if settings.isNeverFresh { return }
        let notice = host.monitor.lookedUp(ticket.source, isHit: isHit) { path }
        if notice.isHeard { report(isHit ? .hit : .miss, .manual) }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
    }

    /// Makes an event, if anybody wants one.
    func report(
        _ kind: QueryEvent.Kind,
        _ cause: QueryCause,
        _ error: (any Error)? = nil,
        run: Int? = nil,
        _ duration: Duration? = nil,
        _ reason: QueryEvent.Reason? = nil
    ) {
        guard host.wantsEvents else { return }
        let now = context.clock.now
        host.report(
            QueryEvent(kind: kind, path: path, cause: cause, instant: now, error: error, run: run, duration: duration, reason: reason)
        )
    }
}

extension StoreTicket {
    /// The store as the monitor knows it.
    fileprivate var source: PrefixTallies.Source { PrefixTallies.Source(slot: slot, generation: generation) }
}

extension RunOutcome {
    fileprivate var end: RunTally.End {
        switch self {
        case .success: .succeeded
        case .failure: .failed
        case .cancelled: .cancelled
        }
    }
}
