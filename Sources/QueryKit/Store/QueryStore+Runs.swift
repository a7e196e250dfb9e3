extension QueryStore {
    /// Gives a run its task. The store owns the task: it cancels it when the machine says so.
    func start(_ started: StartedRun<State>, _ override: QueryContext?) {
        var started = started
        if let override { started.context = override }
        let run = started
        let task = Task { await self.carryOut(run) }
        let isObsolete = core.withLock { core in
            guard let active = core.run, active.number == run.start.number else { return true }
            active.task = task
            return false
        }
        if isObsolete { task.cancel() }
    }

    private func carryOut(_ run: StartedRun<State>) async {
        let number = run.start.number
        let continuation = QueryContinuation<Value> { [weak self] value in self?.yield(value, from: run.start) }
        let result = await RunScope.$current.withValue(RunScope(store: self)) {
            await Attempts(run: run, continuation: continuation, store: self).result()
        }
        end(number, result, run.start.cause)
    }

    private func yield(_ value: Value, from start: RunStart) {
        let input = StoreInput(result: .success(value), isFinal: false, equalsValue: numberOfEqualValue(value))
        let time = QueryTimestamp(now: context.clock)
        let work = core.withLock { core in
            core.process(input) { $0.yield(start.number, at: time, &$1) }
        }
        if work.isIgnored { report(.yieldIgnored, start.cause) }
        perform(work)
    }

    private func end(_ number: Int32, _ result: Result<Value, any Error>, _ cause: QueryCause) {
        let outcome = RunOutcome(result)
        let input: StoreInput<Value> = if case .cancelled = outcome { StoreInput() } else { StoreInput(result: result) }
        let time = QueryTimestamp(now: context.clock)
        let work = core.withLock { core in
            core.process(input) { $0.end(number, outcome, at: time, &$1) }
        }
        if host.wantsEvents {
            switch outcome {
            case .success, .failure:
                let kind: QueryEvent.Kind = work.isIgnored ? .resultDropped : outcome.error == nil ? .runSucceeded : .runFailed
                report(kind, cause, outcome.error)
            case .cancelled:
                if !work.isIgnored { report(.runCancelled, cause) }
            }
        }
        perform(work)
    }

    // MARK: Waiting for the clock

    /// Suspends run `number` until the deadline. Meanwhile it does not count as working, so that `settled()` does not wait for time to pass.
    func rest(_ number: Int32, until deadline: QueryInstant, on clock: any QueryClock) async throws {
        let promise = Promise<Void>()
        setWaiting(true, number)
        let alarm = host.schedule(at: deadline, on: clock) { [weak self] in
            self?.setWaiting(false, number)
            promise.resolve(.success(()))
        }
        defer { alarm.cancel() }
        try await promise.get()
    }

    private func setWaiting(_ isWaiting: Bool, _ number: Int32) {
        // Counted before it is marked, so that the count is never too low, not even for a moment.
        if !isWaiting { host.update(ticket, nil, work: 1) }
        let hasChanged = core.withLock { core in
            guard let run = core.run, run.number == number, run.isWaiting != isWaiting else { return false }
            run.isWaiting = isWaiting
            return true
        }
        if hasChanged == isWaiting { host.update(ticket, nil, work: -1) }
    }

    /// Counts an attempt of run `number` that failed and will be followed by another.
    func noteFailure(_ number: Int32, _ error: any Error, _ cause: QueryCause) {
        perform(core.withLock { core in core.process { $0.attemptFailed(number, &$1) } })
        report(.attemptFailed, cause, error)
    }

    // MARK: Values

    /// The number of the present value, if the new one is known to be equal to it. Asks `==` with the lock open.
    func numberOfEqualValue(_ value: Value) -> UInt32? {
        let (current, number, notifiesEqual) = core.withLock {
            ($0.state.current, $0.state.record.valueCount, $0.context.settings.notifiesEqual)
        }
        guard !notifiesEqual, let current, areKnownToBeEqual(current, value) else { return nil }
        return number
    }
}

extension RunOutcome {
    init<Value>(_ result: Result<Value, any Error>) {
        switch result {
        case .success: self = .success
        case .failure(let error): self = error is CancellationError ? .cancelled : .failure(error)
        }
    }
}
