/// The one place where a request's state lives: everybody who asks for an equal request shares it.
///
/// A client makes and keeps stores; see ``QueryClient/store(for:)``. All members may be used on any thread, and none blocks.
///
/// ```swift
/// let store = client.store(for: Entries(day: today))
/// for await state in store.states { show(state.value ?? []) }
/// ```
@dynamicMemberLookup
public final class QueryStore<State: QueryStateProtocol>: StoreControl {
    /// What a run of the request returns.
    public typealias Value = State.QueryValue

    public let identity: QueryIdentity
    /// What the state shows while there is no value.
    let initial: State.StateValue
    let core: Lock<StoreCore>
    let host: any StoreHost
    let ticket: StoreTicket

    init(
        initialValue: State.StateValue,
        request: any QueryRequest<Value, State>,
        context: QueryContext,
        placeholder: Value?,
        host: any StoreHost,
        ticket: StoreTicket
    ) {
        var record = QueryRecord()
        if placeholder != nil { record.flags.insert(.placeholder) }
        identity = request.identity
        initial = initialValue
        core = Lock(StoreCore(state: StateBox(record: record, current: placeholder), request: request, context: context))
        self.host = host
        self.ticket = ticket
    }

    func isIdentified(by identity: QueryIdentity) -> Bool { self.identity == identity }

    deinit { host.release(ticket) }

    // MARK: State

    /// The state of this moment.
    public var state: State { State(core.withLock { $0.state }, initialValue: initial) }

    /// A member of the state of this moment, such as `store.value`.
    public subscript<Member: Sendable>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { state[keyPath: keyPath] }

    var box: StateBox { core.withLock { $0.state } }

    public var record: QueryRecord { core.withLock { $0.state }.record }

    /// Whether there is a value that is no placeholder.
    var hasValue: Bool { core.withLock { $0.state }.record.flags.contains(.hasValue) }

    public var path: QueryPath { core.withLock { $0.request }.path }

    public var context: QueryContext { core.withLock { $0.context } }

    var request: any QueryRequest { core.withLock { $0.request } }

    var runPriority: TaskPriority? { core.withLock { $0.run?.priority } }

    public var isFetching: Bool { record.flags.contains(.fetching) }

    public var subscriberCount: Int { core.withLock { Int($0.machine.subscribers) } }

    public var isStale: Bool {
        let (state, context) = core.withLock { ($0.state, $0.context) }
        return state.record.isStale(at: context.clock.now, ttl: context.ttl)
    }

    // MARK: Settings

    /// Takes over the settings of a request that came with modifiers: the last one that asked decides.
    ///
    /// False, and nothing happened, if they are those of another session than the store's: what it has, or a run brings it, must not get there.
    func adopt(_ request: any QueryRequest<Value, State>, _ context: QueryContext, placeholder: Value?) -> Bool {
        // What is replaced goes outside the lock: it may be the last reference to something of the user's.
        let adopted = core.withLock { core -> (work: StoreWork, replaced: (any QueryRequest, QueryContext))? in
            core.context.owner === context.owner ? core.adopt(request, context, placeholder: placeholder) : nil
        }
        guard let adopted else { return false }
        withExtendedLifetime(adopted.replaced) { perform(adopted.work) }
        if !context.settings.tags.isEmpty || context.settings.computedTags != nil { setTags(of: state.current) }
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
        if let tagged = work.tagged { setTags(of: unboxed(tagged)) }
        if work.wantsTriggers { updateTriggers() }
        for failure in work.failures { report(.layerFailed, .optimistic, failure) }
    }

    /// Begins and ends triggers as subscribers and settings say.
    func updateTriggers() {
        let (ended, begun) = core.withLock { core in
            core.exchangeTriggers { triggers, context in
                TriggerSession(triggers, context, host) { [weak self] in self?.pull($0) }
            }
        }
        ended?.end()
        begun?.begin()
    }

    /// Files the store under the tags of its settings, and those of a value.
    func setTags(of value: Value?) {
        let settings = context.settings
        guard !settings.tags.isEmpty || settings.computedTags != nil else { return }
        var tags = Set(settings.tags)
        if let value, let computed = settings.computedTags as? ComputedTags<Value> { tags.formUnion(computed.tags(value)) }
        host.setTags(tags, ticket)
    }

    private func deliver(_ first: Outbox.Turn) {
        var turn: Outbox.Turn? = first
        while let now = turn {
            let delivery = now.delivery
            if !delivery.changes.isEmpty, !now.listeners.isEmpty || !delivery.context.settings.handlers.isEmpty {
                let shown = ShownState(State(delivery.state, initialValue: initial))
                RunScope.outside {
                    now.carryOut(shown)
                    delivery.callRequestHandlers(shown)
                }
            }
            if let stored = delivery.stored { keep(stored, delivery.context) }
            if delivery.activity != nil || delivery.work != 0 { host.update(ticket, delivery.activity, work: delivery.work) }
            // The line is handed on before the callers go on: they would only meet this thread at the store's lock.
            turn = core.withLock { $0.outbox.next() }
            delivery.resumeWaiters()
        }
    }
}
