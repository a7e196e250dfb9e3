/// Lone runs: a run of one caller, or of one call of a mutation, in a store where nothing else is under way. Most runs are lone.
///
/// Such a store needs no machine, no list of callers and no outbox: its basis holds the run, and the run holds its caller. Any other event
/// first opens the contents, which continue as if they had been open from the start. ``RunMachine`` decides in both cases.
extension StoreCore {
    /// Begins a lone run for a caller with plain settings. Returns `false` if anything else is under way in the store.
    func beginAlone(_ waiter: Waiter, _ settings: RequestSettings) -> Bool {
        let now = waiter.takesFresh ? settings.context.clock.now : .never
        let begun = contents.withQuietBasis { basis -> (StoreRun, RequestSettings?, hasUpdates: Bool)? in
            guard basis.isUpToDate(with: host), settings.context.owner?.isEnded != true, !Task.isCancelled else { return nil }
            if waiter.takesFresh, !basis.state.record.isStale(at: now, ttl: settings.context.settings.span) { return nil }
            let start = RunStart(number: basis.lastRun + 1, cause: .manual, origin: .caller)
            let run = StoreRun(of: self, start: start, settings: settings, asOf: basis.latest, rollback: basis.state)
            waiter.run = start.number
            run.loneWaiter = waiter
            run.loneState = basis.state
            let replaced = basis.begin(run)
            host.work.count(true)
            return (run, replaced, host.update(ticket, basis.activity(run: start.number)))
        }
        guard let (run, _, hasUpdates) = begun else { return false }
        if hasUpdates { host.carryOutUpdates() }
        begin(run, isMiss: waiter.takesFresh && !settings.isNeverFresh)
        return true
    }

    /// Begins the lone run of a mutation's call. Returns `nil` if anything else is under way in the store.
    func beginAlone(_ owner: any RunOwner, _ settings: RequestSettings, _ context: QueryContext, _ token: WorkToken) -> StoreRun? {
        guard settings.isPlain else { return nil }
        let begun = contents.withQuietBasis { basis -> (StoreRun, RequestSettings?, hasUpdates: Bool)? in
            guard basis.isUpToDate(with: host), settings.context.owner?.isEnded != true,
                !context.belongsToEndedSession(besides: basis.base.context)
            else { return nil }
            let run = StoreRun(
                of: self,
                start: .ofCall(basis.lastRun + 1, owner.cause),
                settings: settings,
                context: context,
                asOf: basis.latest,
                rollback: basis.state,
                token: token,
                owner: owner
            )
            let replaced = basis.begin(run)
            return (run, replaced, host.update(ticket, basis.activity()))
        }
        guard let (run, _, hasUpdates) = begun else { return nil }
        if hasUpdates { host.carryOutUpdates() }
        run.trace = noteStart(run.start.cause, on: settings.context.clock)
        return run
    }

    /// Ends a lone run with its value. Returns `false` and does nothing if the run isn't lone any more.
    func endAlone(_ run: StoreRun, _ value: AnyValue) -> Bool {
        guard let waiter = run.loneWaiter else { return false }
        let former = run.loneState?.current
        let isEqual = former.map { typing.areEqual?($0, value) == true } ?? false
        let time = QueryTimestamp(now: run.storeContext.clock)
        let ended = land(run, value, isEqual: isEqual, at: time) { RunMachine.goThrough(run.number, at: time, &$0) }
        guard let hasUpdates = ended else { return false }
        if let trace = run.trace { noteEnd(trace, .success, run.start.cause, at: time.instant) }
        // The order matters for a test that awaits `settled()` and then advances the clock; see ``StoreActions/endWork``.
        if hasUpdates { host.carryOutUpdates() }
        host.work.count(false)
        waiter.resume(.success(value))
        return true
    }

    /// Ends the lone run of a mutation's call in the same way.
    func endAlone(_ run: StoreRun, _ value: AnyValue, of owner: any RunOwner) -> Bool {
        let time = QueryTimestamp(now: run.storeContext.clock)
        let ended = land(run, value, isEqual: false, at: time) { record in
            RunMachine.goThroughPrivately(run.number, at: time, &record)
            owner.note(run: run.number, bringing: value, at: time.date, in: &record)
        }
        guard let hasUpdates = ended else { return false }
        if let trace = run.trace { noteEnd(trace, .success, run.start.cause, at: time.instant) }
        if hasUpdates { host.carryOutUpdates() }
        return true
    }

    /// Makes the value of a lone run the value of the store. Returns whether the client needs attention; returns `nil` and does nothing if
    /// the run isn't lone any more.
    ///
    /// - Parameter goThrough: Applies all changes of the run to the record, from its start to its end.
    @inline(__always)
    private func land(
        _ run: StoreRun,
        _ value: AnyValue,
        isEqual: Bool,
        at time: QueryTimestamp,
        _ goThrough: (inout QueryRecord) -> Void
    ) -> Bool? {
        let byteCount = typing.byteCount(of: value)
        let isClientTime = host.isClock(run.storeContext.clock)
        return contents.withLoneBasis(of: run) { basis -> Bool? in
            guard basis.isUpToDate(with: host) else { return nil }
            var record = basis.state.record
            goThrough(&record)
            // Counts as two states: one during the run, and one with its value.
            record.revision += 2
            let keepsFormer = isEqual && !(basis.caller ?? basis.base).notifiesEqual
            // The run still holds the previous state, so the state isn't deallocated with the lock held.
            basis.state = StateBox(record: record, current: keepsFormer ? basis.state.current : value, byteCount: byteCount)
            basis.valueNumber &+= 1
            basis.asOf = run.asOf
            basis.loneRun = nil
            return host.update(ticket, basis.activity(landedRun: run.number, now: isClientTime ? time.instant : nil))
        }
    }
}

extension StoreBasis {
    /// Whether the store has taken all changes of its client, and has no rare contents that affect how a run begins or ends.
    fileprivate func isUpToDate(with host: any StoreHost) -> Bool {
        rare == nil && host.latestChange == latest
    }

    /// Begins a lone run. Returns the replaced settings, so that the caller releases them outside the lock.
    fileprivate mutating func begin(_ run: StoreRun) -> RequestSettings? {
        lastRun = run.number
        loneRun = run
        defer { caller = run.settings }
        return run.settings === caller ? nil : caller
    }

    /// - Parameter run: The number of the run, if callers can share it.
    fileprivate func activity(run: Int32 = 0, landedRun: Int32 = 0, now: QueryInstant? = nil) -> StoreActivity {
        StoreActivity(
            run: run,
            landedRun: landedRun,
            isRunning: loneRun != nil,
            // The call of a mutation uses the store, like a call that waits in a queue.
            isObserved: loneRun?.owner != nil || state.record.notes?.isPending == true,
            isEmpty: !state.record.hasResult,
            retention: retention,
            byteCount: state.byteCount,
            now: now
        )
    }
}

extension StoreContents {
    /// Takes over a run that was a lone run until now.
    mutating func take(_ run: StoreRun) {
        var record = state.record
        record.revision += 1
        machine = RunMachine(after: run.number - 1)
        if let owner = run.owner {
            _ = machine.beginPrivate(&record)
            owner.note(start: run.number, in: &record)
            state = state.with(record)
            return
        }
        guard let waiter = run.loneWaiter else { return }
        _ = machine.fetch(&record)
        // The run holds the previous state, so the state isn't deallocated here.
        state = state.with(record)
        waiters.append(waiter)
        self.run = run
        noteWorking()
    }
}

extension RunMachine {
    /// Applies the changes of a successful run for one caller to a record, from its start to its end.
    fileprivate static func goThrough(_ run: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) {
        var machine = RunMachine(after: run - 1)
        _ = machine.fetch(&record)
        _ = machine.end(run, .success, at: time, &record)
    }

    /// Applies the changes of a successful private run to a record, from its start to its end.
    fileprivate static func goThroughPrivately(_ run: Int32, at time: QueryTimestamp, _ record: inout QueryRecord) {
        var machine = RunMachine(after: run - 1)
        _ = machine.beginPrivate(&record)
        _ = machine.endPrivate(run, .success, at: time, &record)
    }
}
