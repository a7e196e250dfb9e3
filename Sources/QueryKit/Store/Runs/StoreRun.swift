import Foundation

/// One run of a store, from the decision that it begins until its result: what it was started with, its task, and what the store knows of it.
final class StoreRun: Sendable {
    enum Rest {
        case awake
        /// It waits for the clock, for the network, or, as an open stream does, for others.
        case waiting
    }

    let store: StoreCore
    let start: RunStart
    /// The settings of the request that caused the run.
    let settings: RequestSettings
    /// The settings with the cache to ask before the first attempt, if there is one.
    let keeper: RequestSettings?
    /// Counts a private run while it works; other runs are counted by their store.
    let token: WorkToken?
    /// The call of a mutation that this run carries out, if it does.
    let owner: (any RunOwner)?
    /// It has ended: what its tasks still do counts no longer.
    let isOver = Flag()
    /// The marks of its first attempt.
    // Invariant: changed only before the attempt begins.
    nonisolated(unsafe) var firstMarks = Attempt.Marks()
    /// What its value depends on besides the request, as of the beginning of its latest attempt.
    // Invariant: changed and read only by the task of the run, or after that has ended.
    nonisolated(unsafe) private(set) var variant = ValueVariant.unknown
    private let hasNotes = Flag()
    // Invariant: set once, with the store's lock held, and read with it. Most runs note nothing and need no notes.
    nonisolated(unsafe) private var lateNotes: Lock<RunNotes>?

    /// The priority of the one who caused it.
    let firstPriority: TaskPriority
    /// Raised once ``priority`` is higher than that.
    private let isRaised = Flag()
    /// Raised by ``take(_:)`` or ``giveUp()``, whichever is called first.
    private let isDecided = Flag()
    // Invariant: set once, by ``take(_:)`` before it raises the flag, and read only if `take` was the one that raised it.
    nonisolated(unsafe) private var givenTask: Task<Void, Never>?

    // Invariant: what follows is set before the run has a task, or with the store's lock held, and read with it.

    /// The environment of the run: the context of its settings, or that of one call.
    nonisolated(unsafe) private(set) var context: QueryContext
    /// What the state goes back to when the run is cancelled.
    nonisolated(unsafe) var rollback: StateBox
    /// Whether an intermediate value may have looked different from that.
    nonisolated(unsafe) var hasShownOther = false
    /// The change as of which the run reads: a later one that concerns the store outdates it.
    nonisolated(unsafe) var asOf: ChangeNumber
    /// Its one caller, if it began as the only thing that went on in the store.
    nonisolated(unsafe) var loneWaiter: Waiter?
    /// The state in which such a run began. Unlike the rollback it never changes, so the end of the run reads it without the lock.
    nonisolated(unsafe) var loneState: StateBox?
    /// What had changed when the run began, of what the one before it read.
    nonisolated(unsafe) var changes: RegionChanges?
    /// The highest priority among those who wait for it.
    nonisolated(unsafe) private(set) var priority: TaskPriority
    /// What the monitor knows the run by, from the moment it is about to get its task.
    nonisolated(unsafe) var trace: RunTrace?
    /// Whether it counts as working.
    nonisolated(unsafe) var rest = Rest.awake
    /// What its tasks wait for.
    nonisolated(unsafe) var waits = RunWaits()
    /// Its result, while that waits to be published with others.
    nonisolated(unsafe) var heldResult: Result<AnyValue, any Error>?

    // Invariant: changed and read with the lock of the client's picture.
    nonisolated(unsafe) var pictureStanding = PictureStanding.none

    var number: Int32 { start.number }
    var request: any QueryRequest { settings.request }
    /// The context by whose clock results are dated.
    var storeContext: QueryContext { settings.context }

    init(
        of store: StoreCore,
        start: RunStart,
        settings: RequestSettings,
        context: QueryContext? = nil,
        asOf: ChangeNumber,
        rollback: StateBox,
        keeper: RequestSettings? = nil,
        token: WorkToken? = nil,
        owner: (any RunOwner)? = nil
    ) {
        self.store = store
        self.start = start
        self.settings = settings.apart
        self.context = context ?? settings.context
        self.asOf = asOf
        self.rollback = rollback
        self.keeper = keeper?.apart
        self.token = token
        self.owner = owner
        firstPriority = Task.currentPriority
        priority = firstPriority
    }

    /// Gives the run the context of the call that has just caused it.
    func use(_ context: QueryContext) { self.context = context }

    // MARK: Its task

    /// Gives the run its task. Returns `false` if the run was given up before; then the caller cancels the task.
    func take(_ task: Task<Void, Never>) -> Bool {
        givenTask = task
        return isDecided.raise()
    }

    /// Gives up the run; called once. Returns `false` if it has no task yet; then ``take(_:)`` will return `false`.
    func giveUp() -> Bool { !isDecided.raise() }

    /// The task; `nil` before the run has one. Not for a run that was given up before it had one.
    var task: Task<Void, Never>? { isDecided.isRaised ? givenTask : nil }

    /// Someone of a higher priority waits for the run. Called with the store's lock held.
    ///
    /// - Returns: The task to be raised. Without one, whoever makes the task finds out by ``raisedPriority``.
    func raise(to priority: TaskPriority) -> Task<Void, Never>? {
        self.priority = priority
        _ = isRaised.raise()
        return task
    }

    /// The priority that the run has by now, if that is higher than the one with which it began.
    var raisedPriority: TaskPriority? { isRaised.isRaised ? store.contents.withBasis { _, _ in priority } : nil }

    // MARK: What it notes

    /// An attempt is about to begin. A run that is alone in its store is one whose values are not kept.
    func noteVariant() { if loneWaiter == nil { variant = store.variantNow } }

    var notes: Lock<RunNotes> {
        store.contents.withBasis { _, _ in
            if let lateNotes { return lateNotes }
            let notes = Lock(RunNotes())
            lateNotes = notes
            _ = hasNotes.raise()
            return notes
        }
    }

    /// The notes, if there are any.
    var existingNotes: Lock<RunNotes>? { hasNotes.isRaised ? notes : nil }

    /// When it has read what it brings. Called with the store's lock held.
    var moments: ReadMoments? { lateNotes?.withLock { $0.moments } }

    /// What it has read so far. Called without the store's lock.
    func reads(asOf change: ChangeNumber, isOutdated: Bool) -> RunReads {
        guard let notes = existingNotes else { return RunReads(run: number) }
        return notes.withLock { RunReads(run: number, regions: $0.known, moments: $0.moments, asOf: change, isOutdated: isOutdated) }
    }

    /// Where the value comes from that the run has brought, if that is not the fetch of this moment.
    func takeOrigin() -> ValueOrigin? {
        existingNotes?.withLock { notes in
            defer { notes.origin = nil }
            return notes.origin
        }
    }

    /// Whether that is known.
    var hasOrigin: Bool { existingNotes?.withLock { $0.origin != nil } ?? false }

    /// Whether nothing may begin any more.
    var isCancelled: Bool { isOver.isRaised || Task.isCancelled }

    func checkCancellation() throws { if isCancelled { throw CancellationError() } }

    /// The caller has left a run that was its alone. Releases nothing: that may run arbitrary code, and this is called in cancellation handlers.
    func leave() { _ = isOver.raise() }

    /// The run is over: what is read from now on counts no longer.
    func close() {
        _ = isOver.raise()
        // Release what was remembered outside the lock: its deinit may run arbitrary code.
        _ = existingNotes?.withLock { notes -> (any Sendable)? in
            notes.recurring = []
            defer { notes.progress = nil }
            return notes.progress
        }
    }
}
