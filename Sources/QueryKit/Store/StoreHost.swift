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
    func refresh(_ cause: QueryCause)
    /// Resets a store that nobody uses; answers with the number of that moment among its activities, `nil` if somebody does.
    func emptyIfIdle() -> UInt32?
    func unsubscribe(_ subscriber: Subscriber)

    // What a run tells its store.
    var host: any StoreHost { get }
    func yield(_ input: StoreInput, from start: RunStart)
    func rest(_ start: RunStart, until deadline: QueryInstant, on clock: any QueryClock) async throws
    func noteFailure(_ start: RunStart, _ error: any Error)
}
