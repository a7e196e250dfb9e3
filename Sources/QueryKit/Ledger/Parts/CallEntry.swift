/// A call of a mutation, an entry of its own kind.
final class CallEntry: Guarded<CallEntry.Content>, @unchecked Sendable {
    let number: UInt64
    let scope: String?
    let isDurable: Bool
    /// The call in whose code this one was made.
    let outer: CallEntry?
    let invalidates: [QueryPattern]
    /// The layers to lay over other requests, in one step.
    let layers: [(entry: Entry, apply: @Sendable (AnyValue?) -> AnyValue?)]
    let networkMode: QueryNetworkMode
    let task = AttemptTask()
    /// The code of the app; `nil` in tests of the ledger.
    let work: (any CallWork)?

    init(
        _ number: UInt64,
        scope: String? = nil,
        isDurable: Bool = false,
        invalidates: [QueryPattern] = [],
        layers: [(entry: Entry, apply: @Sendable (AnyValue?) -> AnyValue?)] = [],
        networkMode: QueryNetworkMode = .offlineFirst,
        outer: CallEntry? = nil,
        work: (any CallWork)? = nil
    ) {
        (self.number, self.scope, self.isDurable) = (number, scope, isDurable)
        (self.invalidates, self.layers, self.networkMode) = (invalidates, layers, networkMode)
        (self.outer, self.work) = (outer, work)
        super.init(Content())
    }

    enum State: Sendable {
        /// The journal doesn't have it yet, so it must not begin.
        case writing
        /// Earlier calls of its scope have not ended.
        case queued
        case working(attempt: Int)
        /// It waits for the network, before or after its first attempt.
        case paused
        /// A failure that passes: it is repeated.
        case waiting(until: QueryInstant)
        /// It was set aside after too many failures. Its layers are gone, and its scope continues.
        case stuck(any Error)
        /// It has succeeded. Its layers stay until the entries have seen its effect.
        case landing
        case ended
    }

    struct Content: ~Copyable {
        var state = State.queued
        var callers: [Caller] = []
        var attempts = 0
        /// It has ended while the journal was writing it, so the journal must forget it afterwards.
        var isWritingInVain = false
        /// Failures that count towards being set aside.
        var failures = 0
        /// Layers that still lie over entries.
        var layers: [(entry: Entry, layer: Layer)] = []
        /// What it has changed so far in sources that report it.
        var changes: [Change] = []
        /// The change from which on runs see all that it has done; `nil` until it has succeeded.
        var commit: ChangeNumber?
    }

    /// What the recovery of the app says about a failed attempt.
    enum Verdict: Sendable {
        /// It fails for good, and leaves the journal.
        case refused
        /// It is repeated after a while. `counts`: towards being set aside.
        case passing(after: Nanoseconds, counts: Bool)
        /// It waits for the network; with a network, as `passing`.
        case whenOnline(orAfter: Nanoseconds)
    }
}

/// What a call does, and where it is kept until it is done.
protocol CallWork: AnyObject, Sendable {
    /// Makes an attempt. If it fails, the recovery says what follows.
    func perform(attempt: Int) async -> (Result<AnyValue, any Error>, CallEntry.Verdict)
    /// Writes the call into the journal.
    func append() async throws
    /// Removes the call from the journal.
    func remove() async
}
