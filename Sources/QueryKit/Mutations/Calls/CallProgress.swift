/// The progress of one call, and how it ends. A pure value.
///
/// A call is ended by its own task, or from outside: by ``MutationQueues`` in three steps (``request(_:)``, ``takeLayered()``,
/// ``carryOutEnd()``), or by its caller, who gives it up (``giveUp(_:)``). The first end counts, and an end after a success has no effect.
/// But a call that was kept can still be withdrawn until it is over.
struct CallProgress {
    /// The work that remains after the lock was left, for the code that ends a call from outside.
    struct Cancellation {
        /// The task to cancel; `nil` if the call has none yet. Then ``attach(_:)`` returns `false`.
        var task: Task<Void, Never>?
        /// The run to end instead of the task, which may ignore its cancellation; `nil` if the task ends the call itself.
        var run: StoreRun?
        /// The promise to resolve, because the layers of the call are removed.
        var ending: Promise<Void>?
    }

    /// The origin of the call.
    struct Caller: Sendable {
        /// The run that made the call, if one did.
        let scope: RunScope?
        let handlers: CallHandlers?
    }

    private var caller: Caller?
    private(set) var end: MutationQueues.End?
    /// Resolved when ``MutationQueues`` has removed the layers of the call.
    private(set) var ending: Promise<Void>?
    private var task: Task<Void, Never>?
    /// The run under way.
    private var run: StoreRun?
    /// Whether its own caller was cancelled. Then the call removes its layers itself.
    private var isGivenUp = false
    private var hasSucceeded = false
    /// The stores that show layers of the call.
    private(set) var layered: [StoreCore] = []
    /// After the network came back, makes queries wait until the call is over.
    private var pass: QuerySubscription?
    private var phase = Phase.pending
    /// The call with the same id that begins when this one is over. Kept afterwards, because a late request to end this call ends both.
    private(set) var successor: Call?

    private enum Phase {
        case pending
        /// The call has failed, and must still leave its layers, its queues and the journal.
        case failed
        case over
    }

    init(madeBy caller: Caller) { self.caller = caller }

    /// Takes out the caller, so that a call that is over retains nothing of it.
    mutating func takeCaller() -> Caller? {
        defer { caller = nil }
        return caller
    }

    // MARK: The task

    /// Sets the task of the call. Returns `false` if an end was requested before; then the caller must cancel the task.
    mutating func attach(_ task: Task<Void, Never>) -> Bool {
        self.task = task
        return end == nil
    }

    /// Sets the run of the call, which has begun.
    mutating func begin(_ run: StoreRun) { self.run = run }

    /// Ends the run. Returns `false` if the call was ended from outside, which has already ended the run.
    mutating func endRun() -> Bool {
        defer { run = nil }
        return run != nil
    }

    /// Holds a pass until the call is over. Returns the pass to release outside the lock.
    mutating func hold(_ new: QuerySubscription) -> QuerySubscription? {
        if case .over = phase { return new }
        defer { pass = new }
        return pass
    }

    /// Takes out the pass that the call holds.
    mutating func takePass() -> QuerySubscription? {
        defer { pass = nil }
        return pass
    }

    // MARK: Layers

    /// Sets the stores that show layers of the call. Returns `false` if an end was requested before; then the call removes its layers
    /// itself.
    mutating func attach(layered: [StoreCore]) -> Bool {
        if end == nil { self.layered = layered }
        return end == nil
    }

    /// Takes out the stores with layers, if an end was requested. The caller removes the layers.
    mutating func takeLayered() -> [StoreCore] { end == nil ? [] : exchangeLayered() }

    private mutating func exchangeLayered() -> [StoreCore] {
        defer { layered = [] }
        return layered
    }

    // MARK: Repeated calls

    /// The outcome for a call that is made with the id of this one.
    enum Repetition {
        /// This call is pending, and is used instead.
        case pending
        /// The successor begins when this call is over. It may have been made before the call that is being made now.
        case successor(Call)
        /// This call is over.
        case over
    }

    /// Notes that the call has failed. From now on it can be repeated.
    mutating func allowSuccessor() { phase = .failed }

    /// Notes that a call with the same id is made.
    mutating func noteRepetition(_ call: Call) -> Repetition {
        switch phase {
        case .pending: return .pending
        case .over: return .over
        case .failed:
            let successor = successor ?? call
            self.successor = successor
            return .successor(successor)
        }
    }

    /// Closes a call that is over. Returns the successor, the pass if the call still holds one, and the requested end.
    mutating func close() -> (successor: Call?, pass: QuerySubscription?, end: MutationQueues.End?) {
        phase = .over
        return (successor, takePass(), end)
    }

    // MARK: Ending from outside

    mutating func request(_ end: MutationQueues.End) {
        guard !hasSucceeded else { return }
        if self.end == .kept, end == .withdrawn { self.end = end }
        if self.end == nil { (self.end, ending) = (end, Promise()) }
    }

    /// Ends a call whose caller was cancelled. Returns `nil` if the call ends in another way.
    mutating func giveUp(_ end: MutationQueues.End = .withdrawn) -> Cancellation? {
        guard !hasSucceeded, self.end == nil else { return nil }
        (self.end, isGivenUp) = (end, true)
        return cancel()
    }

    /// Carries out the requested end. Returns `nil` if none was requested, or if the caller has given up the call.
    mutating func carryOutEnd() -> Cancellation? { end == nil || isGivenUp ? nil : cancel() }

    private mutating func cancel() -> Cancellation {
        defer { run = nil }
        return Cancellation(task: task, run: run, ending: ending)
    }

    // MARK: Ending

    /// Notes the success of the call. Returns the stores with layers.
    mutating func succeed() -> [StoreCore] {
        hasSucceeded = true
        return exchangeLayered()
    }

    /// Notes the failure of the call. Returns the stores from which the call must remove its layers: none if ``MutationQueues`` ends the
    /// call, because the queues remove the layers of all calls that end together.
    mutating func fail() -> [StoreCore] { end == nil || isGivenUp ? exchangeLayered() : [] }
}

/// The turn that a call waits for in a queue.
struct CallTurn: Sendable {
    let promise: Promise<Void>
    /// Raised when it is the turn of the call.
    let hasCome: SharedFlag
}
