/// The notifications of one change of a store: first for its handlers, then for the callers that wait for the result.
final class Delivery: Sendable {
    /// The number of the delivery, in order.
    let number: Int
    /// The event that handlers are notified of.
    let event: StateEvent
    /// The callers to resume at the end, and their result.
    let waiters: WaiterList
    let answer: Result<AnyValue, any Error>?
    /// The change for caches, and the settings of the requests with the caches.
    let stored: StoredChange?
    let allCacheSettings: [RequestSettings]
    /// The number of threads that still have handlers to call; `nil` if no caller waits for them.
    private let turns: Lock<Int>?
    // Invariant: set with the store's lock held, before the one thread that takes the audience gets the delivery.
    nonisolated(unsafe) private var audience: Audience

    /// The handlers to notify.
    struct Audience: Sendable {
        var registrations: [Outbox.Registration] = []
        /// Whether the listeners are known.
        var isComplete = false
        /// The settings of requests that have handlers.
        var handlerSettings: [RequestSettings] = []
        /// The session in which the state was published, if there are handlers.
        var session: WeakOwner?
    }

    init(
        number: Int,
        _ event: StateEvent,
        handlerSettings: [RequestSettings] = [],
        session: WeakOwner? = nil,
        waiters: WaiterList,
        answer: Result<AnyValue, any Error>?,
        stored: StoredChange? = nil,
        allCacheSettings: [RequestSettings] = []
    ) {
        self.number = number
        self.event = event
        audience = Audience(handlerSettings: handlerSettings, session: handlerSettings.isEmpty ? nil : session)
        self.waiters = waiters
        self.answer = answer
        turns = answer == nil ? nil : Lock(1)
        self.stored = stored
        self.allCacheSettings = allCacheSettings
    }

    /// Sets the listeners. Called when the delivery begins, or before that when the session ends.
    func begin(for registrations: [Outbox.Registration]) {
        if audience.isComplete { return }
        audience.registrations = registrations
        audience.isComplete = true
    }

    /// Removes and returns the audience, so that the delivery keeps none of its handlers alive when callers continue.
    func takeAudience() -> Audience {
        defer { audience = Audience() }
        return audience
    }

    /// Notes that a subscriber whose handler is still being called with an earlier state will get this delivery too.
    func awaitAnotherTurn() { turns?.withLock { $0 += 1 } }

    /// Notes that some of the handlers have been called. After the last of them, the callers are resumed.
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
    /// Whether the caller accepts a fresh value from a cache instead of a run.
    let takesFresh: Bool
    /// Raised when the result won't be what the caller wants; `nil` if the caller accepts any result.
    let mustFetchAgain: SharedFlag?
    /// The wait of the calling run, if the caller is a run.
    let wait: RunWait?
    /// The calling run, if the caller is a run and not a mutation. It depends on the regions that the value was read from.
    let reader: RunReader?
    /// The number of the value that the caller's choice of pages is based on; `nil` if the choice doesn't depend on a value.
    let choice: UInt32?

    /// Whether the caller isn't a run, and accepts any result.
    var isPlain: Bool { wait == nil && reader == nil && mustFetchAgain == nil && choice == nil }

    private let isResumed = Flag()

    // Invariant: the following properties are set before the waiter is added to the store, or with the store's lock held, and read by the
    // code that removes the waiter from the store.

    /// The number of the run it waits for, or ``RunMachine/following``.
    nonisolated(unsafe) var run = RunMachine.following
    /// Resumes the caller.
    nonisolated(unsafe) var continuation: UnsafeContinuation<AnyValue, any Error>?
    /// The regions that the value was read from.
    nonisolated(unsafe) var reads: [QueryRegion] = []
    /// The moments at which the regions were read, if a run has just read them.
    // Invariant: as above.
    nonisolated(unsafe) var moments: ReadMoments?
    /// Whether its result is part of a delivery, so that it waits only for handlers.
    nonisolated(unsafe) var isPosted = false
    /// The next waiter in the list.
    nonisolated(unsafe) var next: Waiter?

    /// - Parameter scope: The run that the caller is part of, if any.
    init(
        takesFresh: Bool = false,
        in scope: RunScope? = nil,
        _ reader: RunReader? = nil,
        _ mustFetchAgain: SharedFlag? = nil,
        choice: UInt32? = nil
    ) {
        self.takesFresh = takesFresh
        self.mustFetchAgain = mustFetchAgain
        self.reader = reader
        self.choice = choice
        wait = scope?.makeWait(awaitingRun: true)
    }

    /// Resumes the caller, unless it was resumed already: it may have been cancelled while handlers were being called.
    func resume(_ answer: Result<AnyValue, any Error>) {
        if isResumed.raise() { continuation?.resume(with: answer) }
    }
}

/// A run that reads the value of another store.
struct RunReader: Sendable {
    let store: StoreCore
    let start: RunStart
}
