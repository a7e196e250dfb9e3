/// What one change of a store has to tell: to its handlers first, then to those who wait for the result.
final class Delivery: Sendable {
    /// The place in line.
    let number: Int
    /// What handlers hear.
    let event: StateEvent
    /// Who is resumed at the end, and with what.
    let waiters: WaiterList
    let answer: Result<AnyValue, any Error>?
    /// What caches have to know, and the requests that brought the caches.
    let stored: StoredChange?
    let keepers: [RequestSettings]
    /// How many threads still have handlers to call; `nil` if no caller waits for that.
    private let turns: Lock<Int>?
    // Invariant: set with the store's lock held, before the one thread has the delivery that takes it out.
    nonisolated(unsafe) private var audience: Audience

    /// Who hears of it.
    struct Audience: Sendable {
        var places: [Outbox.Place] = []
        /// Whether the listeners are known.
        var isComplete = false
        /// The handlers that requests brought along, with the settings of those.
        var companions: [RequestSettings] = []
        /// The session in which the state was published, where there are companions.
        var session: WeakOwner?
    }

    init(
        number: Int,
        _ event: StateEvent,
        companions: [RequestSettings] = [],
        session: WeakOwner? = nil,
        waiters: WaiterList,
        answer: Result<AnyValue, any Error>?,
        stored: StoredChange? = nil,
        keepers: [RequestSettings] = []
    ) {
        self.number = number
        self.event = event
        audience = Audience(companions: companions, session: companions.isEmpty ? nil : session)
        self.waiters = waiters
        self.answer = answer
        turns = answer == nil ? nil : Lock(1)
        self.stored = stored
        self.keepers = keepers
    }

    /// Notes who listens: when its turn comes, or when the session ends before that.
    func begin(for places: [Outbox.Place]) {
        if audience.isComplete { return }
        audience.places = places
        audience.isComplete = true
    }

    /// Takes out who hears of it. Nothing of theirs is held once callers go on: what has been let go by then is over.
    func takeAudience() -> Audience {
        defer { audience = Audience() }
        return audience
    }

    /// Someone who is still hearing an earlier state will hear of this too.
    func awaitAnotherTurn() { turns?.withLock { $0 += 1 } }

    /// Part of those who hear of it have. Callers go on after the last part.
    func endTurn() {
        guard let answer, let turns else { return }
        let isLast = turns.withLock { turns in
            turns -= 1
            return turns == 0
        }
        guard isLast else { return }
        var waiters = waiters
        while let waiter = waiters.popFirst() { waiter.resume(answer) }
    }
}

/// A caller that waits for a run.
final class Waiter: Sendable {
    /// Whether a stored value that is fresh is as good as a run.
    let takesFresh: Bool
    /// Raised when the result will not be what the caller wants; `nil` for one that takes any.
    let mustAskAgain: SharedFlag?
    /// The wait of the run that asks, if it is one.
    let rest: RunRest?
    /// The run that asks, if it is one and no mutation: it has read what the value was read from.
    let reader: RunReader?
    /// The number of the value by which the caller chose what it wants; `nil` where that does not depend on a value.
    let choice: UInt32?

    /// Whether it is no run itself, and takes whatever the run brings.
    var isPlain: Bool { rest == nil && reader == nil && mustAskAgain == nil && choice == nil }

    private let isResumed = Flag()

    // Invariant: what follows is set before the store knows the waiter, or with the store's lock held, and read by the one that takes the waiter
    // out of the store.

    /// The run it waits for, or ``RunMachine/following``.
    nonisolated(unsafe) var run = RunMachine.following
    /// Lets the caller go on.
    nonisolated(unsafe) var continuation: UnsafeContinuation<AnyValue, any Error>?
    /// What the value was read from.
    nonisolated(unsafe) var reads: [QueryRegion] = []
    /// When that was read, if a run has just done so.
    // Invariant: as for all of these.
    nonisolated(unsafe) var moments: ReadMoments?
    /// Whether it has its answer in a delivery, and waits for handlers.
    nonisolated(unsafe) var isPosted = false
    /// The one that came after it.
    nonisolated(unsafe) var next: Waiter?

    /// - Parameter scope: The run in which the caller works, if it does in one.
    init(
        takesFresh: Bool = false,
        in scope: RunScope? = nil,
        _ reader: RunReader? = nil,
        _ mustAskAgain: SharedFlag? = nil,
        choice: UInt32? = nil
    ) {
        self.takesFresh = takesFresh
        self.mustAskAgain = mustAskAgain
        self.reader = reader
        self.choice = choice
        rest = scope?.rest(awaitingRun: true)
    }

    /// Lets the caller go on, unless it does already: it may be cancelled while handlers are called before it.
    func resume(_ answer: Result<AnyValue, any Error>) {
        if isResumed.raise() { continuation?.resume(with: answer) }
    }
}

/// A run that reads the value of another store.
struct RunReader: Sendable {
    let store: StoreCore
    let start: RunStart
}
