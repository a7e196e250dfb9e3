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
        request: any QueryRequest,
        context: QueryContext,
        placeholder: StateBox.Value?,
        host: any StoreHost,
        ticket: StoreTicket
    ) {
        var record = QueryRecord()
        if placeholder != nil { record.flags.insert(.placeholder) }
        identity = request.identity
        self.typing = typing
        self.initial = initial
        contents = Lock(
            StoreContents(
                state: StateBox(record: record, current: placeholder),
                runsByItself: typing.runsByItself,
                request: request,
                context: context,
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

    /// The state of this moment. A reset that was entered and hasn't reached the store yet counts.
    var box: StateBox {
        contents.withLock { contents in
            guard host.waitingNews(for: ticket) == .reset else { return contents.state }
            var record = QueryRecord()
            record.revision = contents.state.record.revision
            return StateBox(record: record)
        }
    }

    var record: QueryRecord { box.record }

    /// Whether there is a value that is no placeholder.
    var hasValue: Bool { box.record.flags.contains(.hasValue) }

    var path: QueryPath { contents.withLock { $0.request }.path }

    var context: QueryContext { contents.withLock { $0.context } }

    var request: any QueryRequest { contents.withLock { $0.request } }

    var runPriority: TaskPriority? { contents.withLock { $0.run?.priority } }

    var isFetching: Bool { record.flags.contains(.fetching) }

    var subscriberCount: Int { contents.withLock { Int($0.machine.subscribers) } }

    var isStale: Bool {
        let (record, context) = contents.withLock { contents -> (QueryRecord?, QueryContext) in
            (host.waitingNews(for: ticket) == .nothing ? contents.state.record : nil, contents.context)
        }
        return record?.isStale(at: context.clock.now, ttl: context.ttl) ?? true
    }

    // MARK: Settings

    /// Takes over the settings of a request that came with modifiers: the last one that asked decides.
    ///
    /// False, and nothing happened, if they are those of another session than the store's: what it has, or a run brings it, must not get there.
    func adopt(_ request: any QueryRequest, _ context: QueryContext, placeholder: StateBox.Value?) -> Bool {
        let isAdopted = change { contents, _ in
            guard contents.context.owner === context.owner else { return false }
            contents.adopt(request, context, placeholder: placeholder)
            return true
        }
        guard isAdopted else { return false }
        if !context.settings.tags.isEmpty || context.settings.computedTags != nil { setTags(of: box.current) }
        return true
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
        case .isEnabled(let context):
            input.isEnabled = RunScope.outside { typing.runsByItself && context.isEnabled }
            input.placeholder = context.settings.placeholder.flatMap { typing.placeholder($0) }
        case .context(let request):
            let context = RunScope.outside { host.context(for: request) }
            input.renewed = context
            input.placeholder = context.settings.placeholder.flatMap { typing.placeholder($0) }
            input.isEnabled = RunScope.outside { typing.runsByItself && context.isEnabled }
        }
    }

    /// Takes the changes that the client has entered.
    func catchUp() { change { _, _ in } }

    // MARK: Actions

    /// Does what a change has left to be done; the lock is open here. Tasks come before deliveries, because a handler may be slow.
    func perform(_ actions: [StoreAction], using override: QueryContext? = nil) {
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
            case .deliver(let turn): deliver(turn)
            case .resume(let waiters, let answer): for waiter in waiters { waiter.resume(answer) }
            case .foldLayers: foldLayers()
            default: break
            }
        }
    }

    /// Begins and ends triggers as subscribers and settings say.
    func updateTriggers() {
        let (ended, begun) = contents.withLock { contents in
            contents.exchangeTriggers { triggers, context in
                TriggerSession(triggers, context, host) { [weak self] in self?.pull($0) }
            }
        }
        ended?.end()
        begun?.begin()
    }

    /// Files the store under the tags of its settings, and those of a value.
    func setTags(of value: StateBox.Value?) {
        if let tags = tags(of: value) { host.setTags(tags, ticket) }
    }

    /// The tags of the settings, and those that are computed from a value; `nil` for a request without any.
    func tags(of value: StateBox.Value?) -> Set<QueryTag>? {
        let settings = context.settings
        guard !settings.tags.isEmpty || settings.computedTags != nil else { return nil }
        var tags = Set(settings.tags)
        if let value, let computed = settings.computedTags { tags.formUnion(typing.tags(of: value, by: computed)) }
        return tags
    }

    private func deliver(_ first: Outbox.Turn) {
        var turn: Outbox.Turn? = first
        while let now = turn {
            let delivery = now.delivery
            if !delivery.changes.isEmpty, !now.listeners.isEmpty || !delivery.context.settings.handlers.isEmpty {
                let shown = typing.shown(delivery.state, initial: initial)
                RunScope.outside {
                    now.carryOut(shown)
                    typing.call(delivery.context.settings.handlers, delivery, shown)
                }
            }
            if let stored = delivery.stored { keep(stored, delivery.context) }
            // The line is handed on before the callers go on: they would only meet this thread at the store's lock.
            let (next, actions) = contents.withLock { $0.nextTurn() }
            delivery.resumeWaiters()
            perform(actions)
            turn = next
        }
    }
}
