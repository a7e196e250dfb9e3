import Foundation

/// The part of a client that its stores share: the registry, the deadlines with their timer, and the count of working runs.
///
/// The core and its stores retain each other. The client breaks this cycle when it is deallocated. The lock is never held during a call of
/// a store, a clock or a handler.
final class ClientCore: Opaque, StoreHost {
    struct State {
        var registry = StoreRegistry<StoreCore>()
        /// The regions that the stores' values were read from, and their tags as regions without parts.
        var reads = RegionIndex()
        var tags = RegionIndex()
        /// When the retention of stores may end.
        var retentions = DeadlineQueue<StoreTicket>()
        /// When an action is due, such as a retry or a timeout.
        var alarms = DeadlineQueue<Int>()
        var actions: [Int: @Sendable () -> Void] = [:]
        var nextAction = 0
        /// The deadline that the clock's alarm is set for, and the alarm.
        var armed: QueryInstant?
        var alarm: QueryAlarm?
        /// The latest change, and the changes that stores have not taken yet.
        var lastChange = ChangeNumber.none.next
        var pendingChanges: [UInt32: [StoreChange]] = [:]
        /// The changes that concern every store, until all stores have been notified.
        var generalChanges: [GeneralChange] = []
        var lastGeneralInvalidation = ChangeNumber.none
        /// The number of changes of several stores that are under way, and the actions to call when there are none.
        var jointChanges = 0
        var endedJointChanges = 0
        var whenWhole: [@Sendable () -> Void] = []
        /// The slots of the consistent stores.
        var consistent: Set<UInt32> = []
        /// Retired stores that are used again.
        var revived: [StoreTicket] = []
        /// Stores whose retention begins.
        var idled: [(StoreTicket, Nanoseconds)] = []
        /// The last shown store of each family of requests, for requests that keep the previous value.
        var previous: [QueryIdentity.Family: (store: WeakOwner, settings: RequestSettings)] = [:]
        /// The approximate number of obsolete elements in the queues.
        private var obsoleteDeadlines = 0

        mutating func nextChange() -> ChangeNumber {
            lastChange = lastChange.next
            return lastChange
        }

        mutating func takeRevived() -> [StoreCore] {
            if revived.isEmpty { return [] }
            defer { revived = [] }
            return revived.compactMap { registry.isCurrent($0) ? registry.heldStore(at: $0.slot) : nil }
        }

        /// Counts an element that became obsolete before its time, and sweeps the queues when half of their elements are obsolete.
        mutating func noteObsoleteDeadline() {
            obsoleteDeadlines += 1
            guard obsoleteDeadlines > 64, obsoleteDeadlines * 2 > deadlineCount else { return }
            obsoleteDeadlines = 0
            let (actions, registry) = (actions, registry)
            retentions.removeAll { !registry.isScheduled($0) }
            alarms.removeAll { actions[$0] == nil }
        }

        var deadlineCount: Int { retentions.count + alarms.count }

        var earliestDeadline: QueryInstant? {
            guard let retention = retentions.earliest else { return alarms.earliest }
            return alarms.earliest.map { min($0, retention) } ?? retention
        }
    }

    /// A wrapper: if the closure itself were the value of the generic lock, each access would wrap it once more.
    struct Resolver {
        var resolve: (@Sendable (any QueryRequest) -> QueryContext?)?
    }

    let configuration: QueryClient.Configuration
    let clock: any QueryClock
    private let defaultRetention: Nanoseconds
    private let clockType: any QueryClock.Type
    let monitor: ClientMonitor
    /// `nil` if mistakes are not reported.
    let mistakes: MistakeReporter?
    let mutationQueues = MutationQueues()
    /// The latest call that a control made, for each mutation.
    let controlCalls = Lock<[QueryIdentity: UUID]>([:])
    let patterns = PatternFeed()
    /// The ``Dependents`` of each store on which others depend.
    let dependents = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])
    /// The values of an archive that no store has taken yet.
    let source = Lock<(any StoreSource)?>(nil)
    /// The savers of the client's archives.
    let storedChangeListeners = Lock<[any StoredChangeListener]>([])
    let runGate: (any RunGate)?
    let state = Lock(State())
    let work = WorkCounter()
    let waits = WaitGraph()
    let share = ClientShare()
    let rounds: ConsistentRounds
    private let closed = SharedFlag()
    var isClosed: Bool { closed.isRaised }
    /// Creates the context of a request, which only the client can do.
    let resolver = Lock(Resolver())
    /// The repairs of connected data sources.
    let repairs = Lock<[@Sendable (any Error, QueryContext) async -> Bool]>([])
    /// Subscriptions that end with the client.
    let held = Lock<Set<QuerySubscription>>([])
    /// `nil` if there is no network observer.
    // Invariant: set at the end of the initializer, before any other code can access the core.
    nonisolated(unsafe) private(set) var network: NetworkGate?
    /// Refetches observed stores on events of the system; `nil` if there is nothing to listen to.
    nonisolated(unsafe) private(set) var defaultTriggers: DefaultTriggers?
    /// The number of the latest change, readable without the lock.
    let changeGauge = Gauge(ChangeNumber.none.next.number)

    /// Publishes the name of the current session, for triggers that begin again in each session.
    let sessions: Listeners<String?>
    /// The context of all requests, replaced in each session.
    let context: Lock<QueryContext>

    init(configuration: QueryClient.Configuration, context: QueryContext) {
        self.configuration = configuration
        defaultRetention = Nanoseconds(configuration.retention)
        sessions = Listeners(context.session)
        self.context = Lock(context)
        runGate = configuration.limits.isEmpty ? nil : LimitGate(configuration.limits)
        let clock = context.clock
        self.clock = clock
        clockType = type(of: clock)
        rounds = ConsistentRounds(limit: configuration.consistencyLimit)
        // The sink does not belong to the run in which the mistake was made.
        mistakes = configuration.onMistake.map { sink in MistakeReporter { mistake in RunScope.outside { sink(mistake) } } }
        monitor = ClientMonitor(thresholds: configuration.alerts, depth: configuration.metricsDepth)
        defaultTriggers = DefaultTriggers(configuration, context, self)
        guard let observer = context.networkObserver else { return }
        let gate = NetworkGate(observer) { [weak self] delay, action in
            guard let self else { return }
            _ = schedule(at: clock.now.advanced(by: delay), on: clock, action)
        }
        network = gate
    }

    // MARK: StoreHost

    var callCount: Int { mutationQueues.count }

    func endCalls(of ticket: StoreTicket, upTo count: Int) { mutationQueues.end(of: ticket, upTo: count) }

    func update(_ ticket: StoreTicket, _ activity: StoreActivity) -> Bool {
        state.withLock { state in
            if activity.landedRun != 0, state.registry.isKept(ticket) { state.reads.settle(slot: ticket.slot, run: activity.landedRun) }
            if activity.isConsistent {
                if state.consistent.insert(ticket.slot).inserted { rounds.noteUse() }
            } else if !state.consistent.isEmpty, state.registry.isCurrent(ticket) {
                state.consistent.remove(ticket.slot)
            }
            switch state.registry.apply(activity, ticket, defaultRetention: defaultRetention) {
            case .nothing:
                return isOverBudget(state)
            case .retain(let retention):
                guard let now = activity.now else {
                    state.idled.append((ticket, retention))
                    return true
                }
                guard let deadline = state.registry.retain(ticket, until: now.later(by: retention)) else { return isOverBudget(state) }
                state.retentions.insert(ticket, at: deadline)
            case .revive:
                state.revived.append(ticket)
            }
            return true
        }
    }

    func carryOutUpdates() {
        // Called without the lock, because paths and clocks are user code.
        for store in state.withLock({ state in state.takeRevived() }) { list(store) }
        let now = clock.now
        state.withLock { state in
            for (ticket, retention) in state.idled {
                guard let deadline = state.registry.retain(ticket, until: now.later(by: retention)) else { continue }
                state.retentions.insert(ticket, at: deadline)
            }
            state.idled = []
        }
        arm()
        if state.withLock({ isOverBudget($0) }) { trim() }
    }

    /// Lists a retired store again, because it is used through a handle.
    func list(_ store: StoreCore) {
        let path = store.path
        state.withLock { $0.revive(store, path: path, defaultRetention: defaultRetention) }
    }

    func context(for request: any QueryRequest) -> QueryContext {
        resolver.withLock { $0.resolve }?(request) ?? context.withLock { $0 }
    }

    func release(_ ticket: StoreTicket) {
        state.withLock { state in
            // The slot may belong to another store by now.
            guard state.registry.isCurrent(ticket) else { return }
            state.pendingChanges[ticket.slot] = nil
            state.reads.remove(slot: ticket.slot)
            state.tags.remove(slot: ticket.slot)
            state.consistent.remove(ticket.slot)
            state.registry.release(ticket)
        }
    }

    var consistentCount: Int { state.withLock { $0.consistent.count } }

    var consistentStores: [StoreCore] { state.withLock { state in state.consistent.compactMap { state.registry.store(at: $0) } } }

    var isOffline: Bool { network?.isOffline ?? false }

    func waitForNetwork(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription {
        guard let gate = network else {
            resume()
            return QuerySubscription {}
        }
        return gate.wait(isMutation: isMutation, resume)
    }

    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription {
        network?.whenReconnected(action) ?? QuerySubscription {}
    }

    /// Whether a clock is the client's clock. Two values of one type may be different clocks, but all system clocks are the same.
    func isClock(_ other: any QueryClock) -> Bool {
        // Compare the types first: a cast costs more than all of the work that depends on the result.
        let type = Swift.type(of: other)
        if type == SystemClock.self { return clockType == SystemClock.self }
        guard type == clockType, type is AnyClass else { return false }
        return (other as AnyObject) === (clock as AnyObject)
    }

    func noteStoredChange(of request: any QueryRequest) {
        for listener in storedChangeListeners.withLock(\.self) { listener.noteChange(of: request) }
    }

    // MARK: Settling and closing

    func settled() async { await work.settled() }

    /// Called when the client is deallocated: ends all runs, releases all stores, and stops the timer.
    func close() {
        closed.raise()
        let (stores, alarm) = state.withLock { state -> ([StoreCore], QueryAlarm?) in
            let stores = state.registry.removeAll()
            defer {
                state.alarm = nil
                state.armed = nil
                state.pendingChanges = [:]
                state.generalChanges = []
                state.previous = [:]
                state.retentions = DeadlineQueue()
            }
            return (stores, state.alarm)
        }
        alarm?.cancel()
        // End the calls before the stores close: otherwise the end of a run would start the next call of its scope. Journal entries stay
        // for the next client.
        mutationQueues.end(matching: .all, .kept)
        mutationQueues.leases.close()
        for store in stores { store.close() }
        work.close()
        monitor.feed.finish()
        let held = held.withLock { held in
            defer { held = [] }
            return held
        }
        for subscription in held { subscription.cancel() }
        arm()
    }
}
