/// Where the state of one request lives: its machine, its work and its deliveries, without its types.
///
/// ``QueryStore`` is the typed face of it. A client makes and keeps stores.
final class StoreCore: Sendable {
    let key: QueryIdentity.Key
    let typing: any StateTyping
    let contents: StoreLock
    let host: any StoreHost
    let ticket: StoreTicket

    /// - Parameter number: The latest change that is older than the store.
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

    /// The state of this moment. A change that was entered and hasn't reached the store yet counts.
    var box: StateBox {
        contents.withState { basis in
            let state = basis.state
            switch waitingNews(after: basis.latest) {
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

    /// Whether the client has entered changes that the store has not taken yet.
    func waitingNews(after latest: ChangeNumber) -> StoreNews.Waiting {
        host.latestChange == latest ? .nothing : host.waitingNews(for: ticket)
    }

    var record: QueryRecord { box.record }

    /// Whether there is a value that is no placeholder.
    var hasValue: Bool { box.record.flags.contains(.hasValue) }

    var path: QueryPath { request.path }

    var request: any QueryRequest { contents.withBasis { basis, _ in basis.base }.request }

    /// The settings by which the store is looked after.
    var settings: RequestSettings { contents.withLock { $0.latestSettings } }

    var context: QueryContext { settings.context }

    /// Whether the library may start runs by itself: someone who looks has to allow it.
    var isEnabled: Bool {
        guard typing.runsByItself else { return false }
        return contents.withLock { $0.conditionalContexts }?.contains(where: \.isEnabled) ?? true
    }

    var runPriority: TaskPriority? { contents.withLock { $0.run?.priority } }

    var isFetching: Bool { record.flags.contains(.fetching) }

    var subscriberCount: Int { contents.withLock { Int($0.machine.subscribers) } }

    /// Whether the value is too old by some settings, or known to be out of date.
    func isStale(by context: QueryContext) -> Bool {
        while true {
            let freshness = freshness(by: context)
            let isStale = contents.withLock { contents -> Bool? in
                guard waitingNews(after: contents.latest) == .nothing else { return true }
                return contents.isCurrent(freshness) ? contents.isStale(by: freshness) : nil
            }
            if let isStale { return isStale }
        }
    }

    // MARK: Settings

    /// The requests on whose values some of the settings depend.
    var dependencies: [any QueryRequest] { contents.withLock { $0.allSettings }.flatMap(\.context.settings.dependencies) }

    /// Some settings as they are in the present session: those of a former one would show its user.
    func inPresentSession(_ settings: RequestSettings) -> RequestSettings {
        guard settings.context.owner?.isEnded == true else { return settings }
        return RequestSettings(settings.request, host.context(for: settings.request))
    }

    /// A state as it looks with some settings: a stand-in shows while there is no value and no failure.
    func shown(_ box: StateBox, to settings: RequestSettings) -> StateBox {
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

    /// Repeats what began in one session and came to the store in the next: conditions may say something else there.
    ///
    /// - Parameter attempt: Returns `false`, and has done nothing, if the store is in another session than the given one.
    func inOneSession(_ attempt: (_ session: WeakOwner?) -> Bool) {
        while !attempt(contents.withBasis { basis, _ in basis.base.context.owner }) {}
    }

    // MARK: Changes

    /// Opens the contents for one event, and does what that leaves to be done. Changes that the client has entered come first.
    ///
    /// What the event needs of the world outside is found out before: whether there is a network, whether runs may start, what values look
    /// like beneath the layers of mutations. If that is another by then, it is found out again.
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

    /// The same, and leaves it to the caller when what follows is done.
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

    /// Takes the changes that the client has entered, and notes the run that follows from them.
    func catchUp(_ refetches: RefetchList? = nil) {
        change { contents, _ in
            if let refetches { contents.watchRun(of: self, for: refetches) }
        }
    }

    // MARK: Actions

    /// Does what a change has left to be done; the lock is open here. Tasks come before deliveries, because a handler may be slow.
    ///
    /// - Parameter isCaller: Whether somebody waits on this thread who may be cancelled while a handler is slow (R7): then another task delivers.
    @inline(__always)
    func perform(_ actions: StoreActions, forCaller isCaller: Bool = false) {
        if !actions.isEmpty { performAll(actions, isCaller) }
    }

    @inline(never)
    private func performAll(_ actions: StoreActions, _ isCaller: Bool) {
        if actions.needAttention { host.attend() }
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
            host.picture.noteEnd(of: run)
            noteGivenUp(run)
        case .begin(let run): begin(run)
        case .updateTriggers: updateTriggers()
        case .endTriggers(let triggers): triggers.end()
        case .report(let failures): for failure in failures { report(.layerFailed, .optimistic, failure) }
        case .deliver(let delivery) where isCaller:
            // The task has no owner: it ends when all deliveries are made, and these count as work.
            Task.detached(priority: Task.currentPriority) { self.deliver(delivery) }
        case .deliver(let delivery): deliver(delivery)
        case .resume(var waiters, let answer): while let waiter = waiters.popFirst() { waiter.resume(answer) }
        case .endRefetches(let watches): for watch in watches { watch.resume() }
        case .foldLayers: foldLayers()
        case .release, .releaseValue: break
        }
    }

    /// Begins and ends triggers as observers say.
    func updateTriggers() {
        let (ended, begun) = contents.withLock { contents in
            contents.exchangeTriggers { triggers, settings, observer in
                let isAnswered: @Sendable () -> Bool = { [weak self] in self?.answersTriggers ?? true }
                return TriggerSession(triggers, settings.context, host, isAnswered: isAnswered) { [weak self] cause, _ in
                    self?.pull(cause, by: observer)
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
