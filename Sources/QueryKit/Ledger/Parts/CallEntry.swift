import Foundation

/// A call of a mutation, an entry of its own kind.
final class CallEntry: Guarded<CallEntry.Content>, @unchecked Sendable {
    let number: UInt64
    /// Identifies the call, also across launches. A call that repeats another one has the same.
    let id: UUID
    let scope: String?
    let isDurable: Bool
    /// Whether it was made from an entry of the journal, which has it already.
    let isResumed: Bool
    /// Whether other clients may make it. Then the journal is asked before each attempt.
    let isShared: Bool
    /// The call in whose code this one was made.
    let outer: CallEntry?
    /// The layers to lay over other requests, in one step.
    let layers: [(entry: Entry, apply: @Sendable (AnyValue?) -> AnyValue?)]
    let networkMode: QueryNetworkMode
    /// How long an attempt may take.
    let timeout: Nanoseconds?
    /// Whether the sources that it writes to report each change. Then what shows a layer and hasn't changed is fetched again.
    let isSourceBacked: Bool
    /// Whether it replaces another call of a control that has not begun.
    let isOfControl: Bool
    /// Where its mutation shows it; `nil` in tests of the ledger.
    let shown: Shown?
    /// Closures to call at its end.
    let handlers: CallHandlers?
    let task = AttemptTask()
    /// The code of the app; `nil` in tests of the ledger.
    let work: (any CallWork)?

    /// The entry of the mutation, which lists its calls.
    struct Shown: Sendable {
        let entry: Entry
        let note: CallNote
        /// How many calls that have ended the entry keeps.
        let limit: Int
    }

    init(
        _ number: UInt64,
        id: UUID? = nil,
        scope: String? = nil,
        isDurable: Bool = false,
        isResumed: Bool = false,
        isShared: Bool = false,
        layers: [(entry: Entry, apply: @Sendable (AnyValue?) -> AnyValue?)] = [],
        networkMode: QueryNetworkMode = .offlineFirst,
        timeout: Nanoseconds? = nil,
        isSourceBacked: Bool = false,
        isOfControl: Bool = false,
        outer: CallEntry? = nil,
        shown: Shown? = nil,
        handlers: CallHandlers? = nil,
        work: (any CallWork)? = nil
    ) {
        (self.number, self.id, self.scope, self.isDurable) = (number, id ?? shown?.note.id ?? UUID(), scope, isDurable)
        (self.isResumed, self.isShared) = (isResumed, isShared)
        (self.layers, self.networkMode, self.timeout) = (layers, networkMode, timeout)
        (self.isSourceBacked, self.isOfControl, self.outer) = (isSourceBacked, isOfControl, outer)
        (self.shown, self.handlers, self.work) = (shown, handlers, work)
        super.init(Content())
    }

    /// When it was made, perhaps in an earlier launch.
    var date: Date { shown?.note.submittedAt ?? .distantPast }

    enum State: Sendable {
        /// The journal doesn't have it yet, so it must not begin.
        case writing
        /// Earlier calls of its scope have not ended.
        case queued
        /// It asks the journal whether it may be made.
        case asking(attempt: Int)
        case working(attempt: Int)
        /// It waits for the network, before or after its first attempt.
        case paused
        /// It is repeated after a failure.
        case waiting(until: QueryInstant)
        /// It was set aside after too many failures. Its layers are gone, and its scope continues.
        case stuck(any Error)
        /// It has succeeded. Its layers stay until the entries have seen its effect.
        case landing(AnyValue)
        case ended(Result<AnyValue, any Error>)
    }

    struct Content: ~Copyable {
        var state = State.queued
        /// Those who wait for its end.
        var callers: [Caller] = []
        var attempts = 0
        /// Whether an attempt was made.
        var hasBegun = false
        /// The earlier calls of its scope that were in the journal when it asked last.
        var preceding: [UUID] = []
        /// Whether this client holds the lease of the call.
        var isLeased = false
        /// Those who wait until the journal has it.
        var writers: [Signal] = []
        var trials = Run.Trials()
        /// Failures that count towards being set aside.
        var failures = 0
        /// The call that was made instead of this one.
        var successor: CallEntry?
        /// Whether it has ended and stays in the journal.
        var isKept = false
        /// Whether the journal is to forget it. Its callers are answered after that.
        var isLeavingJournal = false
        /// Layers that still lie over entries.
        var layers: [(entry: Entry, layer: Layer)] = []
        /// What it has changed so far in sources that report it.
        var changes: [Change] = []
        /// The change from which on runs see all that it has done; `nil` until it has succeeded.
        var commit: ChangeNumber?
        /// What its code waits for: entries and other calls, each as often as it waits. While it waits, it isn't work of its own.
        var awaited: [Entry] = []
        var awaitedCalls: [CallEntry] = []
        var waits = 0
    }

    /// How an attempt has ended.
    enum Outcome: Sendable {
        case success(AnyValue, invalidates: [QueryPattern] = [])
        case failure(any Error, Verdict = .refused)
    }

    /// What the settings and the recovery of the request say about a failed attempt. They are code of the app, so they are asked before.
    indirect enum Verdict: Sendable {
        /// It fails for good, and leaves the journal.
        case refused
        /// Another attempt after a while; those who wait for the call go on waiting.
        case retry(after: Nanoseconds)
        /// Another attempt at once, after a repair or an authorization.
        case repeats(Run.Trials.Help)
        /// A durable call is repeated after a while, and its callers get the error. `counts`: towards being set aside.
        case passing(after: Nanoseconds, counts: Bool)
        /// It waits for the network; with a network, the other verdict.
        case whenOnline(or: Verdict)
    }
}

extension CallEntry: Hashable {
    static func == (left: CallEntry, right: CallEntry) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CallEntry.State {
    /// Whether it goes on by itself.
    var isWork: Bool {
        switch self {
        case .asking, .working: true
        case .writing, .queued, .paused, .waiting, .stuck, .landing, .ended: false
        }
    }

    /// The result, if it has one.
    var result: Result<AnyValue, any Error>? {
        switch self {
        case .writing, .queued, .asking, .working, .paused, .waiting, .stuck: nil
        case .landing(let value): .success(value)
        case .ended(let result): result
        }
    }

    /// Whether it can still begin or continue without being told to.
    var isPending: Bool {
        switch self {
        case .writing, .queued, .asking, .working, .paused, .waiting: true
        case .stuck, .landing, .ended: false
        }
    }
}

/// Where a call is kept until it is done.
protocol CallWork: AnyObject, Sendable {
    /// Writes the call into the journal.
    func append() async throws
    /// Removes the call from the journal.
    func remove() async
    /// Whether a call of a shared journal may be made.
    func turn() async -> MutationTurn
    /// Lets other clients make the call.
    func release() async
}

extension CallWork {
    func turn() async -> MutationTurn { .now }
    func release() async {}
}
