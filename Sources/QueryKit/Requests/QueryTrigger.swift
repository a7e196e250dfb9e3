/// An event source that requests runs: a timer, the return of the network, or any sequence of events; see `refetch(on:)`.
///
/// A trigger only requests a run. The run begins if the store is observed, the request is enabled and the value is stale. If a run is under
/// way, it satisfies the trigger, and no other run follows. A trigger affects a store at most ten times per second, no matter how often it
/// fires.
///
/// ```swift
/// Entries(day: today)
///     .refetch(on: .every(.seconds(30)))
///     .refetch(on: .reconnect)
/// ```
public struct QueryTrigger: Sendable {
    /// Starts watching, and calls `fire` for each event until the returned subscription ends.
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

    /// Starts watching an event source that needs alarms.
    typealias ClockedStart =
        @Sendable (_ context: QueryContext, _ schedule: @escaping Schedule, _ fire: @escaping @Sendable () -> Void) -> QuerySubscription

    /// The name of the trigger. It is part of the cause of a run, and two triggers with the same name count as the same trigger.
    public let name: String

    let kind: Kind

    /// Tells triggers with the same name apart when an equal request is used again with another trigger.
    var number: ObjectIdentifier?

    /// Whether both are the same trigger, so that a request with the other one needs no new subscription.
    func isSame(as other: QueryTrigger) -> Bool { name == other.name && number == other.number }

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// Creates a custom trigger. The triggers of one request need different names.
    public init(_ name: String, start: @escaping Start) { self.init(name, .custom(start)) }

    init(_ name: String, clocked start: @escaping ClockedStart) { self.init(name, .clocked(start)) }

    /// Fires for each element of a sequence. The sequence is created for the first observer; when it ends, the trigger stops firing.
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

    /// Fires at multiples of an interval, so that stores with equal intervals run together. Never fires if the interval is zero or less.
    public static func every(_ interval: Duration) -> QueryTrigger { QueryTrigger("every \(interval)", .every(interval)) }

    /// Fires when the network is back and the mutations that waited for it have ended, at the latest after five seconds; see
    /// ``NetworkObserver``. By default, a client refetches all stale observed requests at that moment; see
    /// ``QueryClient/Configuration/refetchesOnReconnect``.
    public static let reconnect = QueryTrigger("reconnect", .reconnect)
}
