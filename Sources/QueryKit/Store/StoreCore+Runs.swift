extension StoreCore {
    /// Whether a trigger that fires now is answered already (R20). Changes that the client has entered come first.
    var answersTriggers: Bool { change { contents, _ in contents.machine.answersTriggers } }

    /// Gives a run its task. The store owns the task: it cancels it when the machine gives up the run.
    func begin(_ run: StartedRun) {
        let trace = noteStart(run.start.cause, on: run.storeContext.clock)
        // Detached: a run inherits nothing from whoever happens to start it.
        let task = Task.detached(priority: Task.currentPriority) { await self.carryOut(run, trace) }
        let isObsolete = contents.withLock { contents in
            guard let active = contents.run, active.number == run.start.number else { return !run.hasEnded.isRaised }
            active.task = task
            active.trace = trace
            return false
        }
        guard isObsolete else { return }
        // It was given up before it was known, so nobody else counts its end.
        task.cancel()
        noteEnd(trace, .cancelled, run.start.cause, at: context.clock.now)
    }

    private func carryOut(_ run: StartedRun, _ trace: RunTrace) async {
        end(run, trace, await RunScope.run(run.start, of: self) { await Attempts(run: run, store: self).result() })
    }

    func yield(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        if case .success(let value) = input.result { prepare(&input, value) }
        let time = input.time(by: context.clock)
        let (outcome, isRunning) = change(input) { contents, input in
            (contents.process(input) { $0.yield(start.number, at: time, &$1) }, contents.run?.number == start.number)
        }
        if outcome.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
    }

    /// A value of the stream that feeds a run.
    func stream(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        input.run = start.number
        if case .success(let value) = input.result { prepare(&input, value) }
        let time = QueryTimestamp(now: context.clock)
        let (outcome, isRunning) = change(input) { contents, input in
            (contents.process(input) { $0.stream(start.number, at: time, &$1) }, contents.run?.number == start.number)
        }
        if outcome.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
    }

    private func end(_ run: StartedRun, _ trace: RunTrace, _ result: AttemptResult) {
        let time = result.input.time(by: run.storeContext.clock)
        // A value from a cache is older than the end of the run that brought it.
        let now = result.input.date == nil ? time.instant : run.storeContext.clock.now
        var input = result.input
        input.run = run.start.number
        if case .success(let value) = input.result { prepare(&input, value) }
        let (outcome, actions) = decide(input) { contents, input in
            if contents.machine.run?.number == run.start.number { _ = run.hasEnded.raise() }
            return contents.process(input) { $0.end(run.start.number, result.outcome, at: time, &$1) }
        }
        noteEnd(trace, result.outcome, run.start.cause, at: now, isIgnored: outcome.isIgnored, wasGivenUp: !outcome.endedRun)
        perform(actions)
    }

    /// Finds out what a new value means: foreign code may be needed for it.
    private func prepare(_ input: inout StoreInput, _ value: StateBox.Value) {
        input.equalsValue = numberOfEqualValue(value)
        input.tags = tags(of: value)
    }

    // MARK: Waiting for the clock

    /// Suspends a run until the deadline. Meanwhile it does not count as working, so that `settled()` does not wait for time to pass.
    func rest(_ run: StartedRun, until deadline: QueryInstant, on clock: any QueryClock) async throws {
        try await rest(run) { [host] wake in
            let alarm = host.schedule(at: deadline, on: clock, wake)
            return QuerySubscription { alarm.cancel() }
        }
    }

    /// Suspends a run until there is a network; the state says that it waits. Whoever holds the pass of a mutation makes queries wait for it.
    func pause(_ run: StartedRun) async throws -> QuerySubscription {
        show(run.start, isPaused: true)
        defer { show(run.start, isPaused: false) }
        var pass = QuerySubscription {}
        try await rest(run) { [host] wake in
            pass = host.waitForNetwork(isMutation: run.start.isMutation, wake)
            return QuerySubscription {}
        }
        return pass
    }

    func show(_ start: RunStart, isPaused: Bool) {
        change { contents, input in
            contents.process(input) { machine, record in
                record.notes = record.notes?.pausing(start.number, isPaused)
                return start.isPrivate ? machine.pausePrivate(isPaused, &record) : machine.pause(start.number, isPaused, &record)
            }
            // A run that was held back at its start has read nothing so far.
            if let run = contents.run, run.number == start.number, !isPaused { contents.releaseHeldBackRun() }
        }
        report(isPaused ? .runPaused : .runResumed, start.cause, run: number(of: start))
    }

    private func rest(
        _ run: StartedRun,
        until arrange: (_ wake: @escaping @Sendable () -> Void) -> QuerySubscription
    ) async throws {
        let promise = Promise<Void>()
        let rest = RunRest(self, run.start.number, run.token)
        let alarm = arrange {
            rest.end()
            promise.resolve(.success(()))
        }
        defer {
            rest.end()
            alarm.cancel()
        }
        // Only now, with the alarm set: whoever waits for `settled()` may move a manual clock the moment it returns.
        rest.begin()
        // Counted the moment it is cancelled, so that whoever waits for `settled()` finds it over.
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            rest.end()
        }
    }

    /// Stops counting a run as working, if a condition holds. It is checked with the lock held.
    func rest(_ number: Int32, if condition: (_ isResting: Bool) -> Bool) {
        note { contents in
            guard let run = contents.run, run.number == number, condition(run.rest == .waiting) else { return }
            run.rest = .waiting
        }
    }

    /// Counts a run as working again, if a condition holds. It is checked with the lock held.
    func wake(_ number: Int32, if condition: () -> Bool = { true }) {
        note { contents in
            guard let run = contents.run, run.number == number, condition() else { return }
            run.rest = .awake
        }
    }

    /// Changes whether the run under way counts as working, which is no event of the machine.
    private func note(_ change: (inout StoreContents) -> Void) {
        let actions = contents.withLock { contents in
            change(&contents)
            return contents.conclude()
        }
        perform(actions)
    }

    /// Counts an attempt that failed and will be followed by another.
    func noteFailure(_ start: RunStart, _ error: any Error) {
        let wasLive = contents.withLock { $0.machine.run?.number == start.number && $0.machine.run?.isLive == true }
        // A stream that broke off is at work again until it brings something. Counted before anybody hears of it.
        if wasLive { wake(start.number) }
        change { contents, input in contents.process(input) { $0.attemptFailed(start.number, error, &$1) } }
        noteFailedAttempt(start, error)
    }

    // MARK: Values

    /// The number of the present value, if the new one is known to be equal to it. Asks `==` with the lock open.
    func numberOfEqualValue(_ value: StateBox.Value) -> UInt32? {
        guard let areEqual = typing.areEqual else { return nil }
        let (box, number) = contents.withLock { ($0.state, $0.valueNumber) }
        guard let current = box.current, areEqual(current, value) else { return nil }
        return number
    }
}
