/// Creates and keeps the stores, one per request. An app creates one client.
///
/// ```swift
/// let client = QueryClient()
/// let store = client.store(for: Entries(day: today).ttl(.seconds(300)))
/// let subscription = store.subscribe(
///     with: QueryEventHandler { state, _ in show(state) }
/// )
/// client.invalidate("food/**")
/// ```
///
/// When the client is deallocated, it cancels its runs and releases its stores. A store that you still hold keeps its state and can fetch,
/// but is no longer refetched automatically.
public final class QueryClient: Sendable {
    let core: ClientCore
    private let memoryPressure: QuerySubscription?

    /// The context to which each request applies its own settings.
    public var context: QueryContext { core.context.withLock { $0 } }

    /// Creates a client whose context already contains all observers of the system that it uses.
    init(completed context: QueryContext, _ configuration: Configuration) {
        let core = ClientCore(configuration: configuration, context: context)
        self.core = core
        memoryPressure = context.memoryPressureSource?.observe { [weak core] in core?.releaseMemory($0) }
        core.defaultTriggers?.begin()
        core.context.withLock { $0.owner = weakOwner }
        for pattern in configuration.defaults.map(\.pattern) + configuration.limits.map(\.pattern) { core.checkSpelling(of: pattern) }
        core.resolver.withLock { $0.resolve = { [weak self] request in self?.resolvedContext(for: request) } }
    }

    deinit { core.close() }

    /// A new reference to the client, for the contexts of one session.
    fileprivate var weakOwner: WeakOwner { WeakOwner(self, as: WeakMutationHost(self), sharing: core.share) }

    /// Registers a repair of a data source. It is used only if the context sets no other repair; see ``QueryContext/repair``. If several
    /// repairs are registered, all are called, because an error does not show which source it came from.
    package func offerRepair(_ repair: @escaping @Sendable (any Error, QueryContext) async -> Bool) {
        let isFirst = core.repairs.withLock { repairs in
            repairs.append(repair)
            return repairs.count == 1
        }
        guard isFirst else { return }
        core.context.withLock { context in
            guard context.repair == nil else { return }
            context.repair = { [weak core] error, context in
                var isMended = false
                for repair in core?.repairs.withLock(\.self) ?? [] where await repair(error, context) { isMended = true }
                return isMended
            }
        }
    }

    /// Keeps a subscription until the client is deallocated.
    package func hold(_ subscription: QuerySubscription) { core.held.withLock { _ = $0.insert(subscription) } }

    /// Begins another session, for example at logout or when the user switches accounts. Data of the previous session is never shown in the
    /// new one.
    ///
    /// Runs and mutations are cancelled, and their late results are dropped. All stores are emptied, and those with observers are
    /// refetched, with ``QueryContext/session`` set. A fetch of the previous session that is still executing finds no client in its
    /// context. Caches and journals keep the entries of a session under its name. Calls of durable mutations that had not ended are
    /// repeated when that session begins again; see ``resumeMutations(of:)``.
    ///
    /// - Parameter session: Identifies the new session, such as the id of a user; `nil` if no user is logged in.
    public func reset(session: String?) {
        core.beginSession(session, weakOwner)
    }

    /// Moves a store into the current session, if it still belongs to an earlier one.
    func renew(_ store: StoreCore) {
        // Repeated, because another session may begin in the meantime.
        while store.contents.withBasis({ basis, _ in basis.base.context.owner }) !== core.context.withLock({ $0.owner }) { store.renew() }
    }

    /// The number of stores that the client keeps.
    public var storeCount: Int { core.storeCount }

    /// The approximate number of bytes that the values of all stores take; see ``ByteEstimating``.
    package var byteCount: Int { core.byteCount }

    /// The number of stores that a pattern matches and that have a run. The cost depends on the number of stores with runs.
    public func runningCount(matching pattern: QueryPattern = .all) -> Int {
        pattern == .all ? core.runningCount : core.runningStores(matching: pattern).count
    }

    /// Waits until no run and no call is working, and all results were delivered, including to mirrors, shared queries and views on the
    /// main actor.
    ///
    /// Runs that wait for the clock, between two attempts or because the fetch sleeps on a ``ManualClock``, do not count as working:
    /// advance the clock to let them continue. The same applies to runs that wait for the network, and to runs and calls
    /// that a `Gate` of `QueryKitTesting` holds.
    ///
    /// Use this method as a barrier in tests. Never call it inside a fetch, because it would wait for that fetch.
    public func settled() async { await core.settled() }

    /// Releases stores without observers and runs, except those that are kept forever. With ``MemoryPressure/warning`` it stops when at
    /// most half of the stores and half of their bytes are left; with ``MemoryPressure/critical`` it releases all of them.
    ///
    /// The client calls this method when its ``QueryContext/memoryPressureSource`` reports memory pressure.
    public func releaseMemory(_ pressure: MemoryPressure) { core.releaseMemory(pressure) }
}

extension QueryContext {
    /// The client that runs the request; `nil` outside of a client, and after the client was deallocated.
    ///
    /// The context does not keep the client alive. Inside a fetch, use it to fetch another request or to invalidate requests.
    public var queryClient: QueryClient? {
        get { owner?.object as? QueryClient }
        set { owner = newValue?.weakOwner }
    }
}
