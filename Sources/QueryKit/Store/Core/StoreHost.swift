/// The interface of a client for its stores. The client is declared in a later folder.
///
/// Locks are taken in one order: a store's lock first, then its client's. The members of the first group take only the client's lock, so a
/// store may call them with its own lock held, and can decide in one step. The others are called without any lock.
protocol StoreHost: AnyObject, Sendable {
    // MARK: With the store's lock held

    /// The latest change that was entered, readable without a lock. While it stays the same, a store has no changes to take.
    var latestChange: ChangeNumber { get }
    /// Takes the changes that were entered for the store and not taken yet.
    func takePendingChanges(for ticket: StoreTicket) -> PendingChanges
    /// The kind of changes that wait for the store.
    func pendingKind(for ticket: StoreTicket) -> PendingChanges.Kind
    /// Updates how the store is used. Returns whether ``carryOutUpdates()`` must be called.
    func update(_ ticket: StoreTicket, _ activity: StoreActivity) -> Bool
    /// Notes that a run of the store reads some regions. From now on a change of them concerns the store.
    func noteReads(_ regions: [QueryRegion], by statement: (any ReadStatement)?, _ ticket: StoreTicket, _ start: RunStart)
    /// The regions that the store's value was read from.
    func reads(_ ticket: StoreTicket) -> [QueryRegion]
    /// The statements by which the store's value was read.
    func statements(_ ticket: StoreTicket) -> ReadStatements
    /// Sets the tags of the store's latest result. They replace the previous tags, or are added to them.
    func setTags(_ tags: Set<QueryTag>, _ ticket: StoreTicket, inAddition: Bool)
    /// Whether a change after the given one has concerned the store.
    func hasChanged(_ ticket: StoreTicket, since number: ChangeNumber) -> Bool
    /// Enters a change that concerns one run of one store, because what it has read is out of date.
    func outdate(_ ticket: StoreTicket, _ start: RunStart, by change: RegionChange?)
    /// The latest change that was entered for any store; `nil` while a change of several stores is half done.
    var moment: ChangeNumber? { get }
    /// Whether there is no network.
    var isOffline: Bool { get }
    /// Whether the client handles this trigger for all observed stores, so that a store needs no trigger of its own.
    func covers(_ trigger: QueryTrigger, in context: QueryContext) -> Bool
    /// Whether the client was deallocated, so that the library starts nothing any more.
    var isClosed: Bool { get }
    /// Counts the work that must end before the client is settled.
    var work: WorkCounter { get }
    /// The waits between the stores of the client.
    var waits: WaitGraph { get }
    /// Lets the runs of consistent stores read the same snapshot and publish as one change.
    var rounds: ConsistentRounds { get }
    /// The number of completed changes of several stores; `nil` while one is half done.
    var jointChanges: Int? { get }

    // MARK: Called without a lock

    /// Changes several stores as one change. `body` must not call handlers; the actions are carried out after it.
    func jointly<Result>(_ body: () -> Result) -> Result
    /// The consistent stores, which are shown as of the same moment.
    var consistentStores: [StoreCore] { get }
    /// The number of consistent stores.
    var consistentCount: Int { get }
    /// The clock of the client.
    var clock: any QueryClock { get }
    /// Calls `action` as soon as no change of several stores is half done.
    func whenWhole(_ action: @escaping @Sendable () -> Void)
    /// Enters a change that concerns one store. Returns `false` if the client was deallocated.
    func enter(_ ticket: StoreTicket, _ kind: StoreChange.Kind) -> Bool

    /// Notes a change of the value that a cache or an archive keeps for a request.
    func noteStoredChange(of request: any QueryRequest)
    /// Whether the given clock is that of the client.
    func isClock(_ clock: any QueryClock) -> Bool

    /// Carries out the effects of ``update(_:_:)``: sets the timer and enforces the budgets.
    func carryOutUpdates()
    /// The context of a request in the current session.
    func context(for request: any QueryRequest) -> QueryContext
    /// Calls `action` when `clock` has reached `deadline`. The client has one timer, which is used if `clock` is the client's clock.
    func schedule(at deadline: QueryInstant, on clock: any QueryClock, _ action: @escaping @Sendable () -> Void) -> QueryAlarm
    /// The number of calls of mutations made so far. May be read with a store's lock held.
    var callCount: Int { get }
    /// Ends the calls of a mutation that were among the first `count` calls. Their entries stay in the journal.
    func endCalls(of ticket: StoreTicket, upTo count: Int)
    /// Notes that the store was deallocated.
    func release(_ ticket: StoreTicket)
    /// Calls `resume` as soon as there is a network. Queries are resumed after the mutations that have waited.
    func waitForNetwork(isMutation: Bool, _ resume: @escaping @Sendable () -> Void) -> QuerySubscription
    /// Calls `action` each time the network is back and the mutations that have waited are over.
    func whenReconnected(_ action: @escaping @Sendable () -> Void) -> QuerySubscription
    /// Limits how many runs may work at the same time; `nil` if there is no limit.
    var runGate: (any RunGate)? { get }
    /// Counts runs and cache lookups.
    var monitor: ClientMonitor { get }
    /// Checks one tally of the monitor against the rules for alerts.
    func examineAlerts(_ tally: Int, _ cause: QueryCause)
    /// Reports mistakes of the app; `nil` if they are not checked.
    var mistakes: MistakeReporter? { get }
    /// Whether there are listeners for events.
    var wantsEvents: Bool { get }
    func report(_ event: QueryEvent)
}

/// The slot of a store in its client. The generation distinguishes the current store of a slot from earlier ones.
struct StoreTicket: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// The ticket as one number, for an inspector.
    var id: Int { Int(truncatingIfNeeded: UInt64(generation) << 32 | UInt64(slot)) }
}

/// How a store is used at one moment.
struct StoreActivity: Equatable, Sendable {
    /// The number of the run under way; 0 for none.
    var run: Int32 = 0
    /// The run whose value has just become the store's; 0 for none.
    var landedRun: Int32 = 0
    let isRunning: Bool
    let isObserved: Bool
    /// Whether there is no result, so that releasing the store loses nothing.
    let isEmpty: Bool
    /// Whether the store computes tags from its results, so that they are unknown before a run ends.
    var computesTags = false
    /// Whether the store keeps parts of its value that earlier runs have read, such as pages.
    var keepsParts = false
    /// Whether the store is consistent: shown as of the same moment as others.
    var isConsistent = false
    let retention: Nanoseconds?
    let byteCount: Int
    /// The time on the client's clock, if it is known.
    var now: QueryInstant?

    var isIdle: Bool { !isRunning && !isObserved }
}

/// A change of the client as it concerns one store. A client enters it for all stores in one step; each store takes it before any other
/// event.
struct StoreChange: Sendable {
    enum Kind: Sendable {
        case invalidated(QueryCause, QueryRefetch)
        /// A refetch is due: an invalidated value is fetched if it has observers.
        case due(QueryCause)
        /// Resets the store. `forgets` determines whether caches remove the value too.
        case reset(QueryCause, forgets: Bool)
        /// A new session has begun.
        case renewed(QueryCause)

        /// Whether it changes nothing by itself.
        var isDue: Bool { if case .due = self { true } else { false } }
    }

    let number: ChangeNumber
    let kind: Kind
    /// The changed regions, if the change is one of regions.
    var regions: RegionChange?
    /// A run under way that will see the change without being restarted, because it has read none of the changed regions yet.
    var spared: Int32?
}

/// The changes that a store has not taken yet.
struct PendingChanges: Sendable {
    enum Kind: Sendable {
        case nothing, invalidation, reset
    }

    /// The latest change of the client, whether or not it concerns the store.
    var latest = ChangeNumber.none
    var changes: [StoreChange] = []
}

/// Changed regions, and the mutation that has changed them, if it was one of this process.
struct RegionChange: Sendable {
    let regions: [QueryRegion]
    var mutation: LayerStack.Owner?
}
