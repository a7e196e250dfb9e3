extension StoreCore {
    /// Whether a trigger that fires now is already satisfied (R20). Changes that the client has entered are applied first.
    var answersTriggers: Bool { change { contents, _ in contents.machine.answersTriggers } }

    /// Creates the task of a run. The store owns the task, and cancels it when the machine gives up the run.
    ///
    /// - Parameter isMiss: Whether to count a cache miss too, because the caller would have accepted a fresh value.
    func begin(_ run: StoreRun, isMiss: Bool = false) {
        let trace = noteStart(run.start.cause, on: run.storeContext.clock, isMiss: isMiss)
        run.trace = trace
        // Detached: a run inherits nothing from the task that happens to start it.
        let task = Task.detached(priority: run.firstPriority) { await run.carryOut() }
        if run.take(task) {
            if let priority = run.raisedPriority { raise(task, to: priority) }
            return
        }
        // The run was given up before it had a task, so its end is counted here.
        task.cancel()
        noteEnd(trace, .cancelled, run.start.cause, at: context.clock.now)
    }

    /// Raises the priority of a run's task.
    func raise(_ task: Task<Void, Never>, to priority: TaskPriority) {
        // Awaiting a task from one of higher priority raises the awaited task's priority. The awaiting task ends with the run.
        Task.detached(priority: priority) { await task.value }
        host.runGate?.raise(self, to: priority)
    }

    func yield(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        if case .success(let value) = input.result { input.comparison = compare(value) }
        let time = input.time(by: context.clock)
        let (outcome, isRunning) = change(input) { contents, input in
            // An intermediate value that may be wrong is skipped; the result follows.
            let isUnsure = input.layered?.isUnsure == true
            let outcome = contents.process(input) {
                isUnsure ? RunMachine.Effects(isIgnored: true) : $0.yield(start.number, at: time, &$1)
            }
            return (outcome, contents.run?.number == start.number)
        }
        if outcome.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
    }

    /// Processes a value of the stream that feeds a run.
    func stream(_ input: StoreInput, from start: RunStart) {
        var input = input
        input.isFinal = false
        input.run = start.number
        if case .success(let value) = input.result { input.comparison = compare(value) }
        input.variant = variantNow
        let time = QueryTimestamp(now: context.clock)
        let (outcome, isRunning) = change(input) { contents, input in
            // An element of an open stream is newer than all changes so far.
            if let run = contents.run, run.number == start.number, contents.machine.run?.isLive == true { run.asOf = contents.latest }
            let mustDiscard = contents.mustDiscard(input)
            let outcome = contents.process(input) { machine, record in
                if mustDiscard { machine.discard(start.number) }
                return machine.stream(start.number, at: time, &record)
            }
            return (outcome, contents.run?.number == start.number)
        }
        if outcome.isIgnored { noteIgnoredYield(start, isRunning: isRunning) }
    }

    @inline(never)
    fileprivate func end(_ run: StoreRun, _ result: RunResult) {
        let origin = run.takeOrigin()
        if case .success(let value) = result, origin == nil, endAlone(run, value) { return }
        let ending = prepareEnd(run, result, origin)
        finishEnd(ending, decideEnd(ending))
    }

    /// Prepares the end of a run: evaluates everything that is needed without the lock.
    @inline(__always)
    func prepareEnd(_ run: StoreRun, _ result: RunResult, _ origin: ValueOrigin?) -> RunEnding {
        let clock = run.storeContext.clock
        var input = StoreInput(result, origin, typing)
        let time = input.time(by: clock)
        // A value from a cache is older than the end of the run.
        let now = origin == nil ? time.instant : clock.now
        input.run = run.start.number
        if host.isClock(clock) { input.now = now }
        if case .success(let value) = result {
            input.comparison = compare(value)
            input.variant = variant(of: run)
        }
        return RunEnding(run: run, input: input, outcome: input.outcome, time: time, now: now)
    }

    func prepareEnd(_ run: StoreRun, _ result: RunResult) -> RunEnding { prepareEnd(run, result, run.takeOrigin()) }

    @inline(__always)
    func decideEnd(_ ending: RunEnding) -> RunEnding.Decision {
        let (number, outcome, time) = (ending.run.start.number, ending.outcome, ending.time)
        return decide(ending.input) { contents, input in
            let mustDiscard = contents.mustDiscard(input)
            return contents.process(input) { machine, record in
                if mustDiscard { machine.discard(number) }
                return machine.end(number, outcome, at: time, &record)
            }
        }
    }

    @inline(__always)
    func finishEnd(_ ending: RunEnding, _ decision: RunEnding.Decision) {
        let run = ending.run
        if let trace = run.trace {
            let event = decision.event
            let (isIgnored, wasGivenUp) = (event.isIgnored, !event.endedRun)
            noteEnd(trace, ending.outcome, run.start.cause, at: ending.now, isIgnored: isIgnored, wasGivenUp: wasGivenUp)
        }
        perform(decision.actions)
    }

    // MARK: Waiting for the clock

    /// Suspends a run until the deadline. Until then it doesn't count as working, so that `settled()` doesn't wait for time to pass.
    func wait(_ run: StoreRun, until deadline: QueryInstant, on clock: any QueryClock) async throws {
        try await wait(run) { [host] resume in
            let alarm = host.schedule(at: deadline, on: clock, resume)
            return QuerySubscription { alarm.cancel() }
        }
    }

    /// Suspends a run until there is a network, and shows it as paused. For a mutation, queries wait until the returned pass is released.
    func pause(_ run: StoreRun) async throws -> QuerySubscription {
        show(run.start, isPaused: true)
        if run.start.isMutation { report(.mutationPaused, run.start.cause) }
        defer {
            show(run.start, isPaused: false)
            if run.start.isMutation { report(.mutationResumed, run.start.cause) }
        }
        var pass = QuerySubscription {}
        try await wait(run) { [host] resume in
            pass = host.waitForNetwork(isMutation: run.start.isMutation, resume)
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
            // A run that was paused at its start has read nothing so far.
            if let run = contents.run, run.number == start.number, !isPaused { contents.releaseHeldBackRun() }
        }
        report(isPaused ? .runPaused : .runResumed, start.cause, run: number(of: start))
    }

    private func wait(
        _ run: StoreRun,
        until arrange: (_ resume: @escaping @Sendable () -> Void) -> QuerySubscription
    ) async throws {
        host.rounds.leave(run)
        let promise = Promise<Void>()
        let wait = RunWait(of: run)
        let alarm = arrange {
            wait.end()
            promise.resolve(.success(()))
        }
        defer {
            wait.end()
            alarm.cancel()
        }
        // Begin the wait only after the alarm is set: a test that awaits `settled()` may advance a manual clock as soon as that returns.
        wait.begin()
        // A cancelled run counts as working at once, so that `settled()` doesn't return before it is over.
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            wait.end()
        }
    }

    /// Counts a run as working again, even if some of its tasks still wait.
    func resumeCounting(_ run: StoreRun) {
        resumeCounting(run.number)
        run.token?.resume()
    }

    private func resumeCounting(_ number: Int32) {
        note { contents in
            if let run = contents.run, run.number == number { run.activity = .working }
        }
    }

    /// Changes whether the run under way counts as working. The machine isn't involved.
    private func note(_ change: (inout StoreContents) -> Void) {
        let actions = contents.withLock { contents in
            change(&contents)
            return contents.conclude()
        }
        perform(actions)
    }

    /// Counts a failed attempt that another one will follow.
    func noteFailure(_ run: StoreRun, _ error: any Error) {
        let start = run.start
        let wasLive = contents.withLock { $0.machine.run?.number == start.number && $0.machine.run?.isLive == true }
        // A stream that was interrupted works again until it delivers a value. It must count before handlers are notified.
        if wasLive { resumeCounting(start.number) }
        change { contents, input in
            contents.process(input) { machine, record in
                guard let owner = run.owner else { return machine.attemptFailed(start.number, error, &record) }
                owner.note(failure: error, in: &record)
                return RunMachine.Effects()
            }
        }
        noteFailedAttempt(start, error)
    }

    /// Shows a value that the call of a mutation has yielded.
    func noteYield(of owner: any RunOwner, _ number: Int32, _ value: AnyValue) {
        change { contents, input in
            contents.process(input) { _, record in
                owner.note(yield: value, of: number, in: &record)
                return RunMachine.Effects()
            }
        }
    }

    // MARK: Values

    /// Compares a new value with the current one. Calls `==` without the lock.
    func compare(_ value: AnyValue) -> ValueComparison {
        let (box, number) = contents.withBasis { basis, _ in (basis.state, basis.valueNumber) }
        guard let areEqual = typing.areEqual, let current = box.current else { return ValueComparison(number: number, isEqual: false) }
        return ValueComparison(number: number, isEqual: areEqual(current, value))
    }
}

extension StoreRun {
    /// The body of the run's task.
    fileprivate func carryOut() async {
        let result = await RunScope.$current.withValue(.run(self)) { await AttemptLoop(run: self).result() }
        if settings.isFreshUntilChanged { reportIfNothingToFollow(result) }
        // The result is published as out of date. No other run follows: it would read the same.
        if readsUnfollowed.isRaised { store.invalidate(.stale, refetch: .none) }
        close()
        let rounds = store.host.rounds
        if rounds.isUsed {
            if await rounds.hold(self, result) { return }
            store.end(self, result)
            return rounds.noteEnd(of: self)
        }
        store.end(self, result)
    }
}

/// The end of a run, before the machine has processed it.
struct RunEnding: Sendable {
    typealias Decision = (event: EventOutcome, actions: StoreActions)

    let run: StoreRun
    let input: StoreInput
    let outcome: RunOutcome
    let time: QueryTimestamp
    let now: QueryInstant
}
