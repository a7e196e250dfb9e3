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

/// A store as its client drives it.
protocol StoreControl: AnyQueryStore {
    var ticket: StoreTicket { get }
    func isIdentified(by identity: QueryIdentity) -> Bool
    func invalidate(_ cause: QueryCause, refetch: QueryRefetch)
    func invalidate(_ cause: QueryCause, refetch: QueryRefetch, by change: RegionChange?)
    func refresh(_ cause: QueryCause)
    func pull(_ cause: QueryCause)
    /// Keeps what `make` returns for as long as the store lives, unless it keeps something under that name already.
    func link(to identity: QueryIdentity, _ make: () -> QuerySubscription)
    var request: any QueryRequest { get }
    /// Forgets everything, and goes on with another context.
    func renew(context: QueryContext, _ cause: QueryCause)
    /// How many requests are fetched one inside another by the runs of this store.
    var depth: Int { get }
    /// Resets a store that nobody uses; answers with the number of that moment among its activities, `nil` if somebody does.
    ///
    /// - Parameter forgets: Whether its cache is to forget the value, too.
    func emptyIfIdle(forgets: Bool) -> UInt32?
    func unsubscribe(_ subscriber: Subscriber)
    /// The state of this moment, without its types.
    var box: StateBox { get }

    // What a run tells its store.
    var host: any StoreHost { get }
    /// The highest priority among those who wait for the run under way.
    var runPriority: TaskPriority? { get }
    /// What the value was read from.
    var reads: [QueryRegion] { get }
    func noteReads(_ regions: [QueryRegion], _ start: RunStart)
    func deepen(to depth: Int)
    /// The result of a run is stale at birth; does nothing once the run is over.
    func outdate(_ start: RunStart, _ cause: QueryCause, by change: RegionChange?)
    /// Whether a run is the one under way.
    func isUnderWay(_ start: RunStart) -> Bool
    func pause(_ start: RunStart) async throws -> QuerySubscription
    func show(_ start: RunStart, isPaused: Bool)
    func stream(_ input: StoreInput, from start: RunStart)
    func landLayers(of owner: LayerStack.Owner)
    func finishLayers(of owner: LayerStack.Owner)
    func removeLayers(of owner: LayerStack.Owner)
    /// What changed since the latest run that brought a value began. Runs are told from the second one that asks.
    func changes(for start: RunStart) -> RegionChanges
    /// The base value, without the layers of mutations.
    var baseValue: StateBox.Value? { get }
    /// Whether there is a result, a failure included.
    var hasResult: Bool { get }
    func restore(_ stored: StoredValue, for run: StartedRun) -> StoreInput?
    /// Raised whenever the value may have changed, or was forgotten.
    var valueNumber: UInt32 { get }
    func seed(_ stored: StoredValue, in context: QueryContext, over number: UInt32) -> Bool
    var archivable: ArchivableValue? { get }
    func yield(_ input: StoreInput, from start: RunStart)
    func rest(_ start: RunStart, until deadline: QueryInstant, on clock: any QueryClock) async throws
    func noteFailure(_ start: RunStart, _ error: any Error)
}
