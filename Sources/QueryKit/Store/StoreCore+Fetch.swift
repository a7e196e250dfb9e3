extension StoreCore {
    /// The cached value while it is fresh, else the result of a run.
    func freshOrFetched(_ settings: RequestSettings) async throws -> StateBox.Value {
        if RunScope.current == nil, let value = freshValue(by: settings.context) {
            noteLookup(isHit: true)
            return value
        }
        return try await ask(settings, unlessFresh: true)
    }

    /// What is known and fresh, without what mutations only expect; `nil` also while handlers have not heard of it yet.
    private func freshValue(by context: QueryContext) -> StateBox.Value? {
        let (record, base) = contents.withLock { contents -> (QueryRecord, StateBox.Value?) in
            let isKnown = host.waitingNews(for: ticket) == .nothing && !contents.outbox.isDelivering
            return (contents.state.record, isKnown ? contents.baseValue : nil)
        }
        guard let base, !record.isStale(at: context.clock.now, ttl: context.ttl) else { return nil }
        return base
    }

    func ask(_ settings: RequestSettings, in override: QueryContext? = nil, unlessFresh: Bool) async throws -> StateBox.Value {
        try await RunScope.waiting(for: self) { reader in
            if settings.context.settings.isDeduplicated {
                return try await join(Call(settings: settings, override: override, takesFresh: unlessFresh, reader: reader))
            }
            if unlessFresh { noteLookup(isHit: false) }
            return try await runPrivately(settings, override, for: reader)
        }
    }

    /// Runs the request for a part of its pages, or joins the run that is under way for the same part. Waits for any other run to end first.
    ///
    /// `choose` says which part, given the base value of that moment, and is asked again after each wait; with `nil` the base value is the answer.
    func fetch(
        _ settings: RequestSettings,
        choosing choose: (_ base: StateBox.Value?, _ isRunning: Bool) -> RunAim?
    ) async throws -> StateBox.Value {
        try await RunScope.waiting(for: self) { reader in
            while true {
                let mustAskAgain = SharedFlag()
                let (base, isRunning) = contents.withLock { ($0.baseValue, $0.machine.run != nil) }
                let aim = choose(base, isRunning)
                if aim == nil, let base {
                    return FetchedValue(value: base, reads: contents.withLock { $0.handOver(to: reader) })
                }
                do {
                    var call = Call(settings: settings, aim: aim ?? .everything, reader: reader)
                    call.mustAskAgain = mustAskAgain
                    let value = try await join(call)
                    if !mustAskAgain.isRaised { return value }
                } catch {
                    // How the run before ended is no concern of this one, unless somebody ended all.
                    if !mustAskAgain.isRaised || error is CancellationError { throw error }
                }
            }
        }
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

    private func join(_ call: Call) async throws -> FetchedValue {
        let id = contents.withLock { $0.nextWaiter() }
        let rest = RunScope.current?.rest(awaitingRun: true)
        defer { rest?.end() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(
                    id: id,
                    run: RunMachine.following,
                    continuation: continuation,
                    takesFresh: call.takesFresh,
                    mustAskAgain: call.mustAskAgain,
                    rest: rest,
                    reader: call.reader
                )
                wait(waiter, call)
            }
        } onCancel: {
            leave(id)
        }
    }

    private func wait(_ waiter: Waiter, _ call: Call) {
        var waiter = waiter
        let priority = Task.currentPriority
        let unlessFresh = call.takesFresh
        let context = call.settings.context
        let now = unlessFresh ? context.clock.now : .zero
        var input = StoreInput()
        input.settings = call.settings
        let (turn, actions) = decide(input) { [waiter] contents, input -> WaitingTurn in
            // The cancellation handler takes the same lock: either it finds the waiter, or this finds the task cancelled.
            if Task.isCancelled { return .cancelled }
            // A session may have ended since the caller brought its context.
            if let override = call.override, override.belongsToEndedSession(besides: contents.base.context) { return .refused }
            contents.mention(call.settings, isCall: true)
            // A run may have ended since the caller looked, and its result is what the caller wants.
            // A stream under way has brought what it has.
            let isLive = contents.machine.run?.isLive == true
            if unlessFresh || isLive, !contents.state.record.isStale(at: now, ttl: context.ttl), let base = contents.baseValue {
                let fresh = FetchedValue(value: base, reads: contents.handOver(to: waiter.reader))
                guard contents.outbox.isDelivering else { return .fresh(fresh) }
                // Whoever returns from a fetch finds every handler informed.
                contents.post(waiter, fresh)
                return .posted
            }
            let outcome = contents.process(input) { $0.fetch(&$1, for: call.aim) }
            guard let joined = outcome.joined else { preconditionFailure("A fetch joined no run: \(contents.machine)") }
            if let override = call.override { contents.useForStart(override) }
            var waiter = waiter
            waiter.run = joined
            contents.waiters.append(waiter)
            guard let run = contents.run, let task = run.task, priority > run.priority else {
                return .waits(mustAskAgain: outcome.mustAskAgain, nil)
            }
            run.priority = priority
            return .waits(mustAskAgain: outcome.mustAskAgain, task)
        }
        switch turn {
        case .cancelled:
            waiter.continuation.resume(throwing: CancellationError())
        case .refused:
            waiter.continuation.resume(throwing: sessionEnded)
        case .posted:
            if unlessFresh { noteLookup(isHit: true) }
        case .fresh(let value):
            if unlessFresh { noteLookup(isHit: true) }
            waiter.reader = nil
            waiter.continuation.resume(returning: value)
        case .waits(let mustAskAgain, let slower):
            // From now on the run that waits counts by the one that it waits for.
            waiter.rest?.begin()
            if mustAskAgain { waiter.mustAskAgain?.raise() }
            if unlessFresh { noteLookup(isHit: false) }
            // A task is raised by one of higher priority that awaits it; this one ends with the run.
            if let slower {
                Task.detached(priority: priority) { await slower.value }
                host.runGate?.raise(self, to: priority)
            }
        }
        perform(actions, forCaller: true)
    }

    /// A caller was cancelled. It returns at once; what follows is done by another task, because foreign code must not run in a
    /// cancellation handler (R7).
    private func leave(_ id: UInt32) {
        let (waiter, run) = contents.withLock { contents -> (Waiter?, Int32?) in
            guard let index = contents.waiters.firstIndex(where: { $0.id == id }) else { return (nil, nil) }
            let waiter = contents.waiters.remove(at: index)
            return (waiter, contents.machine.forgetWaiter(of: waiter.run))
        }
        guard let waiter else { return }
        let token = host.work.begin()
        waiter.rest?.resume()
        waiter.continuation.resume(throwing: CancellationError())
        guard let run else { return token.end() }
        // Nobody owns the task: it does one thing and ends.
        Task.detached {
            self.change { contents, input in
                let abandonment = contents.abandonment
                contents.process(input) { $0.abandon(run, abandonment, &$1) }
            }
            token.end()
        }
    }

    /// A run for this caller alone: see `deduplicated(_:)`. Mutations run so, too.
    func runPrivately(
        _ settings: RequestSettings,
        _ override: QueryContext?,
        for reader: RunReader? = nil,
        notes: PrivateRunNotes? = nil
    ) async throws -> FetchedValue {
        let token = notes?.token ?? host.work.begin()
        let privateRun = change { contents, input -> (Int32?, ChangeNumber)? in
            let context = override ?? settings.context
            if context.belongsToEndedSession(besides: contents.base.context) { return nil }
            contents.mention(settings, isCall: true)
            let outcome = contents.process(input) { machine, record in
                let effects = machine.beginPrivate(&record)
                notes?.begin(&record, machine.lastNumber)
                return effects
            }
            return (outcome.joined, contents.latest)
        }
        guard let (joined, asOf) = privateRun else { throw sessionEnded }
        guard let number = joined else { preconditionFailure("A private run has no number") }
        let start = RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true, isMutation: notes != nil)
        let trace = noteStart(start.cause, on: settings.context.clock)
        let run = StartedRun(
            start: start,
            settings: settings,
            context: override ?? settings.context,
            token: token,
            hold: notes?.hold
        )
        // A run that fetches privately counts by its private run.
        let rest = notes == nil ? RunScope.current?.rest() : nil
        rest?.begin()
        let promise = Promise<AttemptResult>()
        // Owned by this call, which cancels it when it is cancelled itself, and does not wait for one that does not listen.
        let task = Task.detached(priority: Task.currentPriority) {
            promise.resolve(
                .success(
                    await RunScope.run(start, of: self, mutation: notes?.owner, countedBy: token) {
                        await Attempts(run: run, store: self).result()
                    }
                )
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
        let time = result.input.time(by: settings.context.clock)
        var input = result.input
        input.run = number
        input.asOf = asOf
        let outcome = change(input) { contents, input in
            contents.process(input) { machine, record in
                notes?.end(&record, result)
                return machine.endPrivate(number, result.outcome, at: time, &record)
            }
        }
        noteEnd(trace, result.outcome, start.cause, at: settings.context.clock.now, isIgnored: outcome.isIgnored)
        rest?.end()
        if notes == nil { token.end() }
        guard let value = try result.input.result?.get() else { throw CancellationError() }
        return FetchedValue(value: value, reads: contents.withLock { $0.handOver(to: reader, since: asOf) })
    }
}

/// What a caller asks for.
private struct Call: Sendable {
    let settings: RequestSettings
    /// The environment of a run that begins with the call, in place of that of the settings.
    var override: QueryContext?
    var aim = RunAim.everything
    /// Whether a stored value that is fresh is as good as a run.
    var takesFresh = false
    /// The run that asks, if it is one.
    var reader: RunReader?
    /// Raised when the result will not be what the caller wants.
    var mustAskAgain: SharedFlag?
}

/// How the wait of a caller begins.
private enum WaitingTurn: Sendable {
    case cancelled
    /// The context belongs to a session that has ended.
    case refused
    case fresh(FetchedValue)
    /// It gets a fresh value as soon as handlers have heard of it.
    case posted
    /// It waits for a run; the task, if there is one, goes on at the caller's priority from now on.
    case waits(mustAskAgain: Bool, Task<Void, Never>?)
}

extension QueryContext {
    /// Whether the context is one of a former session, seen from a store's own context. A store whose client was deallocated keeps its session.
    fileprivate func belongsToEndedSession(besides own: QueryContext) -> Bool {
        guard let owner else { return false }
        return owner === own.owner ? owner.isEnded : owner.object == nil
    }
}
