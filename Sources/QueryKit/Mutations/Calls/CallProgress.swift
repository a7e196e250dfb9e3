/// How far one call has come, and how it ends: a pure value.
///
/// A call is ended by its own task, or from outside: by ``MutationLines`` in three steps (``request(_:)``, ``takeLayered()``, ``carryOutEnd()``),
/// or by its caller, who gives it up (``giveUp(_:)``). The first end counts, and none counts after the call has succeeded. But a call
/// that was left can still be withdrawn until it is over.
struct CallProgress {
    /// What the one who ends a call from outside has to do, outside the lock.
    struct Cancellation {
        /// The task to cancel; `nil` if the call has none yet. Then ``attach(_:)`` returns `false`.
        var task: Task<Void, Never>?
        /// The run to end in place of the task, which may not listen; `nil` if the task ends the call by itself.
        var run: StoreRun?
        /// To be resolved: the layers of the call are removed.
        var ending: Promise<Void>?
    }

    /// Who made the call.
    struct Caller: Sendable {
        /// The run that made it, if it was one.
        let scope: RunScope?
        let handlers: CallHandlers?
    }

    private var caller: Caller?
    private(set) var end: MutationLines.End?
    /// Resolved when ``MutationLines`` has removed the layers of the call.
    private(set) var ending: Promise<Void>?
    private var task: Task<Void, Never>?
    /// The run under way.
    private var run: StoreRun?
    /// Whether its own caller was cancelled. Then the call removes its layers itself.
    private var isGivenUp = false
    private var hasSucceeded = false
    /// The stores that show layers of the call.
    private var layered: [StoreCore] = []
    /// Keeps queries waiting, after the network came back, until the call is over.
    private var pass: QuerySubscription?
    private var succession = Succession.none
    /// The call with the same id that begins when this one is over. Kept after that, because a request to end this call at that moment ends both.
    private(set) var heir: Call?

    private enum Succession {
        case none
        /// The call has failed, and has yet to leave its layers, its lines and the journal.
        case open
        case over
    }

    init(madeBy caller: Caller) { self.caller = caller }

    /// Hands out the caller, so that a call that is over holds nothing of it.
    mutating func takeCaller() -> Caller? {
        defer { caller = nil }
        return caller
    }

    // MARK: The task

    /// The call has a task. Returns `false` if an end was requested before; then the caller cancels the task.
    mutating func attach(_ task: Task<Void, Never>) -> Bool {
        self.task = task
        return end == nil
    }

    /// The run of the call has begun.
    mutating func begin(_ run: StoreRun) { self.run = run }

    /// The run is over. Returns `false` if the call was ended from outside; then that has ended the run.
    mutating func endRun() -> Bool {
        defer { run = nil }
        return run != nil
    }

    /// Holds a pass until the call is over. Returns the one to be released outside the lock.
    mutating func hold(_ new: QuerySubscription) -> QuerySubscription? {
        if case .over = succession { return new }
        defer { pass = new }
        return pass
    }

    /// Hands out the pass that the call holds.
    mutating func takePass() -> QuerySubscription? {
        defer { pass = nil }
        return pass
    }

    // MARK: Layers

    /// Sets the stores that show layers of the call. Returns `false` if an end was requested before: then the call removes its layers itself.
    mutating func attach(layered: [StoreCore]) -> Bool {
        if end == nil { self.layered = layered }
        return end == nil
    }

    /// Hands out the stores with layers, if an end was requested. The caller removes the layers.
    mutating func takeLayered() -> [StoreCore] { end == nil ? [] : exchangeLayered() }

    private mutating func exchangeLayered() -> [StoreCore] {
        defer { layered = [] }
        return layered
    }

    // MARK: Made again

    /// What becomes of a call that is made with the id of this one.
    enum Inheritance {
        /// This call is on its way, and is the one.
        case none
        /// The heir begins when this call is over. It may be another one, which came before.
        case heir(Call)
        /// This call is over.
        case over
    }

    /// The call has failed. From now on it can be made again.
    mutating func openSuccession() { succession = .open }

    mutating func inherit(_ call: Call) -> Inheritance {
        switch succession {
        case .none: return .none
        case .over: return .over
        case .open:
            let heir = heir ?? call
            self.heir = heir
            return .heir(heir)
        }
    }

    /// The call is over. Returns the heir, the pass if the call still holds one, and the end that was requested.
    mutating func close() -> (heir: Call?, pass: QuerySubscription?, end: MutationLines.End?) {
        succession = .over
        return (heir, takePass(), end)
    }

    // MARK: Ends from outside

    mutating func request(_ end: MutationLines.End) {
        guard !hasSucceeded else { return }
        if self.end == .left, end == .withdrawn { self.end = end }
        if self.end == nil { (self.end, ending) = (end, Promise()) }
    }

    /// The caller of the call was cancelled; `nil` if the call ends in another way.
    mutating func giveUp(_ end: MutationLines.End = .withdrawn) -> Cancellation? {
        guard !hasSucceeded, self.end == nil else { return nil }
        (self.end, isGivenUp) = (end, true)
        return cancel()
    }

    /// Carries out the end that was requested; `nil` if none was, or if the caller has given up the call.
    mutating func carryOutEnd() -> Cancellation? { end == nil || isGivenUp ? nil : cancel() }

    private mutating func cancel() -> Cancellation {
        defer { run = nil }
        return Cancellation(task: task, run: run, ending: ending)
    }

    // MARK: The end

    /// The call has succeeded. Returns what is to be released outside the lock.
    mutating func succeed() -> [StoreCore] {
        hasSucceeded = true
        return exchangeLayered()
    }

    /// The call has failed. Returns the stores from which it has to remove its layers. There are none if ``MutationLines`` ends the call, because
    /// that removes the layers of all calls that end together.
    mutating func fail() -> [StoreCore] { end == nil || isGivenUp ? exchangeLayered() : [] }
}

/// What a call waits for in a line.
struct CallTurn: Sendable {
    let promise: Promise<Void>
    /// Raised when the turn of the call has come.
    let hasCome: SharedFlag
}
