/// The reports of a store to the monitor of its client. Counting is always on; events are created only while there are listeners.
extension StoreCore {
    // MARK: Runs

    /// Counts and reports a run that begins. If `isMiss` is `true`, a cache miss is counted and reported before.
    func noteStart(_ cause: QueryCause, on clock: any QueryClock, isMiss: Bool = false) -> RunTrace {
        let (trace, notice) = host.monitor.runStarted(ticket.source, at: clock.now, isMiss: isMiss) { path }
        if notice.hasListeners {
            if isMiss { report(.miss, .manual) }
            report(.runStarted, cause, run: trace.number)
        }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
        return trace
    }

    /// Counts and reports the end of a run. A run that was given up was counted then, so only its late result is reported.
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
        if notice.hasListeners { reportEnd(trace, outcome, cause, .nanoseconds(trace.nanoseconds(to: instant)), isIgnored: isIgnored) }
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

    /// Counts and reports a run that was given up before it ended.
    func noteGivenUp(_ run: StoreRun) {
        guard let trace = run.trace else { return }
        noteEnd(trace, .cancelled, run.start.cause, at: context.clock.now)
    }

    /// Counts a failed attempt that another one will follow.
    func noteFailedAttempt(_ start: RunStart, _ error: any Error) {
        host.monitor.attemptFailed(ticket.source) { path }
        report(.attemptFailed, start.cause, error, run: number(of: start))
    }

    func noteIgnoredYield(_ start: RunStart, isRunning: Bool) {
        report(.resultDropped, start.cause, run: number(of: start), nil, start.isPrivate ? .privateRun : isRunning ? .overtaken : .runOver)
    }

    /// The number of a run among all runs of the client, while it is under way.
    func number(of start: RunStart) -> Int? {
        guard host.wantsEvents else { return nil }
        return contents.withLock { $0.run?.number == start.number ? $0.run?.trace?.number : nil }
    }

    // MARK: Look-ups

    /// Counts a cache lookup of a caller that accepts a fresh value. Requests whose values are never fresh are not counted.
    func noteLookup(isHit: Bool, _ settings: RequestSettings) {
        if settings.isNeverFresh { return }
        let notice = host.monitor.lookedUp(ticket.source, isHit: isHit) { path }
        if notice.hasListeners { report(isHit ? .hit : .miss, .manual) }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
    }

    /// Creates and reports an event, if there are listeners.
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
            QueryEvent(
                kind: kind,
                path: path,
                cause: cause,
                instant: now,
                error: error,
                run: run,
                duration: duration,
                reason: reason,
                store: ticket.id
            )
        )
    }
}

extension StoreTicket {
    /// The identity of the store in the monitor.
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
