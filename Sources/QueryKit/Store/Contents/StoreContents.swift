/// Everything that a store guards with its lock, and the one way to change it.
///
/// A change asks the machine, applies the value, publishes if there is something to see, and notes as ``StoreAction`` what has to be
/// done once the lock is open again.
struct StoreContents {
    // Invariant: valid while the store's lock is held. Each lock sets it again.
    /// What lasts; see ``StoreLock``.
    var basis: UnsafeMutablePointer<StoreBasis>
    var machine: RunMachine
    var run: StoreRun?
    var waiters = WaiterList()
    /// The runs that may be waited for without being kept alive.
    var refetches: [WatchedRun] = []
    var outbox = Outbox()
    /// Changes of the client that wait for an answer from outside: a condition, or a context.
    var news: [StoreChange] = []
    private var actions = StoreActions()
    /// The run whose value has just become the store's, so that what only earlier ones read no longer counts; 0 for none.
    private var landedRun: Int32 = 0
    /// Whether the store has told its client that it works.
    private var isWorking = false
    /// Whether something has happened that the client has to know.
    var hasNewActivity = false

    // Held here, because it takes long to ask the store for them.
    let host: any StoreHost
    let ticket: StoreTicket

    init(basis: UnsafeMutablePointer<StoreBasis>) {
        self.basis = basis
        machine = RunMachine(after: basis.pointee.lastRun)
        let owner: StoreCore = basis.pointee.owner
        (host, ticket) = (owner.host, owner.ticket)
    }

    /// Whether nothing is under way that a later event has to know of, so that the basis is enough.
    // Mutating, so that nothing is copied.
    @inline(__always)
    mutating func isAtRest() -> Bool {
        machine.isAtRest && run == nil && waiters.isEmpty && refetches.isEmpty && outbox.isAtRest && actions.isEmpty && !hasNewActivity
            && !isWorking && landedRun == 0 && news.isEmpty
    }

    // MARK: What lasts

    var owner: StoreCore { basis.pointee.owner }
    var runsByItself: Bool { basis.pointee.runsByItself }
    var baseValue: AnyValue? { basis.pointee.value }

    var state: StateBox {
        @inline(__always) get { basis.pointee.state }
        @inline(__always) set { basis.pointee.state = newValue }
    }

    var base: RequestSettings {
        @inline(__always) get { basis.pointee.base }
        @inline(__always) set { basis.pointee.base = newValue }
    }

    var caller: RequestSettings? {
        @inline(__always) get { basis.pointee.caller }
        @inline(__always) set { basis.pointee.caller = newValue }
    }

    var rare: RareContents? {
        @inline(__always) get { basis.pointee.rare }
        @inline(__always) set { basis.pointee.rare = newValue }
    }

    var asOf: ChangeNumber {
        @inline(__always) get { basis.pointee.asOf }
        @inline(__always) set { basis.pointee.asOf = newValue }
    }

    var latest: ChangeNumber {
        @inline(__always) get { basis.pointee.latest }
        @inline(__always) set { basis.pointee.latest = newValue }
    }

    var valueNumber: UInt32 {
        @inline(__always) get { basis.pointee.valueNumber }
        @inline(__always) set { basis.pointee.valueNumber = newValue }
    }

    var retention: Nanoseconds? {
        get { basis.pointee.retention }
        set { basis.pointee.retention = newValue }
    }

    /// Notes the run whose value has just become the store's, so that what only earlier ones read no longer counts.
    mutating func noteLanding(of run: Int32) { landedRun = run }

    var landsRun: Bool { landedRun != 0 }

    /// The rare contents, which are there from now on.
    mutating func needRare() -> RareContents { basis.pointee.needRare() }

    // MARK: What is left to be done

    /// Notes something that is to be done once the lock is open.
    mutating func add(_ action: StoreAction) { actions.add(action) }

    /// Releases outside the lock what has been replaced: its deinit may run arbitrary code.
    mutating func release(_ object: any AnyObject & Sendable) { add(.release(object)) }

    /// The store has told its client already that it works.
    mutating func noteWorking() { isWorking = true }

    /// The store has told its client that it works no more.
    mutating func noteResting() { isWorking = false }

    /// Whether there are at most observers: no run, nobody who waits for one, and nothing that has yet to be done or taken in.
    var isQuiet: Bool {
        machine.isIdle && run == nil && rare == nil && news.isEmpty && host.latestChange == latest && refetches.isEmpty && waiters.isEmpty
            && actions.isEmpty && !hasNewActivity && landedRun == 0
    }

    /// Ends a change: tells the client how the store is used now, and returns what is left to be done.
    mutating func conclude(now: QueryInstant? = nil) -> StoreActions {
        if hasNewActivity {
            hasNewActivity = false
            // First of all: a store that was let go is listed again before its run begins.
            if host.update(ticket, activity(now)) { actions.needAttention = true }
            landedRun = 0
        }
        if !refetches.isEmpty { endRefetches() }
        let works = outbox.isBusy || run.map { $0.rest != .waiting } ?? false
        if works != isWorking {
            isWorking = works
            if !works, actions.needAttention { actions.endWork = true } else { host.work.count(works) }
        }
        var taken = StoreActions()
        if !actions.isEmpty { swap(&taken, &actions) }
        return taken
    }

    /// The next delivery; `nil`, and the client knows, when there is none.
    mutating func nextDelivery() -> (delivery: Delivery?, actions: StoreActions) {
        if let next = outbox.next() { return (next, StoreActions()) }
        return (nil, conclude())
    }

    /// The context of one call for the run that has just been decided.
    mutating func useForStart(_ context: QueryContext) {
        actions.visit { if case .begin(let run) = $0 { run.use(context) } }
    }

    // MARK: Use

    /// Whether nothing would be lost if the store was let go.
    var mayBeReleased: Bool { isIdle }

    var isIdle: Bool { machine.isIdle && !isObserved }

    /// A layer of a mutation that is on its way uses the store, too, and so does a call that waits in line.
    private var isObserved: Bool { machine.isObserved || rare?.layers.isPending == true || state.record.notes?.isPending == true }

    private func activity(_ now: QueryInstant?) -> StoreActivity {
        StoreActivity(
            run: machine.runNumber,
            landedRun: landedRun,
            isRunning: !machine.isIdle,
            isObserved: isObserved,
            isEmpty: !state.record.hasResult,
            computesTags: rare?.computing.isEmpty == false,
            keepsParts: rare?.changes != nil,
            isConsistent: rare?.isConsistent == true,
            retention: retention,
            byteCount: state.byteCount,
            now: now
        )
    }

    /// Answers a caller after the deliveries that are under way or in line.
    mutating func post(_ waiter: Waiter, _ answer: AnyValue) {
        var waiters = WaiterList()
        waiters.append(waiter)
        waiter.isPosted = true
        let delivery = Delivery(
            number: outbox.nextNumber(),
            StateEvent(changes: [], state: state, result: .success(answer)),
            waiters: waiters,
            answer: .success(answer)
        )
        if let first = outbox.post(delivery) { add(.deliver(first)) }
    }

    /// The client is told of the store's use by whoever calls this.
    mutating func forgetActivity() { hasNewActivity = false }

    /// The layers change without an event of the machine; the client has to know whether the store is in use.
    mutating func noteUse() {
        hasNewActivity = true
        if foldsLayers { add(.foldLayers) }
    }

    /// Whether layers of finished calls can become part of the value now: no run is under way that would replace them with its result.
    ///
    /// An open stream doesn't count as such a run, because its next element may never arrive.
    var foldsLayers: Bool { rare?.layers.waitsForLanding == true && machine.run?.isLive != false }
}
