extension StoreCore {
    /// The cached value while it is fresh, else the result of a run.
    func freshOrFetched() async throws -> StateBox.Value {
        // What is known, without what mutations only expect.
        let (record, base, context) = contents.withLock { ($0.state.record, $0.baseValue, $0.context) }
        if !record.isStale(at: context.clock.now, ttl: context.ttl), let base {
            RunScope.use(of: self)
            noteLookup(isHit: true)
            return base
        }
        return try await ask(nil, unlessFresh: true)
    }

    func ask(_ override: QueryContext?, unlessFresh: Bool) async throws -> StateBox.Value {
        let (id, isDeduplicated) = contents.withLock { ($0.nextWaiter(), $0.context.settings.isDeduplicated) }
        let value = try await RunScope.waiting(for: self) {
            if unlessFresh, !isDeduplicated { noteLookup(isHit: false) }
            return try await isDeduplicated ? join(id, override, unlessFresh: unlessFresh) : runPrivately(override)
        }
        RunScope.use(of: self)
        return value
    }

    /// Runs the request for a part of its pages, or joins the run that is under way for the same part. Waits for any other run to end first.
    ///
    /// `choose` says which part, given the base value of that moment, and is asked again after each wait; with `nil` the base value is the answer.
    func fetch(choosing choose: (_ base: StateBox.Value?, _ isRunning: Bool) -> RunAim?) async throws -> StateBox.Value {
        let value = try await RunScope.waiting(for: self) {
            while true {
                let mustAskAgain = SharedFlag()
                let (id, base, isRunning) = contents.withLock { ($0.nextWaiter(), $0.baseValue, $0.machine.run != nil) }
                let aim = choose(base, isRunning)
                if aim == nil, let base { return base }
                do {
                    let value = try await join(id, nil, aim ?? .everything, unlessFresh: false, mustAskAgain)
                    if !mustAskAgain.isRaised { return value }
                } catch {
                    // How the run before ended is no concern of this one, unless somebody ended all.
                    if !mustAskAgain.isRaised || error is CancellationError { throw error }
                }
            }
        }
        RunScope.use(of: self)
        return value
    }

    /// The context for one call. A context made without a client gets the client and the session of the store.
    ///
    /// Throws ``QueryError/Code/sessionEnded`` for a context of a session that has ended: its user must not reach the present one.
    func inSession(_ context: QueryContext) throws -> QueryContext {
        let own = self.context
        guard context.owner != nil else {
            var context = context
            context.owner = own.owner
            context.session = own.session
            return context
        }
        if context.belongsToEndedSession(besides: own) { throw sessionEnded }
        // Whoever sets the client of a context by hand means its present session.
        guard context.owner !== own.owner, context.owner?.object === own.owner?.object else { return context }
        var context = context
        context.owner = own.owner
        return context
    }

    var sessionEnded: QueryError { QueryError(.sessionEnded, path: path) }

    private func join(
        _ id: UInt32,
        _ override: QueryContext?,
        _ aim: RunAim = .everything,
        unlessFresh: Bool,
        _ mustAskAgain: SharedFlag? = nil
    ) async throws -> StateBox.Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id, continuation, override, aim, unlessFresh: unlessFresh, mustAskAgain)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func wait(
        _ id: UInt32,
        _ continuation: CheckedContinuation<StateBox.Value, any Error>,
        _ override: QueryContext?,
        _ aim: RunAim,
        unlessFresh: Bool,
        _ mustAskAgain: SharedFlag?
    ) {
        let priority = Task.currentPriority
        let now = unlessFresh ? context.clock.now : .zero
        let turn = change { contents, input -> WaitingTurn in
            // The cancellation handler takes the same lock: either it finds the waiter, or this finds the task cancelled.
            if Task.isCancelled { return .cancelled }
            // A session may have ended since the caller brought its context.
            if let override, override.belongsToEndedSession(besides: contents.context) { return .refused }
            // A run may have ended since the caller looked, and its result is what the caller wants.
            // A stream under way has brought what it has.
            let isLive = contents.machine.run?.isLive == true
            if unlessFresh || isLive, !contents.state.record.isStale(at: now, ttl: contents.context.ttl), let base = contents.baseValue {
                return .fresh(base)
            }
            let work = contents.process(input) { $0.fetch(&$1, for: aim) }
            guard let joined = work.joined else { preconditionFailure("A fetch joined no run: \(contents.machine)") }
            contents.waiters.append(
                Waiter(id: id, run: joined, continuation: continuation, takesFresh: unlessFresh, mustAskAgain: mustAskAgain)
            )
            guard let run = contents.run, let task = run.task, priority > run.priority else { return .waits(work, nil) }
            run.priority = priority
            return .waits(work, task)
        }
        switch turn {
        case .cancelled:
            continuation.resume(throwing: CancellationError())
        case .refused:
            continuation.resume(throwing: sessionEnded)
        case .fresh(let value):
            if unlessFresh { noteLookup(isHit: true) }
            continuation.resume(returning: value)
        case .waits(let work, let slower):
            if work.mustAskAgain { mustAskAgain?.raise() }
            if unlessFresh { noteLookup(isHit: false) }
            perform(work, using: override)
            // A task is raised by one of higher priority that awaits it; this one ends with the run.
            if let slower {
                Task(priority: priority) { await slower.value }
                host.runGate?.raise(self, to: priority)
            }
        }
    }

    private func leave(_ id: UInt32) {
        let left = change { contents, input -> (Waiter, StoreWork)? in
            guard let index = contents.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            let waiter = contents.waiters.remove(at: index)
            let abandonment = contents.context.abandonment
            return (waiter, contents.process(input) { $0.leave(waiter.run, abandonment, &$1) })
        }
        guard let (waiter, work) = left else { return }
        waiter.continuation.resume(throwing: CancellationError())
        perform(work)
    }

    /// A run for this caller alone: see `deduplicated(_:)`. Mutations run so, too.
    func runPrivately(_ override: QueryContext?, notes: PrivateRunNotes? = nil) async throws -> StateBox.Value {
        let privateRun = change { contents, input -> (StoreWork, any QueryRequest, QueryContext)? in
            if let override, override.belongsToEndedSession(besides: contents.context) { return nil }
            let work = contents.process(input) { machine, record in
                let effects = machine.beginPrivate(&record)
                notes?.begin(&record, machine.lastNumber)
                return effects
            }
            return (work, contents.request, contents.context)
        }
        guard let (begun, request, settings) = privateRun else { throw sessionEnded }
        guard let number = begun.joined else { preconditionFailure("A private run has no number") }
        host.update(ticket, nil, work: 1)
        notes?.hasBegun()
        perform(begun)
        let start = RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true, isMutation: notes != nil)
        let trace = noteStart(start.cause, on: settings.clock)
        let run = StartedRun(
            start: start,
            request: request,
            context: override ?? settings,
            storeContext: settings,
            hold: notes?.hold
        )
        let promise = Promise<AttemptResult>()
        // Owned by this call, which cancels it when it is cancelled itself, and does not wait for one that does not listen.
        let task = Task {
            promise.resolve(
                .success(await RunScope.run(start, of: self, mutation: notes?.owner) { await Attempts(run: run, store: self).result() })
            )
        }
        let result: AttemptResult
        do {
            // At once, and not when this task comes to it: a run that was cancelled may not begin anything any more.
            result = try await withTaskCancellationHandler {
                try await promise.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            result = AttemptResult(input: StoreInput(), outcome: .cancelled)
        }
        let time = result.input.time(by: settings.clock)
        var input = result.input
        input.run = number
        notes?.isEnding()
        let work = change(input) { contents, input in
            contents.process(input) { machine, record in
                notes?.end(&record, result)
                return machine.endPrivate(number, result.outcome, at: time, &record)
            }
        }
        settleReads(start, result.outcome)
        noteEnd(trace, result.outcome, start.cause, at: settings.clock.now, isIgnored: work.isIgnored)
        perform(work)
        guard let value = try result.input.result?.get() else { throw CancellationError() }
        return value
    }
}

/// How the wait of a caller begins.
private enum WaitingTurn: Sendable {
    case cancelled
    /// The context belongs to a session that has ended.
    case refused
    case fresh(StateBox.Value)
    /// It waits for a run; the task, if there is one, goes on at the caller's priority from now on.
    case waits(StoreWork, Task<Void, Never>?)
}

extension QueryContext {
    /// Whether the context is one of a former session, seen from a store's own context. A store whose client was deallocated keeps its session.
    fileprivate func belongsToEndedSession(besides own: QueryContext) -> Bool {
        guard let owner else { return false }
        return owner === own.owner ? owner.isEnded : owner.object == nil
    }
}
