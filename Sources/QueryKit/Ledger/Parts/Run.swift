/// One execution of a request, with its attempts. It counts only as long as its entry has it.
final class Run: Guarded<Run.Progress>, @unchecked Sendable {
    let entry: Entry
    let settings: Settings
    let aim: RunAim
    /// Whether it belongs to one caller, and shares its result with no other.
    let isPrivate: Bool
    /// Whether the library has started it, and not a caller.
    let isByLibrary: Bool
    let task = AttemptTask()
    let notes = Lock(Scope.Notes())

    init(_ entry: Entry, _ settings: Settings, _ start: Start, _ progress: consuming Progress) {
        (self.entry, self.settings) = (entry, settings)
        (aim, isPrivate, isByLibrary) = (start.aim, start.isPrivate, start.isByLibrary)
        super.init(progress)
    }

    /// Why a run begins, and for whom.
    struct Start: Sendable {
        var cause: QueryCause
        var aim = RunAim.everything
        var isByLibrary = true
        var isPrivate = false
    }

    enum Phase: Equatable, Sendable {
        /// An attempt is under way.
        case working
        /// An attempt has failed, and the app is asked what follows.
        case failing
        /// The next attempt waits for its time.
        case backingOff
        /// The next attempt waits for the network. Before the first attempt nothing has been read yet.
        case paused(hasBegun: Bool)
        /// The next attempt waits for a place under the limits.
        case queued(hasBegun: Bool)
        /// A stream waits for its next element.
        case live
        /// The run has its result, which waits for foreign code or for the others of a round.
        case held

        /// Whether it may have read something.
        var hasBegun: Bool {
            switch self {
            case .paused(let hasBegun), .queued(let hasBegun): hasBegun
            case .working, .failing, .backingOff, .live, .held: true
            }
        }

        /// Whether it goes on without the network and the clock.
        var isUnderWay: Bool {
            switch self {
            case .working, .failing, .queued, .held: true
            case .backingOff, .paused, .live: false
            }
        }

        var isQueued: Bool { if case .queued = self { true } else { false } }
    }

    /// What the ledger knows about one execution.
    struct Progress: ~Copyable {
        /// The place among the runs of the entry, by the time at which they have begun to read.
        var number: Int32
        var cause: QueryCause
        var phase = Phase.held
        /// Its number among those that take or want places under the limits.
        var place: Int?
        /// The number of the attempt; reports of earlier attempts are ignored.
        var attempt = 1
        /// How many attempts have failed; of a stream, since its latest element.
        var failures = 0
        var trials = Trials()
        /// Whether the next attempt would only fail without a network.
        var needsNetwork = false
        /// The latest change before the run began to read.
        var asOf: ChangeNumber
        /// The callers of this run, and those that came too late for it.
        var callers: [Caller] = []
        var nextCallers: [Caller] = []
        /// The cause of the run that must follow; `nil` if none must.
        var trailing: QueryCause?
        /// A change that the run may not have seen: its result is shown as stale.
        var isOutdated = false
        /// A value was written since the run began: its result is dropped.
        var isSuperseded = false
        /// Only the caller of a private run receives its value.
        var isWithheld = false
        /// How many nested fetches it waits for. While there are some, it isn't work of its own.
        var waits = 0
        /// The entries that it waits for, each as often as it waits.
        var awaited: [Entry] = []
        var awaitedCalls: [CallEntry] = []
        /// The entries of other clients that it waits for.
        var elsewhere: [(holder: any LedgerHolder, entry: Entry)] = []
        /// What had changed since the value was read, if that is recorded.
        var changes: RegionChanges?
        var outcome: Outcome?
        /// What a cancelled run restores: the state from before it.
        var rollback: Rollback

        init(_ number: Int32, _ cause: QueryCause, asOf: ChangeNumber, _ rollback: Rollback) {
            (self.number, self.cause, self.asOf, self.rollback) = (number, cause, asOf, rollback)
        }
    }

    /// The state from before a run.
    struct Rollback: Sendable {
        var base: AnyValue?
        var record: QueryRecord
        /// Changes of the base that had not been applied when the run showed a value of its own.
        var updates: [Layer] = []
        /// Whether the run has shown a value of its own.
        var hasShownOther = false
    }

    enum Outcome: Sendable {
        case success(AnyValue)
        case failure(any Error)
        case cancelled

        var result: Result<AnyValue, any Error> {
            switch self {
            case .success(let value): .success(value)
            case .failure(let error): .failure(error)
            case .cancelled: .failure(CancellationError())
            }
        }
    }
}

extension Ledger {
    func isCurrent(_ run: Run) -> Bool { run.isPrivate ? self[run.entry].privateRuns.contains { $0 === run } : self[run.entry].run === run }
}

/// A caller that awaits the result of a run.
final class Caller: Guarded<Caller.Content>, @unchecked Sendable {
    let settings: Settings
    /// The settings of a run that it begins: its own, unless it has another context for that.
    let settingsOfRun: Settings
    let aim: RunAim
    let takesFresh: Bool
    /// The run, or a part of it, that fetches within its own fetch. It takes over what the inner run has read in the step in which that
    /// ends.
    let reader: Scope?
    /// The scope of another client that fetches, and the entry that it waits for.
    let elsewhere: Scope?
    let entry: Entry?
    /// That of its task when it came.
    let priority = Task.currentPriority

    struct Content: ~Copyable {
        var place = Place.none
        /// The place in the list of callers.
        var index = 0
        /// What it takes over into another client.
        var handedOver: Ledger.HandedOver?
        /// `nil` in tests of the ledger.
        var continuation: UnsafeContinuation<AnyValue, any Error>?
    }

    init(
        _ settings: Settings,
        aim: RunAim = .everything,
        takesFresh: Bool = false,
        reader: Scope? = nil,
        elsewhere: (scope: Scope, entry: Entry)? = nil,
        settingsOfRun: Settings? = nil
    ) {
        self.settingsOfRun = settingsOfRun ?? settings
        (self.settings, self.aim, self.takesFresh, self.reader) = (settings, aim, takesFresh, reader)
        (self.elsewhere, entry) = (elsewhere?.scope, elsewhere?.entry)
        super.init(Content())
    }

    /// Where a caller waits.
    enum Place: Sendable {
        case none
        /// Cancelled before it has begun to wait.
        case gone
        case run(Run)
        case nextRun(Run)
        case call(CallEntry)
        /// Its answer follows the handlers of a delivery.
        case delivery(Result<AnyValue, any Error>)
        case answered
    }
}

extension Ledger {
    /// Adds a caller to those of a run, or of the one that will follow it.
    mutating func add(_ caller: Caller, to place: Caller.Place) {
        self[caller].place = place
        switch place {
        case .run(let run):
            self[caller].index = self[run].callers.count
            self[run].callers.append(caller)
            raise(run, to: caller.priority)
        case .nextRun(let run):
            self[caller].index = self[run].nextCallers.count
            self[run].nextCallers.append(caller)
            raise(run, to: caller.priority)
        case .none, .gone, .call, .delivery, .answered: break
        }
    }

    /// An urgent caller raises the run that it waits for, and those that this run waits for.
    private mutating func raise(_ run: Run, to priority: TaskPriority) {
        guard run.task.note(priority) else { return }
        raiseQueued(run, to: priority)
        effects.append(.raise(run))
        for entry in self[run].awaited {
            for inner in [self[entry].run].compactMap(\.self) + self[entry].privateRuns { raise(inner, to: priority) }
        }
    }

    /// Removes a caller. The last one takes its place, so that many callers may leave in any order.
    mutating func remove(_ caller: Caller) {
        let index = self[caller].index
        switch self[caller].place {
        case .run(let run):
            let last = self[run].callers.removeLast()
            guard last !== caller else { return }
            self[run].callers[index] = last
            self[last].index = index
        case .nextRun(let run):
            let last = self[run].nextCallers.removeLast()
            guard last !== caller else { return }
            self[run].nextCallers[index] = last
            self[last].index = index
        case .none, .gone, .call, .delivery, .answered: break
        }
    }
}
