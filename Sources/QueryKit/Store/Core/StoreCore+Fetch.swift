extension StoreCore {
    /// The cached value while it is fresh, for a caller that is no run.
    ///
    /// It is without what mutations only expect, and there is none while handlers have not heard of it yet.
    @inline(never)
    func freshValue(by settings: RequestSettings) -> AnyValue? {
        guard RunScope.current == nil else { return nil }
        let value = settings.hasFixedTTL ? youngValue(by: settings) : judgedValue(by: settings.context)
        if value != nil { noteLookup(isHit: true, settings) }
        return value
    }

    /// The value, if it is younger than the settings say.
    @inline(__always)
    private func youngValue(by settings: RequestSettings) -> AnyValue? {
        let ttl = settings.context.settings.span
        // Only the value of an open stream could be fresh. ``wait(_:_:_:_:)`` checks that.
        if ttl == .zero { return nil }
        let now = ttl == .infinity ? .zero : settings.context.clock.now
        return contents.withBasis { basis, isBusy in
            if isBusy || basis.state.record.isStale(at: now, ttl: ttl) { return nil }
            return waitingNews(after: basis.latest) == .nothing ? basis.value : nil
        }
    }

    /// The value, if a closure says that it is fresh.
    private func judgedValue(by context: QueryContext) -> AnyValue? {
        let freshness = freshness(by: context)
        return contents.withBasis { basis, isBusy in
            // While the closure judged the value, another one may have come, or a change that takes it away.
            if isBusy || basis.valueNumber != freshness.number || basis.state.record.isStale(at: freshness.now, ttl: freshness.ttl) {
                return nil
            }
            return waitingNews(after: basis.latest) == .nothing ? basis.value : nil
        }
    }

    @inline(__always)
    func ask(_ settings: RequestSettings, in override: QueryContext? = nil, unlessFresh: Bool) async throws -> AnyValue {
        // Most callers are no runs, and share one.
        if settings.isDeduplicated, RunScope.current == nil {
            return try await join(settings, override, Waiter(takesFresh: unlessFresh)).value
        }
        return try await askAsRun(settings, override, unlessFresh: unlessFresh)
    }

    /// The same for a caller that is a run, or wants one of its own.
    @inline(never)
    private func askAsRun(_ settings: RequestSettings, _ override: QueryContext?, unlessFresh: Bool) async throws -> AnyValue {
        try await RunScope.waiting(for: self) { reader in
            if settings.isDeduplicated {
                return try await join(settings, override, Waiter(takesFresh: unlessFresh, in: RunScope.current, reader))
            }
            if unlessFresh { noteLookup(isHit: false, settings) }
            return try await runPrivately(settings, override, for: reader)
        }
    }

    /// Runs the request for a part of its pages, or joins the run that is under way for the same part. Waits for any other run to end first.
    ///
    /// `choose` says which part, given the base value of that moment, and is asked again after each wait; with `nil` the base value is the answer.
    func fetch(
        _ settings: RequestSettings,
        choosing choose: (_ base: AnyValue?, _ isRunning: Bool) -> RunAim?
    ) async throws -> AnyValue {
        try await RunScope.waiting(for: self) { reader in
            while true {
                let mustAskAgain = SharedFlag()
                // Changes that the client has entered come first: they may have taken the pages away.
                let (base, isRunning, number) = change { contents, _ in
                    (contents.baseValue, contents.machine.run != nil, contents.valueNumber)
                }
                let aim = choose(base, isRunning)
                if aim == nil, let base {
                    return FetchedValue(value: base, reads: contents.withLock { $0.handOver(to: reader) })
                }
                do {
                    let waiter = Waiter(in: RunScope.current, reader, mustAskAgain, choice: number)
                    let value = try await join(settings, nil, waiter, for: aim ?? .everything)
                    if !mustAskAgain.isRaised { return value }
                } catch {
                    // How the run before ended is no concern of this one, unless somebody ended all.
                    if !mustAskAgain.isRaised || error is CancellationError { throw error }
                }
            }
        }
    }

    /// The context for one call, with the client and the session of the store, whether it was made without a client, with another one, or
    /// was given its client by hand.
    ///
    /// Throws ``QueryError/Code/sessionEnded`` for a context of a session that has ended: its user must not reach the present one.
    func inSession(_ context: QueryContext) throws -> QueryContext {
        // The store may not have heard yet that a session has ended.
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
    /// - Parameter override: The environment of a run that begins with the call, in place of that of the settings.
    private func join(
        _ settings: RequestSettings,
        _ override: QueryContext?,
        _ waiter: Waiter,
        for aim: RunAim = .everything
    ) async throws -> FetchedValue {
        defer { waiter.rest?.end() }
        let value = try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                waiter.continuation = continuation
                wait(waiter, settings, override, aim)
            }
        } onCancel: {
            leave(waiter)
        }
        if waiter.reader == nil { return FetchedValue(value: value) }
        let (reads, moments) = reads(of: waiter)
        return FetchedValue(value: value, reads: reads, moments: moments)
    }

    // What stands between two awaits is called, not inlined: its variables would make the frame of an asynchronous function larger than the
    // memory that a task begins with.

    @inline(never)
    private func reads(of waiter: Waiter) -> ([QueryRegion], ReadMoments?) {
        // With the lock held: the thread sanitizer doesn't see the order that a continuation makes if it is resumed before it is awaited.
        contents.withLock { _ in (waiter.reads, waiter.moments) }
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
            // The cancellation handler takes the same lock: either it finds the waiter, or this finds the task cancelled.
            if Task.isCancelled { return .cancelled }
            // A session may have ended since the caller brought its context.
            if let override, override.belongsToEndedSession(besides: contents.base.context) { return .refused }
            // The caller chose its part of the pages by another value.
            if let choice = waiter.choice, choice != contents.valueNumber { return .overtaken }
            // A run may have ended since the caller looked, and its result is what the caller wants.
            // A stream under way has brought what it has.
            let isLive = contents.machine.run?.isLive == true
            if unlessFresh || isLive, !contents.isStale(by: freshness), let base = contents.baseValue {
                waiter.reads = contents.handOver(to: waiter.reader)
                guard contents.outbox.isBusy else { return .fresh(base) }
                // Whoever returns from a fetch finds every handler informed.
                contents.post(waiter, base)
                return .posted
            }
            contents.mention(settings, isCall: true)
            let outcome = contents.process(input) { $0.fetch(&$1, for: aim) }
            guard let joined = outcome.joined else { preconditionFailure("A fetch joined no run: \(contents.machine)") }
            if let override { contents.useForStart(override) }
            waiter.run = joined
            contents.waiters.append(waiter)
            let slower = contents.run.flatMap { priority > $0.priority ? $0.raise(to: priority) : nil }
            return .waits(mustAskAgain: outcome.mustAskAgain, slower)
        }
        switch turn {
        case .cancelled:
            waiter.resume(.failure(CancellationError()))
        case .refused:
            waiter.resume(.failure(sessionEnded))
        case .overtaken:
            waiter.mustAskAgain?.raise()
            waiter.resume(.failure(ChoiceOvertaken()))
        case .posted:
            if unlessFresh { noteLookup(isHit: true, settings) }
        case .fresh(let value):
            if unlessFresh { noteLookup(isHit: true, settings) }
            waiter.resume(.success(value))
        case .waits(let mustAskAgain, let slower):
            // From now on the run that waits counts by the one that it waits for.
            waiter.rest?.begin()
            if mustAskAgain { waiter.mustAskAgain?.raise() }
            if unlessFresh { noteLookup(isHit: false, settings) }
            if let slower { raise(slower, to: priority) }
            if waiter.reader != nil, host.picture.isBusy { answerRuns() }
        }
        perform(actions, forCaller: true)
    }

    /// Joins the run under way where that changes nothing but the number of callers; `false` if there is more to decide.
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

    /// A caller was cancelled. It returns at once, and finds its run given up if that is unwanted now. The rest is done by another task, because
    /// foreign code must not run in a cancellation handler (R7).
    @inline(never)
    private func leave(_ waiter: Waiter) {
        let token = host.work.begin()
        let (isWaiting, undecided, decided) = contents.withLock { contents -> (Bool, Int32?, StoreActions) in
            // One that has its answer waits for handlers only.
            guard contents.waiters.remove(waiter) else { return (waiter.isPosted, nil, StoreActions()) }
            // The run that asks counts again before the one that it waited for may stop.
            waiter.rest?.resume()
            guard let run = contents.machine.forgetWaiter(of: waiter.run) else { return (true, nil, StoreActions()) }
            if contents.prepare(StoreInput()) != nil { return (true, run, StoreActions()) }
            contents.abandon(run, StoreInput())
            return (true, nil, contents.conclude())
        }
        guard isWaiting else { return token.end() }
        var actions = decided
        // A run that has no task yet is left out: `begin(_:)` cancels the task as soon as it has made it.
        let givenUp = actions.takeGivenUp().filter { $0.giveUp() }
        for run in givenUp { noteGivenUp(run) }
        waiter.resume(.failure(CancellationError()))
        if undecided == nil, givenUp.isEmpty, actions.isEmpty { return token.end() }
        // Nobody owns the task: it does one thing and ends.
        Task.detached { [actions] in
            for run in givenUp { run.task?.cancel() }
            if let undecided { self.change { contents, input in contents.abandon(undecided, input) } }
            self.perform(actions)
            token.end()
        }
    }
}

extension StoreContents {
    /// Adds a caller to the run under way, if nothing else follows from that. Hands out the settings that count no longer.
    fileprivate mutating func join(_ waiter: Waiter, _ settings: RequestSettings, _ priority: TaskPriority) -> (Bool, RequestSettings?) {
        guard let run, rare == nil, news.isEmpty, host.latestChange == latest, priority <= run.priority,
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
    /// There is another value than the one by which the caller chose what it wants.
    case overtaken
    case fresh(AnyValue)
    /// It gets a fresh value as soon as handlers have heard of it.
    case posted
    /// It waits for a run; the task, if there is one, goes on at the caller's priority from now on.
    case waits(mustAskAgain: Bool, Task<Void, Never>?)
}

/// A caller has to choose again; it never reaches the user.
private struct ChoiceOvertaken: Error {}

extension QueryContext {
    /// Whether the context is one of a former session, seen from a store's own context. A store whose client was deallocated keeps its session.
    func belongsToEndedSession(besides own: QueryContext) -> Bool {
        guard let owner else { return false }
        return owner === own.owner ? owner.isEnded : owner.object == nil
    }
}
