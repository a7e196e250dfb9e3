/// Makes and keeps the stores, one per request. It is the one object of QueryKit that an app creates.
///
/// ```swift
/// let client = QueryClient()
/// let store = client.store(for: Entries(day: today).ttl(.seconds(300)))
/// let subscription = store.subscribe(with: QueryEventHandler { state, _ in show(state) })
/// client.invalidate("food/**")
/// ```
///
/// When the client is deallocated, it cancels its runs and releases its stores. A store that you still hold keeps its state and can
/// fetch, but nothing refetches it any more.
public final class QueryClient: Sendable {
    let core: ClientCore
    private let memoryPressure: QuerySubscription?

    /// The context that the requests' own settings are applied to.
    public var context: QueryContext { core.context.withLock { $0 } }

    /// Creates a client that knows of the system only what the context says.
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

    /// A new reference for the contexts of one session.
    fileprivate var weakOwner: WeakOwner { WeakOwner(self, as: WeakMutationHost(self), sharing: core.share) }

    /// Lets a data source repair itself where the context says nothing else; see ``QueryContext/repair``. Of several each is asked: an error does not say
    /// whose it is.
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

    /// Keeps a subscription until the client goes.
    package func hold(_ subscription: QuerySubscription) { core.held.withLock { _ = $0.insert(subscription) } }

    /// Begins another session, as at log-out or a change of accounts: nothing of the one before ever shows again.
    ///
    /// Runs and mutations are cancelled, and their late results dropped; all stores are emptied, and those with observers run again, with
    /// ``QueryContext/session`` set. What a fetch of the former session still does finds no client in its context. Caches and journals
    /// keep what belongs to a session under its name: calls that were not over are made when it is back; see ``resumeMutations(of:)``.
    ///
    /// - Parameter session: What tells the new session from others, such as the id of a user; `nil` if no user is logged in.
    public func reset(session: String?) {
        core.beginSession(session, weakOwner)
    }

    /// Brings a store into the present session, if it is of a former one.
    func renew(_ store: StoreCore) {
        // Yet another one may begin meanwhile.
        while store.contents.withBasis({ basis, _ in basis.base.context.owner }) !== core.context.withLock({ $0.owner }) { store.renew() }
    }

    /// How many stores are kept.
    public var storeCount: Int { core.storeCount }

    /// About how many bytes the values of all stores take; see ``ByteEstimating``.
    package var byteCount: Int { core.byteCount }

    /// How many of the stores that a pattern matches are at work. Costs as much as there are stores at work.
    public func runningCount(matching pattern: QueryPattern = .all) -> Int {
        pattern == .all ? core.runningCount : core.runningStores(matching: pattern).count
    }

    /// Waits until nothing is left to do without time passing: no run is at work, and each result was delivered, also to the mirrors, shared
    /// queries and views of the main actor.
    ///
    /// Runs that wait for the clock, between two attempts or because the fetch sleeps on a ``ManualClock``, do not count: move a ``ManualClock`` to let them go on.
    /// A barrier for tests; called from inside a fetch it would wait for itself.
    public func settled() async { await core.settled() }

    /// Drops stores that have no observers and do not run, except those that are kept for ever. A client does so by itself when the ``QueryContext/memoryPressureSource`` of the
    /// context that it was made with says that the system is short of memory.
    public func releaseMemory(_ pressure: MemoryPressure) { core.releaseMemory(pressure) }
}

extension QueryContext {
    /// The client that runs the request; `nil` outside of a client, or when the client is gone.
    ///
    /// The context does not keep the client alive. Inside a fetch, use it to fetch another request or to invalidate.
    public var queryClient: QueryClient? {
        get { owner?.object as? QueryClient }
        set { owner = newValue?.weakOwner }
    }
}
