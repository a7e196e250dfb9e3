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
        contents = Lock(StoreContents(state: StateBox(record: record, current: placeholder), request: request, context: context))
        self.host = host
        self.ticket = ticket
    }

    func isIdentified(by identity: QueryIdentity) -> Bool { self.identity == identity }

    deinit { host.release(ticket) }

    // MARK: State

    var box: StateBox { contents.withLock { $0.state } }

    var record: QueryRecord { contents.withLock { $0.state }.record }

    /// Whether there is a value that is no placeholder.
    var hasValue: Bool { contents.withLock { $0.state }.record.flags.contains(.hasValue) }

    var path: QueryPath { contents.withLock { $0.request }.path }

    var context: QueryContext { contents.withLock { $0.context } }

    var request: any QueryRequest { contents.withLock { $0.request } }

    var runPriority: TaskPriority? { contents.withLock { $0.run?.priority } }

    var isFetching: Bool { record.flags.contains(.fetching) }

    var subscriberCount: Int { contents.withLock { Int($0.machine.subscribers) } }

    var isStale: Bool {
        let (state, context) = contents.withLock { ($0.state, $0.context) }
        return state.record.isStale(at: context.clock.now, ttl: context.ttl)
    }

    // MARK: Settings

    /// Takes over the settings of a request that came with modifiers: the last one that asked decides.
    ///
    /// False, and nothing happened, if they are those of another session than the store's: what it has, or a run brings it, must not get there.
    func adopt(_ request: any QueryRequest, _ context: QueryContext, placeholder: StateBox.Value?) -> Bool {
        // What is replaced goes outside the lock: it may be the last reference to something of the user's.
        let adopted = contents.withLock { contents -> (work: StoreWork, replaced: (any QueryRequest, QueryContext))? in
            contents.context.owner === context.owner ? contents.adopt(request, context, placeholder: placeholder) : nil
        }
        guard let adopted else { return false }
        withExtendedLifetime(adopted.replaced) { perform(adopted.work) }
        if !context.settings.tags.isEmpty || context.settings.computedTags != nil { setTags(of: box.current) }
        return true
    }

    // MARK: Work

    /// Does what a change of the core left to be done; the lock is open here.
    func perform(_ work: StoreWork, using override: QueryContext? = nil) {
        work.ended?.task?.cancel()
        noteEnd(work.ended)
        let trace: RunTrace? =
            if let started = work.started { noteStart(started.start.cause, on: started.storeContext.clock) } else { nil }
        let begun = work.started != nil && !work.inheritsWork ? 1 : 0
        if work.activity != nil || begun != 0 { host.update(ticket, work.activity, work: begun) }
        if work.tagged != nil || work.wantsTriggers || !work.failures.isEmpty { performRarities(work) }
        if let started = work.started, let trace, isStillWanted(started.start, trace, isNew: begun != 0) { start(started, trace, override) }
        if let turn = work.turn { deliver(turn) }
        if work.wantsFolding { foldLayers() }
    }

    /// What few changes leave to be done.
    @inline(never)
    private func performRarities(_ work: StoreWork) {
        if let tagged = work.tagged { setTags(of: tagged) }
        if work.wantsTriggers { updateTriggers() }
        for failure in work.failures { report(.layerFailed, .optimistic, failure) }
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
        let settings = context.settings
        guard !settings.tags.isEmpty || settings.computedTags != nil else { return }
        var tags = Set(settings.tags)
        if let value, let computed = settings.computedTags { tags.formUnion(typing.tags(of: value, by: computed)) }
        host.setTags(tags, ticket)
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
            if delivery.activity != nil || delivery.work != 0 { host.update(ticket, delivery.activity, work: delivery.work) }
            // The line is handed on before the callers go on: they would only meet this thread at the store's lock.
            turn = contents.withLock { $0.outbox.next() }
            delivery.resumeWaiters()
        }
    }
}
