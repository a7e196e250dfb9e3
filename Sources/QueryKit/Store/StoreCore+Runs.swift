extension StoreCore {
    /// Notes that a run is counted by client and monitor, unless it was over before: then it is taken off, and gets no task.
    func isStillWanted(_ start: RunStart, _ trace: RunTrace, isNew: Bool) -> Bool {
        let isWanted = contents.withLock { contents in
            guard let active = contents.run, active.number == start.number else { return false }
            active.isCounted = true
            active.trace = trace
            return true
        }
        if isWanted { return true }
        if isNew { host.update(ticket, nil, work: -1) }
        noteEnd(trace, .cancelled, start.cause, at: context.clock.now)
        return false
    }

    /// Gives a run its task. The store owns the task: it cancels it when the machine says so.
    func start(_ started: StartedRun, _ trace: RunTrace, _ override: QueryContext?) {
        var started = started
        if let override { started.context = override }
        let run = started
        let task = Task { await self.carryOut(run, trace) }
        let isObsolete = contents.withLock { contents in
            guard let active = contents.run, active.number == run.start.number else { return true }
            active.task = task
            return false
        }
        if isObsolete { task.cancel() }
    }

    private func carryOut(_ run: StartedRun, _ trace: RunTrace) async {
        end(run, trace, await RunScope.run(run.start, of: self) { await Attempts(run: run, store: self).result() })
    }

    func yield(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        if case .success(let value) = input.result { input.equalsValue = numberOfEqualValue(value) }
        let time = input.time(by: context.clock)
        let (work, isRunning) = change(input) { contents, input in
            (contents.process(input) { $0.yield(start.number, at: time, &$1) }, contents.run?.number == start.number)
        }
        if work.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
        perform(work)
    }

    /// A value of the stream that feeds a run.
    func stream(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        input.run = start.number
        if case .success(let value) = input.result { input.equalsValue = numberOfEqualValue(value) }
        let time = QueryTimestamp(now: context.clock)
        let (work, isRunning) = change(input) { contents, input in
            (contents.process(input) { $0.stream(start.number, at: time, &$1) }, contents.run?.number == start.number)
        }
        if work.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
        perform(work)
    }

    private func end(_ run: StartedRun, _ trace: RunTrace, _ result: AttemptResult) {
        let time = result.input.time(by: run.storeContext.clock)
        // A value from a cache is older than the end of the run that brought it.
        let now = result.input.date == nil ? time.instant : run.storeContext.clock.now
        var input = result.input
        input.run = run.start.number
        let work = change(input) { contents, input in
            contents.process(input) { $0.end(run.start.number, result.outcome, at: time, &$1) }
        }
        if !work.isIgnored { settleReads(run.start, result.outcome) }
        noteEnd(trace, result.outcome, run.start.cause, at: now, isIgnored: work.isIgnored, wasGivenUp: work.ended == nil)
        perform(work)
    }

    // MARK: Waiting for the clock

    /// Suspends a run until the deadline. Meanwhile it does not count as working, so that `settled()` does not wait for time to pass.
    func rest(_ start: RunStart, until deadline: QueryInstant, on clock: any QueryClock) async throws {
        try await rest(start) { [host] wake in
            let alarm = host.schedule(at: deadline, on: clock, wake)
            return QuerySubscription { alarm.cancel() }
        }
    }

    /// Suspends a run until there is a network; the state says that it waits. Whoever holds the pass of a mutation makes queries wait for it.
    func pause(_ start: RunStart) async throws -> QuerySubscription {
        show(start, isPaused: true)
        defer { show(start, isPaused: false) }
        var pass = QuerySubscription {}
        try await rest(start) { [host] wake in
            pass = host.waitForNetwork(isMutation: start.isMutation, wake)
            return QuerySubscription {}
        }
        return pass
    }

    func show(_ start: RunStart, isPaused: Bool) {
        perform(
            change { contents, input in
                contents.process(input) { machine, record in
                    record.notes = record.notes?.pausing(start.number, isPaused)
                    return start.isPrivate ? machine.pausePrivate(isPaused, &record) : machine.pause(start.number, isPaused, &record)
                }
            }
        )
        report(isPaused ? .runPaused : .runResumed, start.cause, run: number(of: start))
    }

    private func rest(
        _ start: RunStart,
        until arrange: (_ wake: @escaping @Sendable () -> Void) -> QuerySubscription
    ) async throws {
        if start.isPrivate { return try await restPrivately(until: arrange) }
        let promise = Promise<Void>()
        let alarm = arrange { [weak self] in
            self?.wake(start.number)
            promise.resolve(.success(()))
        }
        defer { alarm.cancel() }
        // Only now, with the alarm set: whoever waits for `settled()` may move a manual clock the moment it returns.
        lieDown(start.number)
        try await promise.get()
    }

    /// The same for a private run, which its store does not know by number: it is counted again also when it is cancelled.
    private func restPrivately(until arrange: (_ wake: @escaping @Sendable () -> Void) -> QuerySubscription) async throws {
        let promise = Promise<Void>()
        let isCountedAgain = SharedFlag()
        let wake: @Sendable () -> Void = { [host, ticket] in
            if isCountedAgain.raise() { host.update(ticket, nil, work: 1) }
        }
        host.update(ticket, nil, work: -1)
        let alarm = arrange {
            wake()
            promise.resolve(.success(()))
        }
        defer {
            alarm.cancel()
            wake()
        }
        // Counted the moment it is cancelled, so that whoever waits for `settled()` finds it over.
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            wake()
        }
    }

    private func lieDown(_ number: Int32) {
        let rests = contents.withLock { contents in
            guard let run = contents.run, run.number == number, run.rest != .waiting else { return false }
            run.rest = run.rest == .wokenEarly ? .awake : .waiting
            return run.rest == .waiting
        }
        if rests { host.update(ticket, nil, work: -1) }
    }

    private func wake(_ number: Int32) {
        // Counted before it is marked, so that the count is never too low, not even for a moment.
        host.update(ticket, nil, work: 1)
        let rested = contents.withLock { contents in
            guard let run = contents.run, run.number == number else { return false }
            defer { run.rest = run.rest == .waiting ? .awake : .wokenEarly }
            return run.rest == .waiting
        }
        if !rested { host.update(ticket, nil, work: -1) }
    }

    /// Counts an attempt that failed and will be followed by another.
    func noteFailure(_ start: RunStart, _ error: any Error) {
        let wasLive = contents.withLock { $0.machine.run?.number == start.number && $0.machine.run?.isLive == true }
        // A stream that broke off is at work again until it brings something. Counted before anybody hears of it.
        if wasLive { wake(start.number) }
        perform(change { contents, input in contents.process(input) { $0.attemptFailed(start.number, &$1) } })
        noteFailedAttempt(start, error)
    }

    // MARK: Values

    /// The number of the present value, if the new one is known to be equal to it. Asks `==` with the lock open.
    func numberOfEqualValue(_ value: StateBox.Value) -> UInt32? {
        guard let areEqual = typing.areEqual else { return nil }
        let (box, number, notifiesEqual) = contents.withLock { ($0.state, $0.valueNumber, $0.context.settings.notifiesEqual) }
        guard !notifiesEqual, let current = box.current, areEqual(current, value) else { return nil }
        return number
    }
}
