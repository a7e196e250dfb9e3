/// What a store needs from the client that keeps it: the client stands in a later folder.
///
/// None of these is called with the store's lock held.
protocol StoreHost: AnyObject, Sendable {
    /// Whether the store is used, and by how much the number of working runs changed.
    func update(_ ticket: StoreTicket, _ activity: StoreActivity?, work: Int)

    /// Calls `action` when the clock has reached `deadline`; through the client's one timer if it is the client's clock.
    func schedule(at deadline: QueryInstant, on clock: any QueryClock, _ action: @escaping @Sendable () -> Void) -> QueryAlarm

    /// The last reference to the store is gone.
    func release(_ ticket: StoreTicket)

    /// Whether there is no network.
    var isOffline: Bool { get }

    /// Calls `resume` as soon as there is a network: after the mutations that waited, if it is not one itself.
    func waitForNetwork(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription

    /// Calls `action` each time the network is back and the mutations that waited are through.
    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription

    /// Holds runs back where only so many may work at once; `nil` where there is no limit.
    var runGate: (any RunGate)? { get }

    /// A run of the store reads some regions; a change of them reaches the store from now on.
    func noteReads(_ regions: [QueryRegion], _ ticket: StoreTicket, run: Int32)

    /// A run ended well: what only earlier ones read counts no longer.
    func settleReads(_ ticket: StoreTicket, run: Int32)

    /// What the store's value was read from.
    /// The last run of a store that read one of the regions; 0 for none.
    func latestRun(of ticket: StoreTicket, reading regions: [QueryRegion]) -> Int32

    func reads(_ ticket: StoreTicket) -> [QueryRegion]

    /// The tags of the store's latest result, in place of those of the result before.
    func setTags(_ tags: Set<QueryTag>, _ ticket: StoreTicket)

    /// Where runs and look-ups are counted.
    var monitor: ClientMonitor { get }

    /// Judges what one tally of the monitor has counted by the rules for alerts.
    func examineAlerts(_ tally: Int, _ cause: QueryCause)

    /// Whether anybody wants to hear of events.
    var wantsEvents: Bool { get }

    func report(_ event: QueryEvent)
}

/// Where a client files a store. The generation tells a slot's present tenant from earlier ones.
struct StoreTicket: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// How a store is used at one moment. A client that hears of two moments in the wrong order keeps the later one.
struct StoreActivity: Equatable, Sendable {
    let sequence: UInt32
    let isRunning: Bool
    let isObserved: Bool
    /// Whether there is no result, so that nothing is lost with the store.
    let isEmpty: Bool
    let retention: Duration?
    let byteCount: Int

    var isIdle: Bool { !isRunning && !isObserved }
}
