extension RunMachine {
    /// A run under way. Contains only numbers and flags.
    struct Run: Equatable, Sendable {
        /// What a run is doing.
        enum Phase: Sendable {
            case working
            /// It has waited for the network since its start, so it has fetched nothing that could be out of date.
            case heldBack
            /// It waits for the network, and may have fetched something before.
            case paused
            /// A stream feeds it and has brought a value. It continues until the last observer leaves.
            case live
        }

        let number: Int32
        /// Callers that wait for this run.
        var waiters: Int32
        /// Callers that arrived too late for this run and wait for the next one.
        var nextWaiters: Int32 = 0
        var phase = Phase.working
        /// The request was invalidated after the run began, so its result will be stale.
        var isOutdated = false
        /// A value was written after the run began, so its result is not applied.
        var isSuperseded = false

        /// Whether it waits for the network.
        var isPaused: Bool { phase == .paused || phase == .heldBack }
        var isHeldBack: Bool { phase == .heldBack }
        var isLive: Bool { phase == .live }
    }

    /// A run that will follow.
    struct Next: Equatable, Sendable {
        let cause: QueryCause
        let origin: RunOrigin
        /// The number of callers that wait for it already.
        let waiters: Int32

        static func start(_ cause: QueryCause, _ origin: RunOrigin, waiters: Int32) -> Next {
            Next(cause: cause, origin: origin, waiters: waiters)
        }
    }

    /// The parameters of the run under way, for its task.
    var runStart: RunStart? {
        run.map {
            RunStart(number: $0.number, cause: purpose.cause, origin: purpose.origin, aim: purpose.aim, isPaused: $0.isHeldBack)
        }
    }
}

/// The purpose of a run.
struct RunPurpose: Equatable, Sendable {
    var aim = RunAim.everything
    var cause = QueryCause.created
    var origin = RunOrigin.library
}
