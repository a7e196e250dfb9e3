/// Something that happened in a client: which request, what, and why.
///
/// Its description is a line for a log, and holds no value: of an error it names the code or the type.
public struct QueryEvent: Sendable {
    /// What happened. More kinds may come.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A run began.
        public static let runStarted = Kind(description: "runStarted")
        /// A run brought a value.
        public static let runSucceeded = Kind(description: "runSucceeded")
        /// A run ended with an error.
        public static let runFailed = Kind(description: "runFailed")
        /// A run was cancelled.
        public static let runCancelled = Kind(description: "runCancelled")
        /// An attempt failed, and the run goes on to another.
        public static let attemptFailed = Kind(description: "attemptFailed")
        /// What a run returned or yielded was dropped, because the run had been cancelled, reset or overtaken by a write; see ``QueryEvent/reason``.
        public static let resultDropped = Kind(description: "resultDropped")
        /// A run waits for the network.
        public static let runPaused = Kind(description: "runPaused")
        /// A run that waited for the network goes on.
        public static let runResumed = Kind(description: "runResumed")
        /// A call in the journal of mutations was refused by its request's `validate(in:)`, and stays written down.
        public static let mutationRefused = Kind(description: "mutationRefused")
        /// A layer that a mutation laid over a value threw, and is left out.
        public static let layerFailed = Kind(description: "layerFailed")
        /// A fresh cached value answered ``QueryClient/fetch(_:)``.
        public static let hit = Kind(description: "hit")
        /// ``QueryClient/fetch(_:)`` found no fresh value, and waits for a run. Not reported of requests with a fixed time to live of zero.
        public static let miss = Kind(description: "miss")
        /// The id that a paginated request gave for its next or previous page is one of a page that is there already. The list ends there.
        public static let pageRepeated = Kind(description: "pageRepeated")
        /// What a cache or an archive had of a request became its value, or the result of the run.
        public static let valueRestored = Kind(description: "valueRestored")
        /// Something in a cache, an archive or the journal of mutations can't be read, or belongs to another version, and is left out.
        public static let entryDropped = Kind(description: "entryDropped")
        /// A cache, an archive or the journal of mutations could not be read or written; the error says which and why.
        public static let storageFailed = Kind(description: "storageFailed")
        /// A store was removed: because it was unused for too long, to keep a budget, or by a call such as ``QueryClient/remove(_:)``.
        public static let storeRemoved = Kind(description: "storeRemoved")
        /// Something is worse than its threshold; see ``QueryEvent/alert``. The path is the prefix it is about.
        public static let alertRaised = Kind(description: "alertRaised")
        /// What an alert was about is well again.
        public static let alertCleared = Kind(description: "alertCleared")
    }

    /// Why something was dropped or removed. More reasons may come.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The run was over: it had ended, or was cancelled or reset.
        public static let runOver = Reason(description: "runOver")
        /// A write or a younger run had been there first.
        public static let overtaken = Reason(description: "overtaken")
        /// The run was private to one caller, so its yields aren't published.
        public static let privateRun = Reason(description: "privateRun")
        /// The store was not used for longer than it is kept.
        public static let expired = Reason(description: "expired")
        /// The store was the one used longest ago, and there were too many or too large ones.
        public static let overBudget = Reason(description: "overBudget")
        /// Somebody removed the store.
        public static let removed = Reason(description: "removed")
    }

    /// What happened.
    public let kind: Kind

    /// The request it happened to.
    public let path: QueryPath

    /// Why the run began. For `storeRemoved`, why the state is as it was; for alerts, what led to the look at them.
    public let cause: QueryCause

    /// When, on the client's clock.
    public let instant: QueryInstant

    /// The error, for kinds that have one.
    public let error: (any Error)?

    /// The number of the run among all of its client, for kinds that are about a run: its start and its end have the same one.
    public let run: Int?

    /// How long the run took from start to end, waits between attempts included; for kinds that end one.
    public let duration: Duration?

    /// Why something was dropped or removed, for kinds that say so.
    public let reason: Reason?

    /// The alert that was raised or cleared.
    public let alert: QueryAlert?

    init(
        kind: Kind,
        path: QueryPath,
        cause: QueryCause,
        instant: QueryInstant,
        error: (any Error)? = nil,
        run: Int? = nil,
        duration: Duration? = nil,
        reason: Reason? = nil,
        alert: QueryAlert? = nil
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
    }
}

extension QueryEvent: CustomStringConvertible {
    public var description: String { "\(kind) \(subject)" + outcome }

    /// What it is about: the path with the cause, or the alert.
    var subject: String { alert?.description ?? "\(path) (\(cause))" }

    /// Number, duration, reason and kind of error, each where there is one.
    var outcome: String {
        var text = ""
        if let run { text += " #\(run)" }
        if let duration { text += " " + ShortText.duration(duration) }
        if let reason { text += " \(reason)" }
        if let error { text += " " + ShortText.kind(of: error) }
        return text
    }
}
