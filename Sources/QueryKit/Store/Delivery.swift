/// What one change of a store has to tell: to its handlers first, then to those who wait for the result.
final class Delivery: Sendable {
    /// The place in line.
    let number: Int
    let changes: StateChanges
    let state: StateBox
    /// The handlers that requests brought along, with the settings of those.
    let companions: [RequestSettings]
    /// The result that came, if one did.
    let result: Result<StateBox.Value, any Error>?
    /// Who is resumed at the end, and with what.
    let waiters: [Waiter]
    let answer: Result<FetchedValue, any Error>?
    /// What caches have to know, and the requests that brought the caches.
    let stored: StoredChange?
    let keepers: [RequestSettings]
    /// How many threads are going to tell of it.
    private let turns = Lock(1)

    init(
        number: Int,
        changes: StateChanges,
        state: StateBox,
        companions: [RequestSettings] = [],
        result: Result<StateBox.Value, any Error>?,
        waiters: [Waiter],
        answer: Result<FetchedValue, any Error>?,
        stored: StoredChange? = nil,
        keepers: [RequestSettings] = []
    ) {
        self.number = number
        self.changes = changes
        self.state = state
        self.companions = companions
        self.result = result
        self.waiters = waiters
        self.answer = answer
        self.stored = stored
        self.keepers = keepers
    }

    /// Calls the closures of a handler that have something to hear, as long as its subscriber, if it has one, wants to.
    @inline(__always)
    func call<State>(
        _ handler: QueryEventHandler<State>,
        of subscriber: Subscriber?,
        _ shown: ShownState<State>,
        _ context: QueryContext
    ) {
        var isWanted: Bool { subscriber?.isCancelled.isRaised != true }
        if changes.contains(.fetchingStarted), let started = handler.onFetchingStarted, isWanted { started(context) }
        let hears = changes.contains(.state) || changes.contains(.equalState) && context.settings.notifiesEqual
        if hears, isWanted { shown.show(to: handler, context) }
        if changes.contains(.result), let received = handler.onResultReceived, isWanted { handResult(to: received, context) }
        if changes.contains(.fetchingEnded), let ended = handler.onFetchingEnded, isWanted { ended(context) }
    }

    /// Apart from `call`, because few handlers want it and the types of a result are looked up at run time.
    @inline(never)
    private func handResult<Value>(to receive: @Sendable (Result<Value, any Error>, QueryContext) -> Void, _ context: QueryContext) {
        guard let result else { return }
        receive(result.map { unboxed($0) }, context)
    }

    /// Someone who is still hearing an earlier state will hear of this too.
    func awaitAnotherTurn() { turns.withLock { $0 += 1 } }

    /// Part of those who hear of it have. Callers go on after the last part.
    func endTurn() {
        guard let answer else { return }
        let isLast = turns.withLock { turns in
            turns -= 1
            return turns == 0
        }
        guard isLast else { return }
        for waiter in waiters {
            // What nobody sees because a write came before is no answer for a caller that can ask again.
            if result == nil { waiter.mustAskAgain?.raise() }
            waiter.resume(answer)
        }
    }
}

/// Which of a handler's closures have something to hear.
struct StateChanges: OptionSet, Sendable {
    let rawValue: UInt8
    static let state = StateChanges(rawValue: 1)
    static let fetchingStarted = StateChanges(rawValue: 2)
    static let fetchingEnded = StateChanges(rawValue: 4)
    static let result = StateChanges(rawValue: 8)
    /// A value came that equals the one before: only some want to hear of that.
    static let equalState = StateChanges(rawValue: 16)
}

/// A caller that waits for a run.
struct Waiter: Sendable {
    let id: UInt32
    /// The run it waits for, or ``RunMachine/following``.
    var run: Int32
    let continuation: CheckedContinuation<FetchedValue, any Error>
    /// Whether a stored value that is fresh is as good as a run.
    let takesFresh: Bool
    /// Raised when the result will not be what the caller wants; `nil` for one that takes any.
    var mustAskAgain: SharedFlag?
    /// The wait of the run that asks, if it is one.
    var rest: RunRest?
    /// The run that asks, if it is one and no mutation: it has read what the value was read from.
    var reader: RunReader?
    /// What that is.
    var reads: [QueryRegion] = []

    func resume(_ answer: Result<FetchedValue, any Error>) {
        continuation.resume(with: answer.map { reader == nil ? $0 : FetchedValue(value: $0.value, reads: reads) })
    }
}

/// A run that reads the value of another store.
struct RunReader: Sendable {
    let store: StoreCore
    let start: RunStart
}
