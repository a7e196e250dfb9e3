import Foundation

/// One run of a store, from its start to its result: the parameters it was started with, its task, and its notes.
final class StoreRun: Opaque, Sendable {
    enum Activity {
        case working
        /// It waits for the clock or the network or, as an open stream, for its next element.
        case waiting
    }

    let store: StoreCore
    let start: RunStart
    /// The settings of the request that has caused the run.
    let settings: RequestSettings
    /// The settings with the cache to read before the first attempt, if there is one.
    let cacheSettings: RequestSettings?
    /// Counts a private run while it works; other runs are counted by their store.
    let token: WorkToken?
    /// The call of a mutation that this run carries out, if any.
    let owner: (any RunOwner)?
    /// It has ended: the remaining work of its tasks no longer counts.
    let isOver = Flag()
    /// It has read something that reports no changes; see ``QueryReads/noteUnfollowed()``.
    let readsUnfollowed = Flag()
    /// The marks of its first attempt.
    // Invariant: changed only before the attempt begins.
    nonisolated(unsafe) var firstMarks = Attempt.Marks()
    /// The variant of its value, as of the beginning of its latest attempt: what the value depends on besides the request.
    // Invariant: changed and read only by the task of the run, or after that task has ended.
    nonisolated(unsafe) private(set) var variant = ValueVariant.unknown
    private let hasNotes = Flag()
    // Invariant: set once, with the store's lock held, before `hasNotes` is raised, and read with the lock held or once `hasNotes` is
    // raised. Most runs note nothing and need no notes.
    nonisolated(unsafe) private var lateNotes: Lock<RunNotes>?

    /// The priority of the task that has caused the run.
    let firstPriority: TaskPriority
    /// Raised once ``priority`` is higher than ``firstPriority``.
    private let isRaised = Flag()
    /// Raised by ``take(_:)`` or ``giveUp()``, whichever is called first.
    private let isDecided = Flag()
    // Invariant: set once, by ``take(_:)`` before it raises the flag, and read only if `take` was the one that raised it.
    nonisolated(unsafe) private var givenTask: Task<Void, Never>?

    // Invariant: the following properties are set before the run has a task, or with the store's lock held, and read with that lock held.

    /// The environment of the run: the context of its settings, or that of one call.
    nonisolated(unsafe) private(set) var context: QueryContext
    /// The state to restore when the run is cancelled.
    nonisolated(unsafe) var rollback: StateBox
    /// Whether an intermediate value may have looked different from ``rollback``.
    nonisolated(unsafe) var hasShownOther = false
    /// The latest change that the run's reads include. A later change that concerns the store outdates the run.
    nonisolated(unsafe) var asOf: ChangeNumber
    /// Its only caller, if it began as a lone run.
    nonisolated(unsafe) var loneWaiter: Waiter?
    /// The state in which a lone run began. Unlike ``rollback`` it never changes, so the end of the run reads it without the lock.
    nonisolated(unsafe) var loneState: StateBox?
    /// The changes between the beginning of the latest successful run and the start of this run.
    nonisolated(unsafe) var changes: RegionChanges?
    /// The highest priority among the callers that wait for it.
    nonisolated(unsafe) private(set) var priority: TaskPriority
    /// The identity of the run in the monitor, which is set just before the run gets its task.
    nonisolated(unsafe) var trace: RunTrace?
    /// Whether it counts as working.
    nonisolated(unsafe) var activity = Activity.working
    /// The waits of its tasks.
    nonisolated(unsafe) var waits = RunWaits()
    /// Its result, while it waits to be published with those of other stores.
    nonisolated(unsafe) var heldResult: Result<AnyValue, any Error>?

    // Invariant: changed and read with the lock of the client's rounds.
    nonisolated(unsafe) var roundMembership = RoundMembership.none

    var number: Int32 { start.number }
    var request: any QueryRequest { settings.request }
    /// The context whose clock dates the results.
    var storeContext: QueryContext { settings.context }

    init(
        of store: StoreCore,
        start: RunStart,
        settings: RequestSettings,
        context: QueryContext? = nil,
        asOf: ChangeNumber,
        rollback: StateBox,
        cacheSettings: RequestSettings? = nil,
        token: WorkToken? = nil,
        owner: (any RunOwner)? = nil
    ) {
        self.store = store
        self.start = start
        self.settings = settings.apart
        self.context = context ?? settings.context
        self.asOf = asOf
        self.rollback = rollback
        self.cacheSettings = cacheSettings?.apart
        self.token = token
        self.owner = owner
        firstPriority = Task.currentPriority
        priority = firstPriority
    }

    /// Sets the context of the call that has just caused the run.
    func use(_ context: QueryContext) { self.context = context }

    // MARK: The task

    /// Sets the task of the run. Returns `false` if the run was given up before; then the caller must cancel the task.
    func take(_ task: Task<Void, Never>) -> Bool {
        givenTask = task
        return isDecided.raise()
    }

    /// Gives up the run. Must be called only once. Returns `false` if the run has no task yet; then ``take(_:)`` will return `false`.
    func giveUp() -> Bool { !isDecided.raise() }

    /// The task; `nil` before the run has one. Must not be read for a run that was given up before it had one.
    var task: Task<Void, Never>? { isDecided.isRaised ? givenTask : nil }

    /// Raises the priority, because a caller of higher priority waits for the run. Called with the store's lock held.
    ///
    /// - Returns: The task to raise. If there is none yet, the code that creates the task reads ``raisedPriority``.
    func raise(to priority: TaskPriority) -> Task<Void, Never>? {
        self.priority = priority
        _ = isRaised.raise()
        return task
    }

    /// The current priority of the run, if it is higher than the first one.
    var raisedPriority: TaskPriority? { isRaised.isRaised ? store.contents.withBasis { _, _ in priority } : nil }

    // MARK: Notes

    /// Updates the variant, because an attempt is about to begin. The values of a lone run are not kept by caches, so it has no variant.
    func noteVariant() { if loneWaiter == nil { variant = store.variantNow } }

    var notes: Lock<RunNotes> {
        if let existingNotes { return existingNotes }
        return store.contents.withBasis { _, _ in
            if let lateNotes { return lateNotes }
            let notes = Lock(RunNotes())
            lateNotes = notes
            _ = hasNotes.raise()
            return notes
        }
    }

    /// The notes, if there are any.
    var existingNotes: Lock<RunNotes>? { hasNotes.isRaised ? lateNotes : nil }

    /// The moments at which it has read. Called with the store's lock held.
    var moments: ReadMoments? { lateNotes?.withLock { $0.moments } }

    /// The regions it has read so far, and when. Called without the store's lock.
    func reads(asOf change: ChangeNumber, isOutdated: Bool) -> RunReads {
        guard let notes = existingNotes else { return RunReads(run: number) }
        return notes.withLock { RunReads(run: number, regions: $0.known, moments: $0.moments, asOf: change, isOutdated: isOutdated) }
    }

    /// Removes and returns the origin of the run's value; `nil` if it was fetched just now.
    func takeOrigin() -> ValueOrigin? {
        existingNotes?.withLock { notes in
            defer { notes.origin = nil }
            return notes.origin
        }
    }

    /// Whether the run's value is older than the run, for example because it was read from a cache.
    var hasOrigin: Bool { existingNotes?.withLock { $0.origin != nil } ?? false }

    /// Whether the run is over or cancelled, so that nothing may begin any more.
    var isCancelled: Bool { isOver.isRaised || Task.isCancelled }

    func checkCancellation() throws { if isCancelled { throw CancellationError() } }

    /// Marks a private run as over, because its caller has left. Releases nothing, because a deinit may run arbitrary code, and this is
    /// called in cancellation handlers.
    func leave() { _ = isOver.raise() }

    /// Marks the run as over, so that later reads no longer count.
    func close() {
        _ = isOver.raise()
        // Release the progress outside the lock: its deinit may run arbitrary code.
        _ = existingNotes?.withLock { notes -> (any Sendable)? in
            notes.recurring = []
            defer { notes.progress = nil }
            return notes.progress
        }
    }
}
