/// The identity of one request in the ledger. Handles hold it as a hint.
final class Entry: Guarded<Entry.Content>, @unchecked Sendable {
    let key: QueryIdentity.Key
    let hash: Int
    let path: QueryPath
    /// What depends on the type of the value; `nil` in tests of the ledger.
    let typing: (any StateTyping)?
    /// Whether values are compared with `==`.
    let isComparable: Bool
    /// The limits that concern its runs, in their order.
    let limits: [Int]
    /// An entry with the same hash that was listed earlier. The chain never changes, so it is searched without the lock.
    let sibling: Entry?
    /// The state that readers see without waiting for the ledger; `nil` if it has to be made. A leaf: nothing is called with its lock held.
    let published = Lock(Leaf())

    struct Leaf {
        var state: StateBox?
        /// Whether it was read since the budget has asked.
        var wasRead = false
    }

    init(
        _ identity: QueryIdentity,
        _ path: QueryPath,
        _ typing: (any StateTyping)? = nil,
        isComparable: Bool,
        limits: [Int] = [],
        sibling: Entry? = nil
    ) {
        key = QueryIdentity.Key(identity)
        hash = identity.hash
        self.path = path
        (self.typing, self.isComparable, self.limits) = (typing, isComparable, limits)
        self.sibling = sibling
        super.init(Content())
    }

    /// What the ledger knows about one request.
    struct Content: ~Copyable {
        /// The tables that list the entry; 0 if none do.
        var epoch: UInt32 = 0
        /// The number of the entry in the indexes.
        var slot = UInt32.max

        // MARK: Inputs

        /// The value from runs and writes, beneath updates and layers.
        var base: AnyValue?
        /// Changes of the base that haven't been applied yet, and how many were before them.
        var updates: [Layer] = []
        var appliedUpdates: UInt32 = 0
        /// Whether the base is the result of a run that has ended, and not an element of a stream that was closed.
        var isFinal = false
        var layers: [Layer] = []
        /// The number of the inputs, and the number of those whose value is shown.
        var inputs: UInt32 = 0
        var shownInputs: UInt32 = 0
        /// Changes of several entries that must be shown in one step.
        var joint: [Joint] = []

        // MARK: What is shown

        var value: AnyValue?
        /// Whether the value includes layers.
        var isOptimistic = false
        /// Result, counts, times and cause. What runs, marks and layers add is added when a state is made.
        var record = QueryRecord()
        /// The record of what is shown, while code of the app decides what newer inputs show.
        var shownRecord: QueryRecord?
        /// The number of states that were published, and a result that the next one shows.
        var revision: UInt32 = 0
        var result: Result<AnyValue, any Error>?
        /// What was published last.
        var lastPublished: StateBox?

        // MARK: Freshness

        /// The latest change that the value includes, and the latest that concerned it.
        var asOf = ChangeNumber.none
        var marked = ChangeNumber.none

        // MARK: Runs

        var run: Run?
        /// Runs of single callers, which share no result.
        var privateRuns: [Run] = []
        var lastRun: Int32 = 0
        /// Runs up to these numbers are too old to be shown: a later one is shown, or a value was written since.
        var lastShown: Int32 = 0
        var lastOverwritten: Int32 = 0
        /// A run that repeats one whose result was unsure.
        var repeatedRun: Int32 = 0
        /// The number of the latest question about conditions.
        var decision: UInt32 = 0
        var isDeciding = false
        /// What has changed since the run began that has read the value. Recorded from the first run on that asks for it.
        var changes: RegionChanges?
        /// The lists of refetches to which its next runs belong.
        var watches: [Watch] = []
        var round: Round?

        // MARK: Use

        var observers: [Observer] = []
        /// The settings of the latest caller, for runs without an observer.
        var caller: Settings?
        /// The settings that were made last for a request whose modifiers can be compared.
        var known: Settings?
        var retention: Nanoseconds?
        var unusedSince = QueryInstant.zero
        var hasDeadline = false
        /// The place in the list of entries in use; -1 if it isn't in use.
        var liveIndex = -1
        /// The pending calls, if the request is a mutation, and the number of the call whose result is shown.
        var calls: [CallEntry] = []
        var lastCall: Int32 = 0
        /// How it counts toward the budgets.
        var claim = Claim.none

        // MARK: Triggers

        /// The shortest interval of its observers, and the number of the deadline for it.
        var polling: Polling?
        var pollingNumber = 0
        var triggered: TriggeredRun?

        // MARK: Publication

        var deliveries: [Publication] = []
        var isDelivering = false
        var isInMainTurn = false

        var isInvalidated: Bool { marked > asOf }
        var isObserved: Bool { observers.contains { $0.observes } }
        var isRunning: Bool { run != nil || !privateRuns.isEmpty }
        var isInUse: Bool { !observers.isEmpty || isRunning || !calls.isEmpty || layers.contains { $0.owner != nil } }
    }
}

extension Entry: Hashable {
    static func == (left: Entry, right: Entry) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Code of the app that changes a value: an optimistic layer of a call, or an update of the base.
final class Layer: Sendable {
    /// The call of a mutation; `nil` for an update.
    let owner: CallEntry?
    let apply: @Sendable (AnyValue?) -> AnyValue?

    init(_ owner: CallEntry? = nil, _ apply: @escaping @Sendable (AnyValue?) -> AnyValue?) { (self.owner, self.apply) = (owner, apply) }
}

/// A change of several entries that must be shown in one step.
final class Joint: Sendable {
    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }
}

/// A large change, whose runs and states follow in parts.
final class Following: Sendable {
    let entries: [Entry]
    let cause: QueryCause
    let refetch: QueryRefetch
    /// The list to which their runs belong.
    let refetches: Refetches?
    /// The number of a trigger, which entries that were fetched since don't need; `nil` for a change.
    let trigger: ChangeNumber?

    init(
        _ entries: [Entry],
        _ cause: QueryCause,
        _ refetch: QueryRefetch = .none,
        _ refetches: Refetches? = nil,
        after trigger: ChangeNumber? = nil
    ) {
        (self.entries, self.cause, self.refetch, self.refetches) = (entries, cause, refetch, refetches)
        self.trigger = trigger
    }
}

/// Receives the states of an entry.
final class Observer: Guarded<Observer.Content>, @unchecked Sendable {
    struct Content: ~Copyable {
        /// Exchanged when a session begins.
        var settings: Settings
        /// Whether its handler has received the first state. Until then, later states wait.
        var isReady = false
        /// How many publications were on their way when it came. Its first state is newer.
        var older = 0
        var missed: [Publication] = []
        /// Whether it has unsubscribed. A delivery that is under way doesn't call it any more.
        var isOver = false
        /// Those of its settings, as long as it observes.
        var triggers: ActiveTriggers?

        init(_ settings: Settings) { self.settings = settings }
    }

    /// Whether it wants the library to run the request, and not only to hear of it.
    let observes: Bool
    /// Whether it is called on the main actor, together with the other entries of a turn.
    let isOnMainActor: Bool
    let receive: Receive

    typealias Receive = @Sendable (Publication, Settings) -> Void

    init(_ settings: Settings, observes: Bool = true, isOnMainActor: Bool = false, _ receive: @escaping Receive) {
        (self.observes, self.isOnMainActor, self.receive) = (observes, isOnMainActor, receive)
        super.init(Content(settings))
    }
}

/// One state for the observers of an entry, and the callers to resume when all of them have received it.
struct Publication: Sendable {
    var state: StateBox
    var changes: StateChanges
    var result: Result<AnyValue, any Error>?
    var callers: [Caller] = []
}
