/// Everything that a store guards with its lock, and the only way to change it.
///
/// Each change calls the machine, applies the value, publishes, and adds a ``StoreAction`` for everything to do after the lock is released.
struct StoreContents {
    // Invariant: valid while the store's lock is held. It is set each time the lock is taken.
    /// The part that exists as long as the store; see ``StoreLock``.
    var basis: UnsafeMutablePointer<StoreBasis>
    var machine: RunMachine
    var run: StoreRun?
    var waiters = WaiterList()
    /// The watched runs, which callers wait for without keeping them alive.
    var refetches: [WatchedRun] = []
    var outbox = Outbox()
    /// Changes of the client that were taken and not applied yet, because foreign code, such as a condition, has to be evaluated first.
    var pendingChanges: [StoreChange] = []
    private var actions = StoreActions()
    /// The run whose value has just become the store's value; 0 if there is none. Regions that were last read by an earlier run then no
    /// longer count.
    private var landedRun: Int32 = 0
    /// Whether the store counts as working in its client.
    private var isWorking = false
    /// Whether the use of the store has changed, so that the client must be updated.
    var hasNewActivity = false

    // Stored here, because reading them from the store is slow.
    let host: any StoreHost
    let ticket: StoreTicket

    init(basis: UnsafeMutablePointer<StoreBasis>) {
        self.basis = basis
        machine = RunMachine(after: basis.pointee.lastRun)
        let owner: StoreCore = basis.pointee.owner
        (host, ticket) = (owner.host, owner.ticket)
    }

    /// Whether nothing is under way that a later event depends on, so that the basis is enough.
    // Mutating, so that the contents aren't copied.
    @inline(__always)
    mutating func isAtRest() -> Bool {
        machine.isAtRest && run == nil && waiters.isEmpty && refetches.isEmpty && outbox.isAtRest && actions.isEmpty && !hasNewActivity
            && !isWorking && landedRun == 0 && pendingChanges.isEmpty
    }

    // MARK: Lasting state

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

    /// Notes the run whose value has just become the store's value. Regions that were last read by an earlier run then no longer count.
    mutating func noteLanding(of run: Int32) { landedRun = run }

    var landsRun: Bool { landedRun != 0 }

    /// The rare contents, which are created if necessary.
    mutating func needRare() -> RareContents { basis.pointee.needRare() }

    // MARK: Pending actions

    /// Adds an action to carry out after the lock is released.
    mutating func add(_ action: StoreAction) { actions.add(action) }

    /// Releases a replaced object outside the lock, because its deinit may run arbitrary code.
    mutating func release(_ object: any AnyObject & Sendable) { add(.release(object)) }

    /// Notes that the store already counts as working in its client.
    mutating func noteWorking() { isWorking = true }

    /// Notes that the store no longer counts as working in its client.
    mutating func noteIdle() { isWorking = false }

    /// Whether there is nothing but observers: no run, no waiting callers, no pending actions, and no changes to take.
    var isQuiet: Bool {
        machine.isIdle && run == nil && rare == nil && pendingChanges.isEmpty && host.latestChange == latest && refetches.isEmpty
            && waiters.isEmpty && actions.isEmpty && !hasNewActivity && landedRun == 0
    }

    /// Ends a change: reports the use of the store to the client, and returns the actions to carry out.
    mutating func conclude(now: QueryInstant? = nil) -> StoreActions {
        if hasNewActivity {
            hasNewActivity = false
            // First, because a store that was released by its client must be listed again before its run begins.
            if host.update(ticket, activity(now)) { actions.hasUpdates = true }
            landedRun = 0
        }
        if !refetches.isEmpty { endRefetches() }
        let works = outbox.isBusy || run.map { $0.activity != .waiting } ?? false
        if works != isWorking {
            isWorking = works
            if !works, actions.hasUpdates { actions.endWork = true } else { host.work.count(works) }
        }
        var taken = StoreActions()
        if !actions.isEmpty { swap(&taken, &actions) }
        return taken
    }

    /// The next delivery. If there is none, returns `nil` and updates the client.
    mutating func nextDelivery() -> (delivery: Delivery?, actions: StoreActions) {
        if let next = outbox.next() { return (next, StoreActions()) }
        return (nil, conclude())
    }

    /// Sets the context of one call for the run that has just been started.
    mutating func useForStart(_ context: QueryContext) {
        actions.visit { if case .begin(let run) = $0 { run.use(context) } }
    }

    // MARK: Activity

    /// Whether the client may release the store without losing anything.
    var mayBeReleased: Bool { isIdle }

    var isIdle: Bool { machine.isIdle && !isObserved }

    /// A pending layer of a mutation also uses the store, and so does a call that waits in a queue.
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

    /// Resumes a caller with a value after the deliveries that are under way or waiting.
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

    /// Skips the update of the client, because the caller reports the store's use.
    mutating func forgetActivity() { hasNewActivity = false }

    /// Call this when the layers have changed without an event of the machine, so that the client learns whether the store is in use.
    mutating func noteUse() {
        hasNewActivity = true
        if foldsLayers { add(.foldLayers) }
    }

    /// Whether layers of finished calls can become part of the value now, because no run is under way whose result would replace them.
    ///
    /// An open stream doesn't count as such a run, because its next element may never arrive.
    var foldsLayers: Bool { rare?.layers.waitsForLanding == true && machine.run?.isLive != false }
}
