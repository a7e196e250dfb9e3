import Foundation

/// What a client shares with its stores: the registry, the deadlines with their one timer, and the count of working runs.
///
/// Stores hold it, and it holds stores; the client breaks the circle when it goes. Its lock is never held while a store, a clock or a
/// handler is called.
final class ClientCore: StoreHost {
    struct State {
        var registry = StoreRegistry<StoreCore>()
        /// What the stores' values were read from, and their tags as regions without parts.
        var reads = RegionIndex()
        var tags = RegionIndex()
        /// When stores may have outlived their retention.
        var retentions = DeadlineQueue<StoreTicket>()
        /// When something is to be done: a retry, the end of a time limit.
        var alarms = DeadlineQueue<Int>()
        var actions: [Int: @Sendable () -> Void] = [:]
        var nextAction = 0
        /// The deadline for which the clock will call, and the call.
        var armed: QueryInstant?
        var alarm: QueryAlarm?
        /// The latest change, and what stores have not taken yet of it and those before it.
        var lastChange = ChangeNumber.none.next
        var news: [UInt32: [StoreChange]] = [:]
        /// Those of the changes that concern every store, until all have been told.
        var generalChanges: [GeneralChange] = []
        var lastGeneralInvalidation = ChangeNumber.none
        /// How many changes of several stores are half done, and what waits until none is.
        var jointChanges = 0
        var endedJointChanges = 0
        var whenWhole: [@Sendable () -> Void] = []
        /// The slots of the stores that are shown at one moment.
        var consistent: Set<UInt32> = []
        /// Stores that were let go and are used again.
        var revived: [StoreTicket] = []
        /// Stores whose retention begins.
        var idled: [(StoreTicket, Nanoseconds)] = []
        /// The stores last looked at, by family of request, for requests that keep what was shown before.
        var previous: [QueryIdentity.Family: (store: WeakOwner, settings: RequestSettings)] = [:]
        /// About how many entries of the queue mean nothing any more.
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

        /// Counts an entry that lost its meaning before its time, and sweeps the queue when half of it has.
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

    /// A closure that is itself the value of a generic lock is wrapped once more by each access.
    struct Resolver {
        var resolve: (@Sendable (any QueryRequest) -> QueryContext?)?
    }

    let configuration: QueryClient.Configuration
    let clock: any QueryClock
    private let defaultRetention: Nanoseconds
    private let clockType: any QueryClock.Type
    let monitor: ClientMonitor
    /// `nil` where mistakes are not reported.
    let mistakes: MistakeReporter?
    let lines = MutationLines()
    /// The latest call of each mutation that a control has made.
    let controlCalls = Lock<[QueryIdentity: UUID]>([:])
    let patterns = PatternFeed()
    /// What an archive brought that no store has taken yet.
    let source = Lock<(any StoreSource)?>(nil)
    /// What saves archives of the client.
    let storedChangeListeners = Lock<[any StoredChangeListener]>([])
    let runGate: (any RunGate)?
    let state = Lock(State())
    let work = WorkCounter()
    let waits = WaitGraph()
    let share = ClientShare()
    let picture: Picture
    private let closed = SharedFlag()
    var isClosed: Bool { closed.isRaised }
    /// Makes the context of a request, which only the client can.
    let resolver = Lock(Resolver())
    /// How connected data sources repair themselves.
    let repairs = Lock<[@Sendable (any Error, QueryContext) async -> Bool]>([])
    /// What ends with the client.
    let held = Lock<Set<QuerySubscription>>([])
    /// `nil` where nothing is known of the network.
    // Invariant: set at the end of the initialiser, before anyone else knows the core.
    nonisolated(unsafe) private(set) var network: NetworkGate?
    /// What makes observed stores refetch without being asked for; `nil` where nothing does.
    nonisolated(unsafe) private(set) var defaultTriggers: DefaultTriggers?
    /// The number of the latest change, for those who only want to know whether there is a new one.
    let changeGauge = Gauge(ChangeNumber.none.next.number)

    /// The name of the present session, for what begins again in each.
    let sessions: Listeners<String?>
    /// The context of all requests; another one in each session.
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
        picture = Picture(limit: configuration.consistencyLimit)
        // A sink is no part of the run in which the mistake was made.
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

    var callCount: Int { lines.count }

    func endCalls(of ticket: StoreTicket, upTo count: Int) { lines.leave(of: ticket, upTo: count) }

    func update(_ ticket: StoreTicket, _ activity: StoreActivity) -> Bool {
        state.withLock { state in
            if activity.landedRun != 0, state.registry.isKept(ticket) { state.reads.settle(slot: ticket.slot, run: activity.landedRun) }
            if activity.isConsistent {
                if state.consistent.insert(ticket.slot).inserted { picture.noteUse() }
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

    func attend() {
        // A path is the user's code, and so is a clock.
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
            // The slot may have another tenant by now.
            guard state.registry.isCurrent(ticket) else { return }
            state.news[ticket.slot] = nil
            state.reads.remove(slot: ticket.slot)
            state.tags.remove(slot: ticket.slot)
            state.consistent.remove(ticket.slot)
            state.registry.release(ticket)
        }
    }

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

    /// Whether a clock is the client's. Two values of one type may be two clocks; all system clocks are one.
    func isClock(_ other: any QueryClock) -> Bool {
        // By type first: a cast costs more than all that depends on the answer.
        let type = Swift.type(of: other)
        if type == SystemClock.self { return clockType == SystemClock.self }
        guard type == clockType, type is AnyClass else { return false }
        return (other as AnyObject) === (clock as AnyObject)
    }

    func noteStoredChange(of request: any QueryRequest) {
        for listener in storedChangeListeners.withLock(\.self) { listener.noteChange(of: request) }
    }

    // MARK: Ends

    func settled() async { await work.settled() }

    /// The client goes: ends all runs, lets all stores go, and stops the timer.
    func close() {
        closed.raise()
        let (stores, alarm) = state.withLock { state -> ([StoreCore], QueryAlarm?) in
            let stores = state.registry.removeAll()
            defer {
                state.alarm = nil
                state.armed = nil
                state.news = [:]
                state.generalChanges = []
                state.previous = [:]
                state.retentions = DeadlineQueue()
            }
            return (stores, state.alarm)
        }
        alarm?.cancel()
        // Before the stores close: a run that ends would let the next call of its scope begin. Journal entries stay for the next client.
        lines.end(matching: .all, .left)
        lines.leases.close()
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
