extension StoreCore {
    /// The cached value if it is fresh and the caller isn't a run.
    ///
    /// The value doesn't include layers. It is `nil` while handlers are still being notified of the value.
    @inline(never)
    func freshValue(by settings: RequestSettings) -> AnyValue? {
        guard RunScope.current == nil else { return nil }
        let value = settings.hasFixedTTL ? youngValue(by: settings) : judgedValue(by: settings.context)
        if value != nil { noteLookup(isHit: true, settings) }
        return value
    }

    /// The value, if it is younger than the ttl of the settings.
    @inline(__always)
    private func youngValue(by settings: RequestSettings) -> AnyValue? {
        let ttl = settings.context.settings.span
        // With a ttl of zero only the value of an open stream can be fresh, which ``wait(_:_:_:_:)`` checks.
        if ttl == .zero { return nil }
        let now = ttl == .infinity ? .zero : settings.context.clock.now
        return contents.withBasis { basis, isBusy in
            if isBusy || basis.state.record.isStale(at: now, ttl: ttl) { return nil }
            return pendingKind(after: basis.latest) == .nothing ? basis.value : nil
        }
    }

    /// The value, if it is fresh according to the ttl closure.
    private func judgedValue(by context: QueryContext) -> AnyValue? {
        let freshness = freshness(by: context)
        return contents.withBasis { basis, isBusy in
            // During the call of the closure the value may have been replaced or invalidated.
            if isBusy || basis.valueNumber != freshness.number || basis.state.record.isStale(at: freshness.now, ttl: freshness.ttl) {
                return nil
            }
            return pendingKind(after: basis.latest) == .nothing ? basis.value : nil
        }
    }

    @inline(__always)
    func fetch(_ settings: RequestSettings, in override: QueryContext? = nil, unlessFresh: Bool) async throws -> AnyValue {
        // Most callers aren't runs, and share a run.
        if settings.isDeduplicated, RunScope.current == nil {
            return try await join(settings, override, Waiter(takesFresh: unlessFresh))
        }
        return try await fetchWithinRun(settings, override, unlessFresh: unlessFresh)
    }

    /// Fetches the value for a caller that is a run, or that wants a private run.
    @inline(never)
    private func fetchWithinRun(_ settings: RequestSettings, _ override: QueryContext?, unlessFresh: Bool) async throws -> AnyValue {
        try await RunScope.waiting(for: self) { reader in
            if settings.isDeduplicated {
                return try await join(settings, override, Waiter(takesFresh: unlessFresh, in: RunScope.current, reader))
            }
            if unlessFresh { noteLookup(isHit: false, settings) }
            return try await runPrivately(settings, override, for: reader)
        }
    }

    /// Runs the request for some of its pages, or joins a run under way with the same aim. First waits for any other run to end.
    ///
    /// `choose` gets the current base value. It returns the aim of a run, or `nil` if that value is the result. It is called again after
    /// each wait.
    func fetch(
        _ settings: RequestSettings,
        choosing choose: (_ base: AnyValue?, _ isRunning: Bool) -> RunAim?
    ) async throws -> AnyValue {
        try await RunScope.waiting(for: self) { reader in
            while true {
                let mustFetchAgain = SharedFlag()
                // Apply the changes that the client has entered first, because they may have removed the pages.
                let (base, isRunning, number) = change { contents, _ in
                    (contents.baseValue, contents.machine.run != nil, contents.valueNumber)
                }
                let aim = choose(base, isRunning)
                if aim == nil, let base {
                    RunScope.current?.takeOver(contents.withLock { $0.handOver(to: reader) }, from: self)
                    return base
                }
                do {
                    let waiter = Waiter(in: RunScope.current, reader, mustFetchAgain, choice: number)
                    let value = try await join(settings, nil, waiter, for: aim ?? .everything)
                    if !mustFetchAgain.isRaised { return value }
                } catch {
                    // Ignore the error of an earlier run with another aim, unless all callers were cancelled.
                    if !mustFetchAgain.isRaised || error is CancellationError { throw error }
                }
            }
        }
    }

    /// Returns the context of one call with the client and session of the store, even if the context had no client or another one.
    ///
    /// Throws ``QueryError/Code/sessionEnded`` for a context of an ended session, which must not be used in the current one.
    func inSession(_ context: QueryContext) throws -> QueryContext {
        // A session may have ended without the store having taken that change yet.
        let own = inPresentSession(settings).context
        if context.belongsToEndedSession(besides: own) { throw sessionEnded }
        guard context.owner !== own.owner else { return context }
        var context = context
        context.owner = own.owner
        context.session = own.session
        return context
    }

    var sessionEnded: QueryError { QueryError(.sessionEnded, path: path) }

    /// Waits for the run under way, or for one that begins now.
    ///
    /// - Parameter override: The environment of a run that this call starts, in place of the context of the settings.
    private func join(
        _ settings: RequestSettings,
        _ override: QueryContext?,
        _ waiter: Waiter,
        for aim: RunAim = .everything
    ) async throws -> AnyValue {
        defer {
            waiter.wait?.end()
            if waiter.reader != nil { takeOver(waiter) }
        }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                waiter.continuation = continuation
                wait(waiter, settings, override, aim)
            }
        } onCancel: {
            leave(waiter)
        }
    }

    // Code between two awaits is in functions that aren't inlined: with its variables the frame of the asynchronous function would be
    // larger than the memory that a task begins with.

    @inline(never)
    private func takeOver(_ waiter: Waiter) {
        // With the lock held: the thread sanitizer doesn't see the ordering by a continuation that is resumed before it is awaited.
        let (reads, moments) = contents.withLock { _ in (waiter.reads, waiter.moments) }
        RunScope.current?.takeOver(reads, moments, from: self)
    }

    @inline(never)
    private func wait(_ waiter: Waiter, _ settings: RequestSettings, _ override: QueryContext?, _ aim: RunAim) {
        let priority = Task.currentPriority
        if waiter.isPlain, override == nil, aim == .everything, settings.isPlain {
            if beginAlone(waiter, settings) || joinPlainly(waiter, settings, priority) { return }
        }
        let unlessFresh = waiter.takesFresh
        let (turn, actions) = decide(with: settings) { contents, input, freshness, settings -> WaitingTurn in
            var input = input
            input.settings = settings
            // The cancellation handler takes the same lock, so either it finds the waiter, or the task is found cancelled here.
            if Task.isCancelled { return .cancelled }
            // A session may have ended since the caller passed its context.
            if let override, override.belongsToEndedSession(besides: contents.base.context) { return .refused }
            // The caller chose its pages based on another value.
            if let choice = waiter.choice, choice != contents.valueNumber { return .overtaken }
            // A run may have ended since the caller looked for a fresh value, and its result is what the caller wants. The same applies to
            // the value of an open stream.
            let isLive = contents.machine.run?.isLive == true
            if unlessFresh || isLive, !contents.isStale(by: freshness), let base = contents.baseValue {
                waiter.reads = contents.handOver(to: waiter.reader)
                guard contents.outbox.isBusy else { return .fresh(base) }
                // When a fetch returns, all handlers must have been notified.
                contents.post(waiter, base)
                return .posted
            }
            contents.register(settings, isCall: true)
            let outcome = contents.process(input) { $0.fetch(&$1, for: aim) }
            guard let joined = outcome.joined else { preconditionFailure("A fetch joined no run: \(contents.machine)") }
            if let override { contents.useForStart(override) }
            waiter.run = joined
            contents.waiters.append(waiter)
            let slower = contents.run.flatMap { priority > $0.priority ? $0.raise(to: priority) : nil }
            return .waits(mustFetchAgain: outcome.mustFetchAgain, slower)
        }
        switch turn {
        case .cancelled:
            waiter.resume(.failure(CancellationError()))
        case .refused:
            waiter.resume(.failure(sessionEnded))
        case .overtaken:
            waiter.mustFetchAgain?.raise()
            waiter.resume(.failure(ChoiceOvertaken()))
        case .posted:
            if unlessFresh { noteLookup(isHit: true, settings) }
        case .fresh(let value):
            if unlessFresh { noteLookup(isHit: true, settings) }
            waiter.resume(.success(value))
        case .waits(let mustFetchAgain, let slower):
            // From now on the waiting run doesn't count as working; the run that it waits for does.
            waiter.wait?.begin()
            if mustFetchAgain { waiter.mustFetchAgain?.raise() }
            if unlessFresh { noteLookup(isHit: false, settings) }
            if let slower { raise(slower, to: priority) }
            if waiter.reader != nil, host.rounds.isBusy { answerRuns() }
        }
        perform(actions, forCaller: true)
    }

    /// Joins the run under way if that changes only the number of callers. Returns `false` if more has to be decided.
    @inline(never)
    private func joinPlainly(_ waiter: Waiter, _ settings: RequestSettings, _ priority: TaskPriority) -> Bool {
        let joined = contents.withOpenContents { contents -> (isDone: Bool, replaced: RequestSettings?) in
            guard settings.context.owner?.isEnded != true, !Task.isCancelled else { return (false, nil) }
            return contents.join(waiter, settings, priority)
        }
        guard joined?.isDone == true else { return false }
        if waiter.takesFresh { noteLookup(isHit: false, settings) }
        return true
    }

    /// Removes a cancelled caller and resumes it at once. If its run is now unwanted, the run is given up first. Another task does the
    /// rest, because foreign code must not run in a cancellation handler (R7).
    @inline(never)
    private func leave(_ waiter: Waiter) {
        let token = host.work.begin()
        let (isWaiting, undecided, decided) = contents.withLock { contents -> (Bool, Int32?, StoreActions) in
            // A caller that isn't in the list has its result already. At most, it still waits for handlers.
            guard contents.waiters.remove(waiter) else { return (waiter.isPosted, nil, StoreActions()) }
            // If the caller is a run, it must count as working again before the run it waited for may stop counting. It may fail because
            // its time is over, and then depends on what that run has read so far (R18).
            waiter.wait?.resume()
            _ = contents.handOver(to: waiter.reader, since: contents.run?.asOf)
            guard let run = contents.machine.forgetWaiter(of: waiter.run) else { return (true, nil, StoreActions()) }
            if contents.prepare(StoreInput()) != nil { return (true, run, StoreActions()) }
            contents.abandon(run, StoreInput())
            return (true, nil, contents.conclude())
        }
        guard isWaiting else { return token.end() }
        var actions = decided
        // A run without a task is skipped: `begin(_:)` cancels the task as soon as it is created.
        let givenUp = actions.takeGivenUp().filter { $0.giveUp() }
        for run in givenUp { noteGivenUp(run) }
        waiter.resume(.failure(CancellationError()))
        if undecided == nil, givenUp.isEmpty, actions.isEmpty { return token.end() }
        // The task has no owner: it does one thing and ends.
        Task.detached { [actions] in
            for run in givenUp { run.task?.cancel() }
            if let undecided { self.change { contents, input in contents.abandon(undecided, input) } }
            self.perform(actions)
            token.end()
        }
    }
}

extension StoreContents {
    /// Adds a caller to the run under way, if that has no other effects. Returns the replaced settings, to be released outside the lock.
    fileprivate mutating func join(_ waiter: Waiter, _ settings: RequestSettings, _ priority: TaskPriority) -> (Bool, RequestSettings?) {
        guard let run, rare == nil, pendingChanges.isEmpty, host.latestChange == latest, priority <= run.priority,
            !waiter.takesFresh || !state.record.hasResult, machine.joinRun()
        else { return (false, nil) }
        waiter.run = run.number
        waiters.append(waiter)
        let replaced = settings === caller ? nil : caller
        caller = settings
        return (true, replaced)
    }

    /// Gives up a run that lost a caller, if nothing else wants it.
    fileprivate mutating func abandon(_ run: Int32, _ input: StoreInput) {
        let abandonment = abandonment
        process(input) { $0.abandon(run, abandonment, &$1) }
    }
}

/// How the wait of a caller begins.
private enum WaitingTurn: Sendable {
    case cancelled
    /// The context belongs to a session that has ended.
    case refused
    /// The value has changed since the caller chose its aim.
    case overtaken
    case fresh(AnyValue)
    /// The caller gets a fresh value as soon as handlers have been notified of it.
    case posted
    /// The caller waits for a run. If there is a task, its priority must be raised to that of the caller.
    case waits(mustFetchAgain: Bool, Task<Void, Never>?)
}

/// An internal error that makes a caller choose its aim again. It never reaches the app.
private struct ChoiceOvertaken: Error {}

extension QueryContext {
    /// Whether the context belongs to an ended session. `own` is the store's context. A store whose client was deallocated keeps its
    /// session.
    func belongsToEndedSession(besides own: QueryContext) -> Bool {
        guard let owner else { return false }
        return owner === own.owner ? owner.isEnded : owner.object == nil
    }
}
