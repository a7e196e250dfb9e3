/// The reports of a store to the monitor of its client. Counting is always on; events are created only while there are listeners.
extension StoreCore {
    // MARK: Runs

    /// Counts and reports a run that begins. If `isMiss` is `true`, a cache miss is counted and reported first.
    func noteStart(_ cause: QueryCause, on clock: any QueryClock, isMiss: Bool = false) -> RunTrace {
        let (trace, notice) = host.monitor.runStarted(ticket.source, at: clock.now, isMiss: isMiss) { path }
        if let listeners = notice.listeners {
            if isMiss { report(.miss, .manual, at: trace.start, to: listeners) }
            report(.runStarted, cause, run: trace.number, at: trace.start, to: listeners)
        }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
        return trace
    }

    /// Counts and reports the end of a run. A run that was given up was counted at that time, so only its late result is reported.
    func noteEnd(
        _ trace: RunTrace,
        _ outcome: RunOutcome,
        _ cause: QueryCause,
        at instant: QueryInstant,
        isIgnored: Bool = false,
        wasGivenUp: Bool = false
    ) {
        if wasGivenUp {
            guard host.wantsEvents, let listeners = host.monitor.feed.listeners else { return }
            return reportEnd(trace, outcome, cause, nil, at: instant, isIgnored: isIgnored, to: listeners)
        }
        let notice = host.monitor.runEnded(trace, outcome.end, at: instant)
        if let listeners = notice.listeners {
            let duration = Duration.nanoseconds(trace.nanoseconds(to: instant))
            reportEnd(trace, outcome, cause, duration, at: instant, isIgnored: isIgnored, to: listeners)
        }
        if let tally = notice.examines { host.examineAlerts(tally, cause) }
    }

    private func reportEnd(
        _ trace: RunTrace,
        _ outcome: RunOutcome,
        _ cause: QueryCause,
        _ duration: Duration?,
        at instant: QueryInstant,
        isIgnored: Bool,
        to listeners: EventListeners
    ) {
        let reason: QueryEvent.Reason? = isIgnored ? (duration == nil ? .runOver : .overtaken) : nil
        switch outcome {
        case .success:
            let kind: QueryEvent.Kind = isIgnored ? .resultDropped : .runSucceeded
            report(kind, cause, run: trace.number, duration, reason, at: instant, to: listeners)
        case .failure(let error):
            let kind: QueryEvent.Kind = isIgnored ? .resultDropped : .runFailed
            report(kind, cause, error, run: trace.number, duration, reason, at: instant, to: listeners)
        case .cancelled:
            if !isIgnored { report(.runCancelled, cause, run: trace.number, duration, at: instant, to: listeners) }
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

    // MARK: Lookups

    /// Counts a cache lookup of a caller that accepts a fresh value. Requests whose values are never fresh are not counted.
    func noteLookup(isHit: Bool, _ settings: RequestSettings) {
        if settings.isNeverFresh { return }
        let notice = host.monitor.lookedUp(ticket.source, isHit: isHit) { path }
        if let listeners = notice.listeners { report(isHit ? .hit : .miss, .manual, at: context.clock.now, to: listeners) }
        if let tally = notice.examines { host.examineAlerts(tally, .manual) }
    }

    /// Reports an event, if there are listeners.
    func report(
        _ kind: QueryEvent.Kind,
        _ cause: QueryCause,
        _ error: (any Error)? = nil,
        run: Int? = nil,
        _ duration: Duration? = nil,
        _ reason: QueryEvent.Reason? = nil
    ) {
        guard host.wantsEvents, let listeners = host.monitor.feed.listeners else { return }
        report(kind, cause, error, run: run, duration, reason, at: context.clock.now, to: listeners)
    }

    private func report(
        _ kind: QueryEvent.Kind,
        _ cause: QueryCause,
        _ error: (any Error)? = nil,
        run: Int? = nil,
        _ duration: Duration? = nil,
        _ reason: QueryEvent.Reason? = nil,
        at instant: QueryInstant,
        to listeners: EventListeners
    ) {
        let settings = contents.withBasis { basis, _ in basis.base }
        let store = ticket.id
        listeners.send {
            EventNote(
                kind: kind,
                settings: settings,
                store: store,
                cause: cause,
                instant: instant,
                error: error,
                run: run,
                duration: duration,
                reason: reason
            )
        }
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
