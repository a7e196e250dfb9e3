/// What a client shares with its stores: the registry, the deadlines with their one timer, and the count of working runs.
///
/// Stores hold it, and it holds stores; the client breaks the circle when it goes. Its lock is never held while a store, a clock or a
/// handler is called.
final class ClientCore: StoreHost {
    enum Deadline {
        /// A store may have outlived its retention.
        case retention(StoreTicket)
        /// Somebody waits: a retry, a time limit.
        case action(Int)
    }

    struct State {
        var registry = StoreRegistry<StoreCore>()
        /// What the stores' values were read from, and their tags as regions without parts.
        var reads = RegionIndex()
        var tags = RegionIndex()
        var deadlines = DeadlineQueue<Deadline>()
        var actions: [Int: @Sendable () -> Void] = [:]
        var nextAction = 0
        /// The deadline for which the clock will call, and the call.
        var armed: QueryInstant?
        var alarm: QueryAlarm?
        /// The latest change, and what stores have not taken yet of it and those before it.
        var lastChange = ChangeNumber.none.next
        var news: [UInt32: [StoreChange]] = [:]
        /// How many changes of several stores are half done, and what waits until none is.
        var jointChanges = 0
        var whenWhole: [@Sendable () -> Void] = []
        /// Stores that were let go and are used again.
        var revived: [StoreTicket] = []
        /// Stores whose retention begins.
        var idled: [(StoreTicket, Duration)] = []
        /// The stores last looked at, by type of request, for requests that keep what was shown before.
        var previous: [ObjectIdentifier: (store: WeakOwner, settings: RequestSettings)] = [:]
        /// About how many entries of the queue mean nothing any more.
        private var obsoleteDeadlines = 0

        mutating func takeRevived() -> [StoreCore] {
            if revived.isEmpty { return [] }
            defer { revived = [] }
            return revived.compactMap { registry.isCurrent($0) ? registry.heldStore(at: $0.slot) : nil }
        }

        /// Counts an entry that lost its meaning before its time, and sweeps the queue when half of it has.
        mutating func noteObsoleteDeadline() {
            obsoleteDeadlines += 1
            guard obsoleteDeadlines > 64, obsoleteDeadlines * 2 > deadlines.count else { return }
            obsoleteDeadlines = 0
            let (actions, registry) = (actions, registry)
            deadlines.removeAll { deadline in
                switch deadline {
                case .retention(let ticket): !registry.isScheduled(ticket)
                case .action(let number): actions[number] == nil
                }
            }
        }
    }

    let configuration: QueryClient.Configuration
    let clock: any QueryClock
    let monitor: ClientMonitor
    let lines = MutationLines()
    let patterns = PatternFeed()
    /// What an archive brought that no store has taken yet.
    let source = Lock<(any StoreSource)?>(nil)
    let runGate: (any RunGate)?
    let state = Lock(State())
    let work = WorkCounter()
    private let closed = SharedFlag()
    var isClosed: Bool { closed.isRaised }
    /// Makes the context of a request, which only the client can.
    let resolve = Lock<(@Sendable (any QueryRequest) -> QueryContext?)?>(nil)
    /// How connected data sources repair themselves.
    let repairs = Lock<[@Sendable (any Error, QueryContext) async -> Bool]>([])
    /// What ends with the client.
    let held = Lock<Set<QuerySubscription>>([])
    /// `nil` where nothing is known of the network.
    let network = Lock<NetworkGate?>(nil)

    /// The context of all requests; another one in each session.
    let context: Lock<QueryContext>

    init(configuration: QueryClient.Configuration, context: QueryContext) {
        self.configuration = configuration
        self.context = Lock(context)
        runGate = configuration.limits.isEmpty ? nil : LimitGate(configuration.limits)
        let clock = context.clock
        self.clock = clock
        monitor = ClientMonitor(thresholds: configuration.alerts, depth: configuration.metricsDepth)
        guard let observer = context.networkObserver else { return }
        let gate = NetworkGate(observer) { [weak self] delay, action in
            guard let self else { return }
            _ = schedule(at: clock.now.advanced(by: delay), on: clock, action)
        }
        network.withLock { $0 = gate }
    }

    // MARK: Stores

    func find(_ identity: QueryIdentity) -> (StoreCore)? {
        state.withLock { $0.registry.find(identity) }.store
    }

    /// Finds a store, or files the one that `make` returns. If two threads make one at the same time, the first to file it wins.
    func find(_ identity: QueryIdentity, orMake make: (StoreTicket) -> StoreCore) -> (store: StoreCore, isNew: Bool) {
        let (found, ticket) = state.withLock { state -> (StoreRegistry<StoreCore>.Found, StoreTicket?) in
            let found = state.registry.find(identity)
            return (found, found.store == nil ? state.registry.reserve() : nil)
        }
        if let store = found.store {
            // Whoever gets it may expect patterns to reach it.
            if state.withLock({ $0.registry.isRetired(store.ticket) }) {
                list(store)
                attend()
            }
            return (store, false)
        }
        guard let ticket else { preconditionFailure("Neither a store nor a ticket") }
        let made = make(ticket)
        let path = made.path
        let expiry = clock.now.advanced(by: made.context.retention ?? configuration.retention)
        let (other, mustTrim) = state.withLock { state -> (StoreRegistry<StoreCore>.Found, Bool) in
            let other = state.registry.find(identity)
            if other.store != nil {
                state.registry.release(ticket)
                return (other, false)
            }
            state.registry.insert(made, ticket, path: path, expiry: expiry)
            if let deadline = state.registry.schedule(ticket) { state.deadlines.insert(.retention(ticket), at: deadline) }
            return (other, isOverBudget(state))
        }
        if let store = other.store { return (store, false) }
        arm()
        if mustTrim { trim() }
        return (made, true)
    }

    func stores(matching pattern: QueryPattern) -> [StoreCore] {
        state.withLock { $0.registry.stores(matching: pattern) }
    }

    /// The stores at work that a pattern matches.
    func runningStores(matching pattern: QueryPattern) -> [StoreCore] {
        if pattern == .all { return state.withLock { $0.registry.runningStores() } }
        // By pattern if that is less work, else by looking at each store at work.
        let (few, running) = state.withLock { state -> ([StoreCore]?, [StoreCore]) in
            if let few = state.registry.runningStores(matching: pattern) { return (few, []) }
            return (nil, state.registry.runningStores())
        }
        return few ?? running.filter { pattern.matches($0.path) }
    }

    var storeCount: Int { state.withLock { $0.registry.count } }
    var runningCount: Int { state.withLock { $0.registry.runningCount } }
    var byteCount: Int { state.withLock { $0.registry.byteCount } }
    /// Entries in the deadline queue, for tests that count.
    var deadlineCount: Int { state.withLock { $0.deadlines.count } }

    /// Notes which store of a type is looked at now, for requests that keep what was shown before.
    func lookAt(_ store: StoreCore, _ settings: RequestSettings, of type: ObjectIdentifier) {
        let reference = WeakOwner(store)
        // What is replaced is released outside the lock.
        _ = state.withLock { $0.previous.updateValue((reference, settings), forKey: type) }
    }

    /// Forgets what was looked at: a new session keeps nothing that the one before showed.
    func forgetLooks() {
        // What is forgotten leaves the lock before it ends.
        _ = state.withLock { state in
            defer { state.previous = [:] }
            return state.previous
        }
    }

    func lookedAt(_ type: ObjectIdentifier) -> (store: StoreCore, settings: RequestSettings)? {
        guard let (reference, settings) = state.withLock({ $0.previous[type] }) else { return nil }
        return (reference.object as? StoreCore).map { ($0, settings) }
    }

    // MARK: StoreHost

    func update(_ ticket: StoreTicket, _ activity: StoreActivity) -> Bool {
        state.withLock { state in
            switch state.registry.apply(activity, ticket, defaultRetention: configuration.retention) {
            case .nothing: return isOverBudget(state)
            case .retain(let retention): state.idled.append((ticket, retention))
            case .revive: state.revived.append(ticket)
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
                guard let deadline = state.registry.retain(ticket, until: now.advanced(by: retention)) else { continue }
                state.deadlines.insert(.retention(ticket), at: deadline)
            }
            state.idled = []
        }
        arm()
        if state.withLock({ isOverBudget($0) }) { trim() }
    }

    /// Lists a store again that was let go: somebody held it, and uses it.
    private func list(_ store: StoreCore) {
        let path = store.path
        state.withLock { state in
            if case .retain(let retention) = state.registry.revive(store, path: path, defaultRetention: configuration.retention) {
                state.idled.append((store.ticket, retention))
            }
        }
    }

    func context(for request: any QueryRequest) -> QueryContext {
        resolve.withLock { $0 }?(request) ?? context.withLock { $0 }
    }

    func schedule(at deadline: QueryInstant, on clock: any QueryClock, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        guard deadline < .never else { return QueryAlarm {} }
        guard isOwn(clock) else { return clock.schedule(at: deadline, action) }
        let number = state.withLock { state in
            state.nextAction += 1
            state.actions[state.nextAction] = action
            state.deadlines.insert(.action(state.nextAction), at: deadline)
            return state.nextAction
        }
        arm()
        return QueryAlarm { [weak self] in self?.cancelAction(number) }
    }

    private func cancelAction(_ number: Int) {
        // The action leaves the lock before it ends.
        _ = state.withLock { state -> (@Sendable () -> Void)? in
            let action = state.actions.removeValue(forKey: number)
            if action != nil { state.noteObsoleteDeadline() }
            return action
        }
    }

    func release(_ ticket: StoreTicket) {
        state.withLock { state in
            // The slot may have another tenant by now.
            guard state.registry.isCurrent(ticket) else { return }
            state.news[ticket.slot] = nil
            state.reads.remove(slot: ticket.slot)
            state.tags.remove(slot: ticket.slot)
            state.registry.release(ticket)
        }
    }

    var isOffline: Bool { network.withLock { $0 }?.isOffline ?? false }

    func waitForNetwork(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription {
        guard let gate = network.withLock({ $0 }) else {
            resume()
            return QuerySubscription {}
        }
        return gate.wait(isMutation: isMutation, resume)
    }

    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription {
        network.withLock { $0 }?.whenReconnected(action) ?? QuerySubscription {}
    }

    /// Whether a clock is the client's. Two values of one type may be two clocks; all system clocks are one.
    private func isOwn(_ other: any QueryClock) -> Bool {
        if other is SystemClock { return clock is SystemClock }
        guard type(of: other) is AnyClass else { return false }
        return (other as AnyObject) === (clock as AnyObject)
    }

    // MARK: Deadlines

    /// Makes sure that the clock will call at the earliest deadline.
    private func arm() {
        let (deadline, obsolete) = state.withLock { state -> (QueryInstant?, QueryAlarm?) in
            guard let earliest = state.deadlines.earliest, earliest < state.armed ?? .never else { return (nil, nil) }
            state.armed = earliest
            defer { state.alarm = nil }
            return (earliest, state.alarm)
        }
        obsolete?.cancel()
        guard let deadline else { return }
        let alarm = clock.schedule(at: deadline) { [weak self] in self?.fire(deadline) }
        let isObsolete = state.withLock { state in
            if state.armed != deadline { return true }
            state.alarm = alarm
            return false
        }
        if isObsolete { alarm.cancel() }
    }

    private func fire(_ deadline: QueryInstant) {
        let now = clock.now
        // The alarm, too, leaves the lock before it ends: it is the clock's, and the clock may be anybody's.
        let (actions, expired, alarm) = state.withLock { state -> ([@Sendable () -> Void], [StoreCore], QueryAlarm?) in
            var alarm: QueryAlarm?
            if state.armed == deadline {
                state.armed = nil
                swap(&alarm, &state.alarm)
            }
            var actions: [@Sendable () -> Void] = []
            var expired: [StoreCore] = []
            while let (deadline, payload) = state.deadlines.popDue(at: now) {
                switch payload {
                case .action(let number):
                    if let action = state.actions.removeValue(forKey: number) { actions.append(action) }
                case .retention(let ticket):
                    switch state.registry.examine(ticket, entry: deadline, now: now) {
                    case .nothing: break
                    case .later(let instant): state.deadlines.insert(.retention(ticket), at: instant)
                    case .expired(let store): expired.append(store)
                    }
                }
            }
            return (actions, expired, alarm)
        }
        withExtendedLifetime(alarm) {}
        for action in actions { action() }
        retire(expired, .expired)
        arm()
    }

    // MARK: Retirement

    private func isOverBudget(_ state: State) -> Bool {
        state.registry.count > configuration.storeLimit || state.registry.byteCount > configuration.byteLimit
    }

    /// Brings the stores that nobody uses within the budgets of the configuration, or tighter ones.
    func trim(storeLimit: Int? = nil, byteLimit: Int? = nil) {
        let surplus = state.withLock { state in
            state.registry.surplus(
                storeLimit: storeLimit ?? configuration.storeLimit,
                byteLimit: byteLimit ?? configuration.byteLimit
            )
        }
        retire(surplus, .overBudget)
    }

    func releaseMemory(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim(storeLimit: storeCount / 2, byteLimit: byteCount / 2)
        case .critical: trim(storeLimit: 0, byteLimit: 0)
        }
    }

    /// Empties stores that nobody uses, and lets go of them. One that came into use meanwhile stays.
    private func retire(_ stores: [StoreCore], _ reason: QueryEvent.Reason) {
        for store in stores { _ = retire(store, reason) }
    }

    /// Empties a store and lets go of it; `false`, and nothing happened, if somebody uses it. Its cache keeps the value, unless it is to forget it.
    func retire(_ store: StoreCore, _ reason: QueryEvent.Reason, forgets: Bool = false) -> Bool {
        let cause = wantsEvents ? store.contents.withLock { $0.state }.record.cause : .reset
        let isReleased = Lock(false)
        let isDone = store.retire(forgets: forgets) { ticket in
            let released = state.withLock { state in
                if state.registry.isScheduled(ticket) { state.noteObsoleteDeadline() }
                return state.registry.retire(ticket) != nil
            }
            isReleased.withLock { $0 = released }
        }
        if isReleased.withLock({ $0 }) { reportRemoval(of: store, cause, reason) }
        return isDone
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
                state.previous = [:]
                state.deadlines.removeAll { if case .retention = $0 { true } else { false } }
            }
            return (stores, state.alarm)
        }
        alarm?.cancel()
        for store in stores { store.close() }
        // Calls that are written down stay so, and are made by the next client.
        lines.cancel(matching: .all)
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
