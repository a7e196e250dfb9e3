/// The run of one caller in a store in which nothing else goes on, which is what most fetches are.
///
/// Such a store needs no machine, no list of callers and no outbox: its basis holds the run, and that its caller. Whatever else happens to
/// the store first opens the contents, which go on as if they had been there from the start. What a run changes is decided by
/// ``RunMachine`` in both cases.
extension StoreCore {
    /// Begins a run for a caller, whose settings are plain, if nothing else goes on here; `false` if something does.
    func beginAlone(_ waiter: Waiter, _ settings: RequestSettings) -> Bool {
        let now = waiter.takesFresh ? settings.context.clock.now : .never
        let begun = contents.withQuietBasis { basis -> (StoreRun, RequestSettings?, needsAttention: Bool)? in
            guard basis.isUpToDate(with: host), settings.context.owner?.isEnded != true, !Task.isCancelled else { return nil }
            if waiter.takesFresh, !basis.state.record.isStale(at: now, ttl: settings.context.settings.span) { return nil }
            basis.lastRun += 1
            let start = RunStart(number: basis.lastRun, cause: .manual, origin: .caller)
            let run = StoreRun(of: self, start: start, settings: settings, asOf: basis.latest, rollback: basis.state)
            waiter.run = start.number
            run.loneWaiter = waiter
            run.loneState = basis.state
            basis.loneRun = run
            let replaced = settings === basis.caller ? nil : basis.caller
            basis.caller = settings
            host.work.count(true)
            return (run, replaced, host.update(ticket, basis.activity(run: start.number)))
        }
        guard let (run, _, needsAttention) = begun else { return false }
        if needsAttention { host.attend() }
        begin(run, isMiss: waiter.takesFresh)
        return true
    }

    /// Ends such a run with its value; `false`, and nothing is done, if it is not alone any more.
    func endAlone(_ run: StoreRun, _ value: AnyValue) -> Bool {
        guard let waiter = run.loneWaiter else { return false }
        let clock = run.storeContext.clock
        let time = QueryTimestamp(now: clock)
        let byteCount = typing.byteCount(of: value)
        let isClientTime = host.isClock(clock)
        let former = run.loneState?.current
        let isEqual = former.map { typing.areEqual?($0, value) == true } ?? false
        let needsAttention = contents.withLoneBasis(of: run) { basis -> Bool? in
            guard basis.isUpToDate(with: host) else { return nil }
            var record = basis.state.record
            RunMachine.goThrough(run.number, at: time, &record)
            let keepsFormer = isEqual && !(basis.caller ?? basis.base).notifiesEqual
            // The run still holds the former state, so nothing is released with the lock held.
            basis.state = StateBox(record: record, current: keepsFormer ? former : value, byteCount: byteCount)
            basis.valueNumber &+= 1
            basis.asOf = run.asOf
            basis.loneRun = nil
            return host.update(ticket, basis.activity(landedRun: run.number, now: isClientTime ? time.instant : nil))
        }
        guard let needsAttention else { return false }
        if let trace = run.trace { noteEnd(trace, .success, run.start.cause, at: time.instant) }
        // In this order, for a test that awaits `settled()` and then moves the clock: see ``StoreActions/endWork``.
        if needsAttention { host.attend() }
        host.work.count(false)
        waiter.resume(.success(value))
        return true
    }
}

extension StoreBasis {
    /// Whether the store has taken all changes of its client, and is without anything that changes how a run begins or ends.
    fileprivate func isUpToDate(with host: any StoreHost) -> Bool {
        rare == nil && host.latestChange == latest
    }

    fileprivate func activity(run: Int32 = 0, landedRun: Int32 = 0, now: QueryInstant? = nil) -> StoreActivity {
        StoreActivity(
            run: run,
            landedRun: landedRun,
            isRunning: run != 0,
            isObserved: false,
            isEmpty: !state.record.hasResult,
            retention: retention,
            byteCount: state.byteCount,
            now: now
        )
    }
}

extension StoreContents {
    /// Goes on with a run that was alone so far.
    mutating func take(_ run: StoreRun) {
        guard let waiter = run.loneWaiter else { return }
        var record = state.record
        machine = RunMachine(after: run.number - 1)
        _ = machine.fetch(&record)
        record.revision += 1
        // The run holds the state from before.
        state = state.with(record)
        waiters.append(waiter)
        self.run = run
        noteWorking()
    }
}

extension RunMachine {
    /// Changes a record as a run for one caller does from its start to its end. That counts as two states: one while it runs, one with its value.
    fileprivate static func goThrough(_ run: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) {
        var machine = RunMachine(after: run - 1)
        _ = machine.fetch(&record)
        _ = machine.end(run, .success, at: time, &record)
        record.revision += 2
    }
}
