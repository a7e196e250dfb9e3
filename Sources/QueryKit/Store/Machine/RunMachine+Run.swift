extension RunMachine {
    /// A run under way, in numbers and flags.
    struct Run: Equatable, Sendable {
        /// What a run does at one moment.
        enum Phase: Sendable {
            case working
            /// It waits for the network since its start: nothing was fetched yet that could be out of date.
            case heldBack
            /// It waits for the network, after it has fetched something, or may have.
            case paused
            /// A stream feeds it and has brought a value. It continues until the last observer leaves.
            case live
        }

        let number: Int32
        /// Callers that wait for this run.
        var waiters: Int32
        /// Callers that came too late for this run and wait for the next.
        var nextWaiters: Int32 = 0
        var phase = Phase.working
        /// Something was invalidated after the run began: its result is stale at birth.
        var isOutdated = false
        /// A value was written after the run began, so its result is not applied.
        var isSuperseded = false

        /// It waits for the network.
        var isPaused: Bool { phase == .paused || phase == .heldBack }
        var isHeldBack: Bool { phase == .heldBack }
        var isLive: Bool { phase == .live }
    }

    /// A run that is to follow.
    struct Next: Equatable, Sendable {
        let cause: QueryCause
        let origin: RunOrigin
        /// Callers that wait for it already.
        let waiters: Int32

        static func start(_ cause: QueryCause, _ origin: RunOrigin, waiters: Int32) -> Next {
            Next(cause: cause, origin: origin, waiters: waiters)
        }
    }

    /// What the task of the run under way has to know.
    var runStart: RunStart? {
        run.map {
            RunStart(number: $0.number, cause: purpose.cause, origin: purpose.origin, aim: purpose.aim, isPaused: $0.isHeldBack)
        }
    }
}

/// What a run is for.
struct RunPurpose: Equatable, Sendable {
    var aim = RunAim.everything
    var cause = QueryCause.created
    var origin = RunOrigin.library
}
