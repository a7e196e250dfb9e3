/// Something that happened in a client: which request, what, and why.
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
        /// A result came for a run that was cancelled, reset or overtaken by a write, and was dropped.
        public static let resultDropped = Kind(description: "resultDropped")
        /// A run waits for the network.
        public static let runPaused = Kind(description: "runPaused")
        /// A run that waited for the network goes on.
        public static let runResumed = Kind(description: "runResumed")
        /// A call in the journal of mutations could not be made out, and was set aside.
        public static let mutationSetAside = Kind(description: "mutationSetAside")
        /// The journal of mutations could not be written.
        public static let journalFailed = Kind(description: "journalFailed")
        /// A layer that a mutation laid over a value threw, and is left out.
        public static let layerFailed = Kind(description: "layerFailed")
        /// A value was yielded by a run that had ended or had been overtaken, and was dropped.
        public static let yieldIgnored = Kind(description: "yieldIgnored")
        /// A store was removed: unused for too long, or to keep a budget.
        public static let storeRemoved = Kind(description: "storeRemoved")
    }

    /// What happened.
    public let kind: Kind

    /// The request it happened to.
    public let path: QueryPath

    /// Why the run began; for `storeRemoved`, why the state is as it was.
    public let cause: QueryCause

    /// When, on the client's clock.
    public let instant: QueryInstant

    /// The error, for kinds that have one.
    public let error: (any Error)?
}
