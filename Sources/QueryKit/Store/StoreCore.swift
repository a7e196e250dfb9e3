/// Where the state of one request lives: its machine, its work and its deliveries, without its types.
///
/// ``QueryStore`` is the typed face of it. A client makes and keeps stores.
final class StoreCore: Sendable {
    let identity: QueryIdentity
    let typing: any StateTyping
    /// What the state shows while there is no value; `nil` for the `nil` of an optional.
    let initial: (any Sendable)?
    let contents: Lock<StoreContents>
    let host: any StoreHost
    let ticket: StoreTicket

    init(
        _ typing: any StateTyping,
        initial: (any Sendable)?,
        settings: RequestSettings,
        host: any StoreHost,
        ticket: StoreTicket
    ) {
        identity = settings.request.identity
        self.typing = typing
        self.initial = initial
        contents = Lock(
            StoreContents(
                state: StateBox(),
                runsByItself: typing.runsByItself,
                settings: settings,
                host: host,
                ticket: ticket
            )
        )
        self.host = host
        self.ticket = ticket
    }

    func isIdentified(by identity: QueryIdentity) -> Bool { self.identity == identity }

    deinit { host.release(ticket) }

    // MARK: State

    /// The state of this moment. A change that was entered and hasn't reached the store yet counts.
    var box: StateBox {
        contents.withLock { contents in
            let state = contents.state
            switch host.waitingNews(for: ticket) {
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

    var record: QueryRecord { box.record }

    /// Whether there is a value that is no placeholder.
    var hasValue: Bool { box.record.flags.contains(.hasValue) }

    var path: QueryPath { request.path }

    var request: any QueryRequest { contents.withLock { $0.base }.request }

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
        let record = contents.withLock { host.waitingNews(for: ticket) == .nothing ? $0.state.record : nil }
        return record?.isStale(at: context.clock.now, ttl: context.ttl) ?? true
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
        let standIn: StateBox.Value? =
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

    /// The settings of the request without modifiers, if the store has met it.
    var plainSettings: RequestSettings? {
        contents.withLock { contents in
            if let plain = contents.extras?.plain { return plain }
            return ObjectIdentifier(type(of: contents.base.request)) == identity.type ? contents.base : nil
        }
    }

    func keepPlainSettings(_ settings: RequestSettings) {
        // What is replaced is released outside the lock.
        _ = contents.withLock { contents -> RequestSettings? in
            guard settings !== contents.base, contents.extras?.plain !== settings else { return nil }
            let extras = contents.needExtras()
            defer { extras.plain = settings }
            return extras.plain
        }
    }

    /// Notes that somebody made a handle with some settings.
    func mention(_ settings: RequestSettings) {
        let own = settings.context.settings
        guard own.retention != nil || own.persistence != nil || !own.handlers.isEmpty || !own.tags.isEmpty || own.computedTags != nil
        else { return }
        change { contents, _ in contents.mention(settings, isCall: false) }
        if !own.tags.isEmpty || own.computedTags != nil { setTags(of: box.current) }
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
    ) -> (Result, [StoreAction]) {
        var input = input
        input.isOffline = host.isOffline
        while true {
            let (done, question) = contents.withLock { contents -> ((Result, [StoreAction])?, StoreContents.Question?) in
                if let question = contents.prepare(input) { return (nil, question) }
                let result = body(&contents, input)
                return ((result, contents.conclude()), nil)
            }
            if let done { return done }
            if let question { answer(question, in: &input) }
        }
    }

    @inline(never)
    private func answer(_ question: StoreContents.Question, in input: inout StoreInput) {
        switch question {
        case .overlay(let basis):
            let overlay = RunScope.outside { Overlay(basis, for: input) }
            input.overlay = overlay
            if let accepted = overlay.accepted { input.equalsValue = numberOfEqualValue(accepted) }
        case .isEnabled(let contexts):
            input.isEnabled = RunScope.outside { typing.runsByItself && contexts.contains(where: \.isEnabled) }
        case .renewal(let settings):
            let renewal = RunScope.outside {
                SettingsRenewal(settings) { RequestSettings($0.request, host.context(for: $0.request)) }
            }
            input.renewed = renewal
            input.isEnabled = RunScope.outside { typing.runsByItself && settings.contains { renewal[$0].context.isEnabled } }
        }
    }

    /// Takes the changes that the client has entered.
    func catchUp() { change { _, _ in } }

    // MARK: Actions

    /// Does what a change has left to be done; the lock is open here. Tasks come before deliveries, because a handler may be slow.
    ///
    /// - Parameter isCaller: Whether somebody waits on this thread who may be cancelled while a handler is slow (R7): then another task delivers.
    func perform(_ actions: [StoreAction], forCaller isCaller: Bool = false) {
        if actions.isEmpty { return }
        for action in actions {
            switch action {
            case .end(let ended):
                ended.task?.cancel()
                noteEnd(ended)
            case .begin(let run): begin(run)
            case .updateTriggers: updateTriggers()
            case .endTriggers(let triggers): triggers.end()
            case .report(let failures): for failure in failures { report(.layerFailed, .optimistic, failure) }
            case .attend: host.attend()
            case .deliver, .resume, .foldLayers, .release: break
            }
        }
        for action in actions {
            switch action {
            case .deliver(let turn) where isCaller:
                // Owned by nobody: it ends with the line, which counts as work.
                Task.detached(priority: Task.currentPriority) { self.deliver(turn) }
            case .deliver(let turn): deliver(turn)
            case .resume(let waiters, let answer): for waiter in waiters { waiter.resume(answer) }
            case .foldLayers: foldLayers()
            default: break
            }
        }
    }

    /// Begins and ends triggers as observers say.
    func updateTriggers() {
        let (ended, begun) = contents.withLock { contents in
            contents.exchangeTriggers { triggers, settings, observer in
                let isAnswered: @Sendable () -> Bool = { [weak self] in self?.answersTriggers ?? true }
                return TriggerSession(triggers, settings.context, host, isAnswered: isAnswered) { [weak self] in
                    self?.pull($0, by: observer)
                }
            }
        }
        for session in ended { session.end() }
        for session in begun { session.begin() }
    }

    /// Files the store under the tags of its settings, and those of a value.
    func setTags(of value: StateBox.Value?) {
        if let tags = tags(of: value) { host.setTags(tags, ticket) }
    }

    /// The tags of all settings, and those that are computed from a value; `nil` for a request without any.
    func tags(of value: StateBox.Value?) -> Set<QueryTag>? {
        guard let tagging = contents.withLock({ $0.tagging }) else { return nil }
        var tags = tagging.tags
        guard let value else { return tags }
        for settings in tagging.computing {
            if let computed = settings.context.settings.computedTags { tags.formUnion(typing.tags(of: value, by: computed)) }
        }
        return tags
    }

    private func deliver(_ first: Outbox.Turn) {
        var turn: Outbox.Turn? = first
        while let now = turn {
            let delivery = now.delivery
            if !delivery.changes.isEmpty { RunScope.outside { carryOut(now) } }
            if let stored = delivery.stored { for keeper in delivery.keepers { keep(stored, keeper) } }
            // The line is handed on before the callers go on: they would only meet this thread at the store's lock.
            let (next, actions) = contents.withLock { $0.nextTurn() }
            delivery.endTurn()
            perform(actions)
            turn = next
        }
    }

    /// Calls all who have not heard the delivery in joining, and the handlers that requests brought along.
    private func carryOut(_ turn: Outbox.Turn) {
        let delivery = turn.delivery
        var common: AnyShownState?
        func shownState(to settings: RequestSettings) -> AnyShownState {
            let box = shown(delivery.state, to: settings)
            if box !== delivery.state { return typing.shown(box, initial: initial) }
            if let common { return common }
            let made = typing.shown(box, initial: initial)
            common = made
            return made
        }
        for listener in turn.listeners where delivery.number > listener.since {
            listener.subscriber.receive(delivery, shownState(to: listener.settings), listener.settings.context)
        }
        for settings in delivery.companions {
            typing.call(settings.context.settings.handlers, delivery, shownState(to: settings), settings.context)
        }
    }
}
