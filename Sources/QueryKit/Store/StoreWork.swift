/// What comes into a store along with an event. Whatever needs foreign code, such as `==`, was found out before the lock was taken.
struct StoreInput<Value: Sendable>: Sendable {
    /// The result of a run, or the value of a yield or a write.
    var result: Result<Value, any Error>?
    /// Whether the result is one, and no intermediate value.
    var isFinal = true
    /// The number of the value to which the new one is known to be equal.
    var equalsValue: UInt32?
    /// What to show when the value goes.
    var placeholder: Value?
}

/// What a change of a store leaves to be done once its lock is open: foreign code, tasks and the client are never called inside.
struct StoreWork<State: QueryStateProtocol>: Sendable {
    /// The run that a caller now waits for.
    var joined: Int32?
    /// The event came from a run that has no say any more.
    var isIgnored = false
    /// The run that ended.
    var ended: RunEnd?
    /// The run to start.
    var started: StartedRun<State>?
    /// Whether the run to start takes the place of one that ended in the count of working runs.
    var inheritsWork = false
    /// What the client is to know at once: what begins. What ends it hears of when the handlers have.
    var activity: StoreActivity?
    /// The value of that moment.
    var value: State.QueryValue?
    /// The delivery to carry out.
    var turn: Outbox<State>.Turn?
    /// Values that made room, in the state and in what a cancelled run would have restored. They are let go outside, because a
    /// deinit may do anything.
    var replaced: State.QueryValue?
    var released: State.QueryValue?
}

/// A run that is over.
struct RunEnd: Sendable {
    let cause: QueryCause
    /// Whether it was given up from outside, before it had a result.
    let isCancelled: Bool
    /// The task to cancel.
    let task: Task<Void, Never>?
}

/// A run that was decided and needs a task.
struct StartedRun<State: QueryStateProtocol>: Sendable {
    let start: RunStart
    let request: any QueryRequest<State.QueryValue, State>
    var context: QueryContext
}

/// The run under way as its store sees it; guarded by the store's lock.
final class ActiveRun<State: QueryStateProtocol> {
    let number: Int32
    /// What the state goes back to when the run is cancelled.
    var rollback: State
    /// The task, from the moment it exists. The store owns it and cancels it when nobody wants the run any more.
    var task: Task<Void, Never>?
    /// The highest priority among those who wait for it.
    var priority: TaskPriority
    /// Whether the run only waits for the clock, as between two attempts.
    var isWaiting = false

    init(number: Int32, priority: TaskPriority, rollback: State) {
        self.number = number
        self.priority = priority
        self.rollback = rollback
    }
}
