/// The shared, untyped core of a store: the state of one request, its runs and its deliveries.
///
/// ``QueryStore`` is the typed handle of a core. A client creates and keeps cores.
final class StoreCore: Opaque, Sendable {
    let key: QueryIdentity.Key
    let typing: any StateTyping
    let contents: StoreLock
    let host: any StoreHost
    let ticket: StoreTicket

    /// - Parameter number: The latest change before the store is created.
    init(
        _ typing: any StateTyping,
        settings: RequestSettings,
        after number: ChangeNumber,
        host: any StoreHost,
        ticket: StoreTicket
    ) {
        key = QueryIdentity.Key(settings.request.identity)
        self.typing = typing
        contents = StoreLock(StoreBasis(state: StateBox(), runsByItself: typing.runsByItself, settings: settings.kept))
        self.host = host
        self.ticket = ticket
        contents.withBasis { basis, _ in (basis.owner, basis.latest) = (self, number) }
    }

    var identity: QueryIdentity { key.identity }

    func isIdentified(by identity: QueryIdentity) -> Bool { key.isKey(of: identity) }

    deinit {
        contents.end()
        host.release(ticket)
    }

    // MARK: State

    /// The current state. It includes the changes that the client has entered and the store hasn't taken yet.
    var box: StateBox {
        contents.withState { basis in
            let state = basis.state
            switch pendingKind(after: basis.latest) {
            case .nothing:
                return state
            case .invalidation:
                guard typing.runsByItself, !state.record.flags.contains(.invalidated) else { return state }
                var record = state.record
                record.flags.insert(.invalidated)
                return state.with(record)
            case .reset:
                var record = QueryRecord()
                record.revision = state.record.revision
                return StateBox(record: record)
            }
        }
    }

    /// The kind of changes that the client has entered and the store hasn't taken yet.
    func pendingKind(after latest: ChangeNumber) -> PendingChanges.Kind {
        host.latestChange == latest ? .nothing : host.pendingKind(for: ticket)
    }

    var record: QueryRecord { box.record }

    /// Whether there is a value other than a placeholder.
    var hasValue: Bool { box.record.flags.contains(.hasValue) }

    var path: QueryPath { request.path }

    var request: any QueryRequest { contents.withBasis { basis, _ in basis.base }.request }

    /// The settings that determine the clock and the session of the store.
    var settings: RequestSettings { contents.withLock { $0.latestSettings } }

    var context: QueryContext { settings.context }

    /// Whether the library may start runs on its own, which an observer or the last caller has to allow.
    var isEnabled: Bool {
        guard typing.runsByItself else { return false }
        return contents.withLock { $0.conditionalContexts }?.contains(where: \.isEnabled) ?? true
    }

    var runPriority: TaskPriority? { contents.withLock { $0.run?.priority } }

    var isFetching: Bool { record.flags.contains(.fetching) }

    var subscriberCount: Int { contents.withLock { Int($0.machine.subscribers) } }

    /// Whether the value is too old according to some settings, or invalidated.
    func isStale(by context: QueryContext) -> Bool {
        while true {
            let freshness = freshness(by: context)
            let isStale = contents.withLock { contents -> Bool? in
                guard pendingKind(after: contents.latest) == .nothing else { return true }
                return contents.isCurrent(freshness) ? contents.isStale(by: freshness) : nil
            }
            if let isStale { return isStale }
        }
    }

    // MARK: Settings

    /// The requests that any of the settings name as dependencies.
    var dependencies: [any QueryRequest] { contents.withLock { $0.allSettings }.flatMap(\.context.settings.dependencies) }

    /// Returns the settings in the current session, because the context of an earlier session belongs to another user.
    func inPresentSession(_ settings: RequestSettings) -> RequestSettings {
        guard settings.context.owner?.isEnded == true else { return settings }
        return RequestSettings(settings.request, host.context(for: settings.request))
    }

    /// A state as it looks with some settings. While there is no value and no failure, it has the placeholder of these settings.
    func shown(_ box: StateBox, to settings: RequestSettings) -> StateBox {
        let box = box.shown
        guard box.current == nil, box.record.errorCount == 0 else { return box }
        let standIn: AnyValue? =
            switch settings.standIn {
            case .none: nil
            case .previous(let value): settings.context.owner?.isEnded == true ? nil : value
            case .maker(let maker): typing.placeholder(maker)
            }
        guard let standIn else { return box }
        var record = box.record
        record.flags.insert(.placeholder)
        return StateBox(record: record, current: standIn, byteCount: 0)
    }

    /// Makes an attempt, and repeats it if the session of the store changes in the meantime, because conditions may have other results in
    /// the next session.
    ///
    /// - Parameter attempt: Returns `false` and does nothing if the store isn't in the given session.
    func inOneSession(_ attempt: (_ session: WeakOwner?) -> Bool) {
        while !attempt(contents.withBasis { basis, _ in basis.base.context.owner }) {}
    }

    // MARK: Changes

    /// Processes one event with the lock held, and then carries out the actions. Changes that the client has entered are applied first.
    ///
    /// Everything that needs foreign code is evaluated before, without the lock: whether runs may start, what values look like with the
    /// layers of mutations, whether two values are equal. If the store has changed by the time the event is processed, what depends on the
    /// change is evaluated again.
    @inline(__always)
    @discardableResult
    func change<Result: Sendable>(
        _ input: StoreInput = StoreInput(),
        _ body: (inout StoreContents, StoreInput) -> Result
    ) -> Result {
        let (result, actions) = decide(input, body)
        perform(actions)
        return result
    }

    /// Processes an event as `change` does, but returns the actions for the caller to carry out.
    @inline(__always)
    func decide<Result: Sendable>(
        _ input: StoreInput = StoreInput(),
        _ body: (inout StoreContents, StoreInput) -> Result
    ) -> (Result, StoreActions) {
        var question: StoreContents.Question?
        let done = contents.withLock { contents -> (Result, StoreActions)? in
            question = contents.prepare(input)
            if question != nil { return nil }
            return (body(&contents, input), contents.conclude(now: input.now))
        }
        return done ?? decide(input, answering: question, body)
    }

    @inline(never)
    private func decide<Result: Sendable>(
        _ input: StoreInput,
        answering first: StoreContents.Question?,
        _ body: (inout StoreContents, StoreInput) -> Result
    ) -> (Result, StoreActions) {
        var input = input
        var question = first
        while true {
            if let question { answer(question, in: &input) }
            let done = contents.withLock { contents -> (Result, StoreActions)? in
                question = contents.prepare(input)
                if question != nil { return nil }
                return (body(&contents, input), contents.conclude(now: input.now))
            }
            if let done { return done }
        }
    }

    @inline(never)
    private func answer(_ question: StoreContents.Question, in input: inout StoreInput) {
        switch question {
        case .layered(let basis):
            let layered = RunScope.outside { LayeredValues(basis, for: input) }
            input.layered = layered
            if let accepted = layered.accepted { input.comparison = compare(accepted) }
        case .isEnabled(let contexts):
            input.isEnabled = RunScope.outside { typing.runsByItself && contexts.contains(where: \.isEnabled) }
        case .tags(let value):
            input.tags = tags(of: value)
        case .comparison(let value):
            input.comparison = compare(value)
        case .renewal(let settings, let conditional):
            let renewal = RunScope.outside {
                SettingsRenewal(settings) { RequestSettings($0.request, host.context(for: $0.request)) }
            }
            input.renewed = renewal
            input.isEnabled = RunScope.outside {
                typing.runsByItself && conditional?.contains { renewal[$0].context.isEnabled } != false
            }
        }
    }

    /// Applies the changes that the client has entered, and watches the run that follows.
    func catchUp(_ refetches: RefetchList? = nil) {
        change { contents, _ in
            if let refetches { contents.watchRun(of: self, for: refetches) }
        }
    }

    // MARK: Actions

    /// Carries out the actions of a change, without the lock. Tasks are created before deliveries, because a handler may be slow.
    ///
    /// - Parameter isCaller: Whether a caller waits on this thread. If so, another task delivers, because the caller may be cancelled
    ///   during a slow handler (R7).
    @inline(__always)
    func perform(_ actions: StoreActions, forCaller isCaller: Bool = false) {
        if !actions.isEmpty { performAll(actions, isCaller) }
    }

    @inline(never)
    private func performAll(_ actions: StoreActions, _ isCaller: Bool) {
        if actions.hasUpdates { host.carryOutUpdates() }
        if actions.endWork { host.work.count(false) }
        guard let first = actions.first else { return }
        guard let second = actions.second else { return perform(first, forCaller: isCaller) }
        for isLast in [false, true] {
            if first.isLast == isLast { perform(first, forCaller: isCaller) }
            if second.isLast == isLast { perform(second, forCaller: isCaller) }
            for action in actions.others where action.isLast == isLast { perform(action, forCaller: isCaller) }
        }
    }

    private func perform(_ action: StoreAction, forCaller isCaller: Bool = false) {
        switch action {
        case .giveUp(let run):
            guard run.giveUp() else { return }
            run.task?.cancel()
            host.rounds.noteEnd(of: run)
            noteGivenUp(run)
        case .begin(let run): begin(run)
        case .updateTriggers: updateTriggers()
        case .endTriggers(let triggers): triggers.end()
        case .report(let failures): for failure in failures { report(.layerFailed, .optimistic, failure) }
        case .deliver(let delivery) where isCaller:
            // The task has no owner: it ends when all deliveries are carried out, and these count as work.
            Task.detached(priority: Task.currentPriority) { self.deliver(delivery) }
        case .deliver(let delivery): deliver(delivery)
        case .resume(var waiters, let answer): while let waiter = waiters.popFirst() { waiter.resume(answer) }
        case .endRefetches(let watches): for watch in watches { watch.resume() }
        case .foldLayers: foldLayers()
        case .release, .releaseValue: break
        }
    }

    /// Begins and ends triggers to match the observers.
    func updateTriggers() {
        let (ended, begun) = contents.withLock { contents in
            contents.exchangeTriggers { triggers, settings, observer in
                let isAnswered: @Sendable () -> Bool = { [weak self] in self?.answersTriggers ?? true }
                return TriggerSession(triggers, settings.context, host, isAnswered: isAnswered) { [weak self] cause, _ in
                    self?.refreshIfStale(cause, by: observer)
                }
            }
        }
        for session in begun {
            session.begin()
            session.reportIntervals(of: self)
        }
        for session in ended { session.end() }
    }
}
