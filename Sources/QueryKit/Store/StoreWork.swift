import Foundation

/// What comes into a store along with an event. Whatever needs foreign code, such as `==`, was found out before the lock was taken.
struct StoreInput: Sendable {
    /// The result of a run, or the value of a yield or a write.
    var result: Result<StateBox.Value, any Error>?
    /// About how many bytes the value takes.
    var byteCount = 0
    /// Whether the result is one, and no intermediate value.
    var isFinal = true
    /// The number of the value to which the new one is known to be equal.
    var equalsValue: UInt32?
    /// What to show when there is no value.
    var placeholder: StateBox.Value?
    /// When the value came about, if that was not just now.
    var date: Date?
    /// It comes from a cache, so that nobody has to put it there.
    var isRestored = false
    /// Whether a cache is to forget the value, too.
    var forgets = false
    /// The run whose landing this is, and the mutation that writes: their layers may go.
    var run: Int32?
    var writer: LayerStack.Owner?
    /// What is to show when the layers change.
    var shown: StateBox.Value?
    /// What the values look like with the layers of the store over them.
    var overlay: Overlay?
    /// Whether there is no network.
    var isOffline = false

    init(placeholder: StateBox.Value? = nil) { self.placeholder = placeholder }

    init(isOffline: Bool) { self.isOffline = isOffline }

    /// When the value came about: now, unless it says otherwise.
    func time(by clock: any QueryClock) -> QueryTimestamp {
        date.map { QueryTimestamp(date: $0, clock: clock) } ?? QueryTimestamp(now: clock)
    }

    init(error: any Error) { result = .failure(error) }

    init<Value: Sendable>(value: Value, equalsValue: UInt32? = nil) {
        self.init(value: value, byteCount: ByteEstimate.of(value), equalsValue: equalsValue)
    }

    init(value: StateBox.Value, byteCount: Int, equalsValue: UInt32? = nil) {
        result = .success(value)
        self.byteCount = byteCount
        self.equalsValue = equalsValue
    }
}

/// What a change of a store leaves to be done once its lock is open: foreign code, tasks and the client are never called inside.
struct StoreWork: Sendable {
    /// The run that a caller now waits for.
    var joined: Int32?
    /// That run brings something else than the caller wants.
    var mustAskAgain = false
    /// The event came from a run that has no say any more.
    var isIgnored = false
    /// The run that ended.
    var ended: RunEnd?
    /// The run to start.
    var started: StartedRun?
    /// Whether the run to start takes the place of one that ended in the count of working runs.
    var inheritsWork = false
    /// What the client is to know at once: what begins. What ends it hears of when the handlers have.
    var activity: StoreActivity?
    /// The delivery to carry out.
    var turn: Outbox.Turn?
    /// Layers that could not be applied.
    var failures: [any Error] = []
    /// Whether layers wait for a run to land while none is under way.
    var wantsFolding = false
    /// The new value, where tags are computed from it.
    var tagged: StateBox.Value?
    /// Whether triggers may have to begin or end.
    var wantsTriggers = false
    /// States that made room: of the store, in a step and in the one before it, and of what a cancelled run would have restored.
    /// They are let go outside, because the deinit of a value may do anything.
    var replaced: StateBox?
    var replacedBefore: StateBox?
    var released: StateBox?
    /// Layers that made room, with the value beneath them: they, too, are somebody's.
    var replacedLayers: [LayerStack] = []
}

/// A run that is over.
struct RunEnd: Sendable {
    let cause: QueryCause
    /// Whether it was given up from outside, before it had a result.
    let isCancelled: Bool
    /// The task to cancel.
    let task: Task<Void, Never>?
    /// What the monitor knows it by; `nil` if it was over before it was counted.
    let trace: RunTrace?
}

/// A run that was decided and needs a task.
struct StartedRun: Sendable {
    let start: RunStart
    let request: any QueryRequest
    /// What the run finds around it; the context of one call may take the place of the store's.
    var context: QueryContext
    /// The context of the store, by whose clock results are dated.
    let storeContext: QueryContext
    /// Takes the pass with which a mutation makes queries wait for it.
    var hold: (@Sendable (QuerySubscription) -> Void)?
}

/// The run under way as its store sees it; guarded by the store's lock.
final class ActiveRun {
    let number: Int32
    /// What the state goes back to when the run is cancelled.
    var rollback: StateBox
    /// The task, from the moment it exists. The store owns it and cancels it when nobody wants the run any more.
    var task: Task<Void, Never>?
    /// What had changed when the run began, of what the one before it read.
    var changes: RegionChanges?
    /// The highest priority among those who wait for it.
    var priority: TaskPriority
    /// Whether the run is in the client's count of working runs, and is to be taken off it when it ends. A run that ends before its
    /// starter has counted it is not, and gets no task.
    var isCounted: Bool
    /// What the monitor knows the run by, once it is counted there.
    var trace: RunTrace?
    /// Whether the run only waits for the clock, as between two attempts.
    var rest = Rest.awake

    enum Rest {
        case awake
        case waiting
        /// The alarm rang before the run had lain down.
        case wokenEarly
    }

    init(number: Int32, priority: TaskPriority, isCounted: Bool, rollback: StateBox) {
        self.number = number
        self.isCounted = isCounted
        self.priority = priority
        self.rollback = rollback
    }
}
