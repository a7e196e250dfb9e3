/// What a store needs from its client, which is declared in a later folder.
///
/// Locks are taken in one order: a store's lock first, then its client's. The members of the first group take only the client's lock, so a
/// store calls them with its own lock held, and what it decides is decided in one step. The others are called without any lock.
protocol StoreHost: AnyObject, Sendable {
    // MARK: With the store's lock held

    /// The latest change that was entered. Costs no lock: as long as it stays the same, no store has to ask for its changes.
    var latestChange: ChangeNumber { get }
    /// Takes the changes that the store has not been told of.
    func takeNews(for ticket: StoreTicket) -> StoreNews
    /// Whether such changes are waiting, and of what kind.
    func waitingNews(for ticket: StoreTicket) -> StoreNews.Waiting
    /// Notes how the store is used. Returns whether ``attend()`` has something to do.
    func update(_ ticket: StoreTicket, _ activity: StoreActivity) -> Bool
    /// A run of the store reads some regions: from now on a change of them concerns the store.
    func noteReads(_ regions: [QueryRegion], _ ticket: StoreTicket, _ start: RunStart)
    /// What the store's value was read from.
    func reads(_ ticket: StoreTicket) -> [QueryRegion]
    /// Sets the tags of the store's latest result, in place of those that it has, or in addition to them.
    func setTags(_ tags: Set<QueryTag>, _ ticket: StoreTicket, inAddition: Bool)
    /// Whether a change has concerned the store since a value was read.
    func hasChanged(_ ticket: StoreTicket, since number: ChangeNumber) -> Bool
    /// Enters a change that concerns one run of one store: what it has read is out of date.
    func outdate(_ ticket: StoreTicket, _ start: RunStart, by change: RegionChange?)
    /// The latest change that was entered, for whichever stores; `nil` while one of several stores is half done.
    var moment: ChangeNumber? { get }
    /// Whether there is no network.
    var isOffline: Bool { get }
    /// Whether the client asks all observed stores when a trigger fires, so that a store needs no trigger of its own.
    func covers(_ trigger: QueryTrigger, in context: QueryContext) -> Bool
    /// Whether the client is gone, so that nothing happens by itself any more.
    var isClosed: Bool { get }
    /// Counts what has to happen before the client is settled.
    var work: WorkCounter { get }
    /// Which runs of the client wait for which stores.
    var waits: WaitGraph { get }
    /// What lets runs read together and publish as one.
    var picture: Picture { get }
    /// How many changes of several stores are over; `nil` while one is half done.
    var jointChanges: Int? { get }

    // MARK: Without any lock

    /// Changes several stores as one change. `body` only decides; what follows for handlers is done after it.
    func jointly<Result>(_ body: () -> Result) -> Result
    /// The stores that are shown at one moment.
    var consistentStores: [StoreCore] { get }
    /// The clock of the client.
    var clock: any QueryClock { get }
    /// Calls `action` as soon as no change of several stores is half done.
    func whenWhole(_ action: @escaping @Sendable () -> Void)
    /// Enters a change that concerns one store; `false` if the client is gone.
    func enter(_ ticket: StoreTicket, _ kind: StoreChange.Kind) -> Bool

    /// What a cache or an archive keeps of a request has changed.
    func noteStoredChange(of request: any QueryRequest)
    /// Whether a clock is the client's.
    func isClock(_ clock: any QueryClock) -> Bool

    /// Does what follows from an ``update(_:_:)``: sets the timer, and keeps the budgets.
    func attend()
    /// The context of a request in the present session.
    func context(for request: any QueryRequest) -> QueryContext
    /// Calls `action` when the clock has reached `deadline`; through the client's one timer if it is the client's clock.
    func schedule(at deadline: QueryInstant, on clock: any QueryClock, _ action: @escaping @Sendable () -> Void) -> QueryAlarm
    /// How many calls of mutations have been made so far. May be read with a store's lock held.
    var callCount: Int { get }
    /// Ends the calls of a mutation, without those that were made after so many. Their entries stay in the journal.
    func endCalls(of ticket: StoreTicket, upTo count: Int)
    /// The last reference to the store is gone.
    func release(_ ticket: StoreTicket)
    /// Calls `resume` as soon as there is a network: after the mutations that waited, if it is not one itself.
    func waitForNetwork(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription
    /// Calls `action` each time the network is back and the mutations that waited are through.
    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription
    /// Holds runs back where only so many may work at once; `nil` where there is no limit.
    var runGate: (any RunGate)? { get }
    /// Where runs and look-ups are counted.
    var monitor: ClientMonitor { get }
    /// Judges what one tally of the monitor has counted by the rules for alerts.
    func examineAlerts(_ tally: Int, _ cause: QueryCause)
    /// Where mistakes of the app are reported; `nil` where they are not looked for.
    var mistakes: MistakeReporter? { get }
    /// Whether anyone listens to events.
    var wantsEvents: Bool { get }
    func report(_ event: QueryEvent)
}

/// Where a client files a store. The generation tells a slot's present tenant from earlier ones.
struct StoreTicket: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// How a store is used at one moment.
struct StoreActivity: Equatable, Sendable {
    /// The number of the run under way; 0 for none.
    var run: Int32 = 0
    /// The run whose value has just become the store's; 0 for none.
    var landedRun: Int32 = 0
    let isRunning: Bool
    let isObserved: Bool
    /// Whether there is no result, so that nothing is lost with the store.
    let isEmpty: Bool
    /// Whether the store computes tags from its results: nobody knows before the end of a run which they are.
    var computesTags = false
    /// Whether the store keeps parts that earlier runs have read, as pages are.
    var keepsParts = false
    /// Whether the store is shown at one moment with others.
    var isConsistent = false
    let retention: Nanoseconds?
    let byteCount: Int
    /// When that is, by the client's clock, if it is known.
    var now: QueryInstant?

    var isIdle: Bool { !isRunning && !isObserved }
}

/// A change as it concerns one store. A client enters it for all stores in one step; each store takes it before anything else happens to it.
struct StoreChange: Sendable {
    enum Kind: Sendable {
        case invalidated(QueryCause, QueryRefetch)
        /// Back to the beginning; `forgets` says that caches forget the value too.
        case reset(QueryCause, forgets: Bool)
        /// Another session has begun.
        case renewed
    }

    let number: ChangeNumber
    let kind: Kind
    /// What changed, if it is known by regions.
    var regions: RegionChange?
    /// A run under way that will see the change without being told: it has read nothing yet of what changed.
    var spared: Int32?
}

/// The changes that a store has not been told of.
struct StoreNews: Sendable {
    enum Waiting: Sendable {
        case nothing, invalidation, reset
    }

    /// The latest change of the client, whether or not it concerns the store.
    var latest = ChangeNumber.none
    var changes: [StoreChange] = []
}

/// Regions that changed, and the mutation that changed them, if it was one of this process.
struct RegionChange: Sendable {
    let regions: [QueryRegion]
    var mutation: LayerStack.Owner?
}
