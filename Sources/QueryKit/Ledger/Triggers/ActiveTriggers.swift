/// Triggers of an observer as long as its settings count, or of an invalidation that repeats itself. The engine watches their sources.
final class ActiveTriggers: Guarded<TriggerTurn>, @unchecked Sendable {
    enum Subject: Sendable {
        case observer(Entry, Observer)
        case invalidation([QueryPattern])
    }

    let subject: Subject
    let triggers: [QueryTrigger]
    /// `nil` in tests of the ledger.
    let context: QueryContext?
    /// Without the ledger's lock, because the app begins and ends them.
    let subscriptions = Lock<[QuerySubscription]?>([])

    init(_ subject: Subject, _ triggers: [QueryTrigger], _ context: QueryContext?) {
        (self.subject, self.triggers, self.context) = (subject, triggers, context)
        super.init(TriggerTurn())
    }

    var followReconnect: Bool { triggers.contains { if case .reconnect = $0.kind { true } else { false } } }
}

/// Lets a trigger act at most ten times a second. One that fires during the pause acts when it is over.
struct TriggerTurn: Sendable {
    static let pause = Nanoseconds(.milliseconds(100))

    var isOver = false
    private var pausedUntil: QueryInstant?
    private(set) var missed: String?

    /// Returns the end of the pause that begins now if the trigger may act; `nil` if it has to wait.
    mutating func take(_ name: String, at now: QueryInstant) -> QueryInstant? {
        if let pausedUntil, now < pausedUntil {
            missed = missed ?? name
            return nil
        }
        pausedUntil = now.later(by: Self.pause)
        return pausedUntil
    }

    /// The pause is over. Returns the name of the trigger that has fired during it.
    mutating func end() -> String? { missed.take() }
}

/// How often an observed request is fetched by itself.
struct Polling: Equatable, Sendable {
    let interval: Nanoseconds
    /// The name of the trigger.
    let name: String

    /// The shortest interval among triggers. An interval of zero or less turns polling off.
    init?(_ triggers: [QueryTrigger]) {
        var shortest: (interval: Nanoseconds, name: String)?
        for trigger in triggers {
            guard case .every(let interval) = trigger.kind, interval > .zero else { continue }
            let new = Nanoseconds(interval)
            if new < shortest?.interval ?? .infinity { shortest = (new, trigger.name) }
        }
        guard let shortest else { return nil }
        (interval, name) = shortest
    }

    /// The time until the next multiple of the interval, so that requests with equal intervals run together.
    func rest(at now: QueryInstant) -> Nanoseconds {
        let elapsed = now.nanoseconds % interval.count
        return Nanoseconds(count: interval.count - (elapsed < 0 ? elapsed + interval.count : elapsed))
    }
}

extension Entry {
    /// The latest run that the trigger of an observer has begun.
    struct TriggeredRun: Sendable {
        let cause: QueryCause
        let observer: ObjectIdentifier
        let time: QueryInstant
        let change: ChangeNumber

        /// Whether the run also answers another observer's trigger, which fires for the same event a moment later.
        func answers(_ cause: QueryCause, of other: ObjectIdentifier, at now: QueryInstant) -> Bool {
            cause == self.cause && other != observer && now < time.later(by: TriggerTurn.pause)
        }
    }
}
