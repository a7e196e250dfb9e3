/// What a change of a store leaves to be done once its lock is open: foreign code and tasks are never called inside.
enum StoreAction: Sendable {
    /// Counts a run that ended, and cancels its task if it was given up.
    case end(RunEnd)
    /// Gives a run its task.
    case begin(StartedRun)
    /// Carries out a delivery, and those that come meanwhile.
    case deliver(Outbox.Turn)
    /// Resumes callers whose result no handler has to hear first.
    case resume([Waiter], Result<FetchedValue, any Error>)
    /// Begins or ends triggers as subscribers and settings say.
    case updateTriggers
    case endTriggers(TriggerSession)
    /// Lets layers become part of the base, because no run will take them away.
    case foldLayers
    /// Reports layers that could not be applied.
    case report([any Error])
    /// The client has something to do about the store's use.
    case attend
    /// Releases what was replaced: its deinit may run arbitrary code.
    case release(any Sendable)
}

/// A value as a caller gets it, with what it was read from if the caller is a run itself.
struct FetchedValue: Sendable {
    let value: StateBox.Value
    var reads: [QueryRegion] = []
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
final class StartedRun: Sendable {
    let start: RunStart
    /// The settings of whoever caused the run.
    let settings: RequestSettings
    /// The environment of the run: the context of its settings, or that of one call.
    let context: QueryContext
    /// Counts a private run while it works; other runs are counted by their store.
    let token: WorkToken?
    /// Takes the pass with which a mutation makes queries wait for it.
    let hold: (@Sendable (QuerySubscription) -> Void)?
    /// Whether the run has ended by itself, which it may do before its store knows its task.
    let hasEnded = Flag()

    var request: any QueryRequest { settings.request }
    /// The context by whose clock results are dated.
    var storeContext: QueryContext { settings.context }

    init(
        start: RunStart,
        settings: RequestSettings,
        context: QueryContext,
        token: WorkToken? = nil,
        hold: (@Sendable (QuerySubscription) -> Void)? = nil
    ) {
        self.start = start
        self.settings = settings
        self.context = context
        self.token = token
        self.hold = hold
    }
}

/// The run under way as its store sees it; guarded by the store's lock.
final class ActiveRun {
    enum Rest {
        case awake
        /// It waits for the clock, for the network, or, as an open stream does, for others.
        case waiting
    }

    let number: Int32
    /// What the state goes back to when the run is cancelled.
    var rollback: StateBox
    /// The change as of which the run reads: a later one that concerns the store outdates it.
    var asOf: ChangeNumber
    /// The settings of whoever caused the run.
    let settings: RequestSettings
    /// The task, from the moment it exists. The store owns it and cancels it when nobody wants the run any more.
    var task: Task<Void, Never>?
    /// What had changed when the run began, of what the one before it read.
    var changes: RegionChanges?
    /// The highest priority among those who wait for it.
    var priority: TaskPriority
    /// What the monitor knows the run by, once it is counted there.
    var trace: RunTrace?
    var rest = Rest.awake

    init(number: Int32, priority: TaskPriority, asOf: ChangeNumber, settings: RequestSettings, rollback: StateBox) {
        self.number = number
        self.priority = priority
        self.asOf = asOf
        self.settings = settings
        self.rollback = rollback
    }
}
