/// An event in a client: which request, what happened, and why.
///
/// Its description is one line for a log. It contains no values, and only the code or the type of an error. Elements that a path names are
/// shown; keys in regions are shown as hashes.
public struct QueryEvent: Sendable {
    /// A kind of event. Later versions may add more.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A run began.
        public static let runStarted = Kind(description: "runStarted")
        /// A run returned a value.
        public static let runSucceeded = Kind(description: "runSucceeded")
        /// A run ended with an error.
        public static let runFailed = Kind(description: "runFailed")
        /// A run was cancelled.
        public static let runCancelled = Kind(description: "runCancelled")
        /// An attempt failed, and the run continues with another one.
        public static let attemptFailed = Kind(description: "attemptFailed")
        /// A value that a run returned or yielded was dropped, because the run had been cancelled or overtaken by a write, or its store had
        /// been reset; see ``QueryEvent/reason``.
        public static let resultDropped = Kind(description: "resultDropped")
        /// A run waits for the network.
        public static let runPaused = Kind(description: "runPaused")
        /// A run that waited for the network continues.
        public static let runResumed = Kind(description: "runResumed")
        /// A commit, an invalidation or a trigger has changed something, or is about to; see ``QueryEvent/origin``. Sent once for each
        /// origin. The path is that of the mutation that made the change, or empty.
        public static let changed = Kind(description: "changed")
        /// A mutation was called. Its ``QueryEvent/origin`` has the number of the call, and the events of its run have the same origin.
        public static let mutationStarted = Kind(description: "mutationStarted")
        /// A call of a mutation returned a value. Sent before the changes that the success causes.
        public static let mutationSucceeded = Kind(description: "mutationSucceeded")
        /// A call of a mutation ended with an error.
        public static let mutationFailed = Kind(description: "mutationFailed")
        /// A call of a mutation was cancelled, or was ended by a reset, a removal or a new session.
        public static let mutationCancelled = Kind(description: "mutationCancelled")
        /// A call of a mutation waits for the network.
        public static let mutationPaused = Kind(description: "mutationPaused")
        /// A call of a mutation that waited for the network continues.
        public static let mutationResumed = Kind(description: "mutationResumed")
        /// A call stays in the mutation journal, because its request's `validate(in:)` has refused it, or because its mutation is unknown.
        public static let mutationRefused = Kind(description: "mutationRefused")
        /// An optimistic layer of a mutation threw an error, and is ignored.
        public static let layerFailed = Kind(description: "layerFailed")
        /// ``QueryClient/fetch(_:)`` returned a fresh cached value.
        public static let hit = Kind(description: "hit")
        /// ``QueryClient/fetch(_:)`` found no fresh value, and waits for a run. Not reported for requests with a fixed time to live of
        /// zero.
        public static let miss = Kind(description: "miss")
        /// The id that a paginated request returned for its next or previous page belongs to a page that it already has. The list ends
        /// there.
        public static let pageRepeated = Kind(description: "pageRepeated")
        /// A value from a cache or an archive became the value of a request, or the result of a run.
        public static let valueRestored = Kind(description: "valueRestored")
        /// An entry of a cache, an archive or the mutation journal can't be read or belongs to another version, and is ignored.
        public static let entryDropped = Kind(description: "entryDropped")
        /// A cache, an archive or the mutation journal could not be read or written. The error names the storage and the reason.
        public static let storageFailed = Kind(description: "storageFailed")
        /// A store was removed: because it was unused for too long, to meet a budget, or by a call such as ``QueryClient/remove(_:)``.
        public static let storeRemoved = Kind(description: "storeRemoved")
        /// A measured value exceeds its threshold; see ``QueryEvent/alert``. The path is the affected prefix.
        public static let alertRaised = Kind(description: "alertRaised")
        /// The measured value of an alert has returned to normal.
        public static let alertCleared = Kind(description: "alertCleared")
    }

    /// The reason why a value was dropped or a store removed. Later versions may add more.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The run was already over: it had ended or was cancelled, or its store was reset.
        public static let runOver = Reason(description: "runOver")
        /// A write or a later run came first.
        public static let overtaken = Reason(description: "overtaken")
        /// The run was private to one caller, so its yields aren't published.
        public static let privateRun = Reason(description: "privateRun")
        /// The store was unused for longer than its retention.
        public static let expired = Reason(description: "expired")
        /// The store was the least recently used one, and a budget was exceeded.
        public static let overBudget = Reason(description: "overBudget")
        /// The store was removed by a call.
        public static let removed = Reason(description: "removed")
    }

    /// What happened.
    public let kind: Kind

    /// The path of the request.
    public let path: QueryPath

    /// Why the run began. For `storeRemoved`, the cause of the store's state; for alerts, the cause of their evaluation.
    public let cause: QueryCause

    /// When the event occurred, on the client's clock.
    public let instant: QueryInstant

    /// The error, for kinds that have one.
    public let error: (any Error)?

    /// The number of the run among all runs of the client, for kinds that concern a run. Start and end of a run have the same number.
    public let run: Int?

    /// The duration of the run, including waits between attempts, for kinds that end a run. For kinds that end the call of a mutation, the
    /// duration of the call, including the wait for its turn; `nil` if there was no listener when it began.
    public let duration: Duration?

    /// Why a value was dropped or a store removed, for kinds with a reason.
    public let reason: Reason?

    /// The alert that was raised or cleared.
    public let alert: QueryAlert?

    /// The store; see ``StoreMark/id``. `nil` for events that don't concern a single store.
    package let store: Int?

    /// The origin of the change that caused the run. `nil` for a run that was started by `fetch`, by ``QueryStore/refetch()`` or by a
    /// subscription, and for a run whose cause is older than the first listener.
    public var origin: QueryOrigin? { cause.origin }

    init(
        kind: Kind,
        path: QueryPath,
        cause: QueryCause,
        instant: QueryInstant,
        error: (any Error)? = nil,
        run: Int? = nil,
        duration: Duration? = nil,
        reason: Reason? = nil,
        alert: QueryAlert? = nil,
        store: Int? = nil
    ) {
        self.kind = kind
        self.path = path
        self.cause = cause
        self.instant = instant
        self.error = error
        self.run = run
        self.duration = duration
        self.reason = reason
        self.alert = alert
        self.store = store
    }
}

extension QueryEvent: CustomStringConvertible, CustomReflectable {
    /// One line without values; of an error, its code or type.
    public var description: String { "\(kind) \(subject)" + outcome }

    public var customMirror: Mirror { Mirror(reflecting: description) }

    /// The subject: the path with the cause, the alert, or the origin.
    var subject: String {
        if let alert { return alert.description }
        switch kind {
        case .changed, .mutationStarted, .mutationSucceeded, .mutationFailed, .mutationCancelled, .mutationPaused, .mutationResumed:
            return origin?.description ?? "\(path)"
        default: return "\(path) (\(cause))"
        }
    }

    /// Number, duration, reason and kind of error, as far as the event has them.
    var outcome: String {
        var text = ""
        if let run { text += " #\(run)" }
        if let duration { text += " " + ShortText.duration(duration) }
        if let reason { text += " \(reason)" }
        if let error { text += " " + ShortText.kind(of: error) }
        return text
    }
}
