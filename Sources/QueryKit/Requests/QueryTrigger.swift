/// Something that asks for a run: a timer, the return of the network, any sequence of events; see `refetch(on:)`.
///
/// A trigger only requests a run. It begins if the store is observed, the request is enabled and the value is stale, and a run under way
/// is joined and answers the trigger: no other run follows. However often a trigger fires, a store is asked ten times a second at most.
///
/// ```swift
/// Entries(day: today).refetch(on: .every(.seconds(30))).refetch(on: .reconnect)
/// ```
public struct QueryTrigger: Sendable {
    /// Begins to watch, calls `fire` whenever it is time, and ends with the subscription.
    public typealias Start = @Sendable (_ context: QueryContext, _ fire: @escaping @Sendable () -> Void) -> QuerySubscription

    enum Kind: Sendable {
        case every(Duration)
        case reconnect
        case appActive
        case custom(Start)
        case clocked(ClockedStart)
    }

    /// Sets an alarm on the clock of the context, through the client's one timer.
    typealias Schedule = @Sendable (_ deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm

    /// Begins to watch something that needs alarms.
    typealias ClockedStart =
        @Sendable (_ context: QueryContext, _ schedule: @escaping Schedule, _ fire: @escaping @Sendable () -> Void) -> QuerySubscription

    /// What the trigger is known by: as the cause of a run, and to tell whether a request still has the same triggers.
    public let name: String

    let kind: Kind

    /// Tells triggers of one name apart, where a request that comes again brings another one.
    var number: ObjectIdentifier?

    /// Whether a request that comes again has the same trigger.
    func isSame(as other: QueryTrigger) -> Bool { name == other.name && number == other.number }

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// Creates a trigger of your own. Those of one request need different names.
    public init(_ name: String, start: @escaping Start) { self.init(name, .custom(start)) }

    init(_ name: String, clocked start: @escaping ClockedStart) { self.init(name, .clocked(start)) }

    /// Fires for each element of a sequence, which is made when the request gets its first observer. Ends when the sequence does.
    public init<Events: AsyncSequence & SendableMetatype>(
        _ name: String,
        sequence: @escaping @Sendable () -> Events
    ) where Events.AsyncIterator: SendableMetatype {
        self.init(name) { _, fire in
            // The subscription owns the task and cancels it.
            let task = Task.detached {
                for try await _ in sequence() { fire() }
            }
            return QuerySubscription { task.cancel() }
        }
    }

    /// Fires at each multiple of an interval, so that stores with equal intervals run together. Never, if the interval is zero or less.
    public static func every(_ interval: Duration) -> QueryTrigger { QueryTrigger("every \(interval)", .every(interval)) }

    /// Fires when the network is back, after the mutations that waited for it; see ``NetworkObserver``. A client does this for all observed
    /// requests by default; see ``QueryClient/Configuration/refetchesOnReconnect``.
    public static let reconnect = QueryTrigger("reconnect", .reconnect)
}
