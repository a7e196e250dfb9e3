extension RunMachine {
    /// A run under way.
    struct Run: Equatable, Sendable {
        let aim: RunAim
        let cause: QueryCause
        /// It waits for the network.
        var isPaused = false
        /// It waits for the network since its start: nothing was fetched yet that could be out of date.
        var isHeldBack = false
        /// A stream feeds it, and has brought a value: it goes on for as long as somebody looks.
        var isLive = false
        /// Something was invalidated after the run began: its result is stale at birth.
        var isOutdated = false
        /// Somebody wrote a value after the run began: its result is not applied.
        var isSuperseded = false
        /// Why a run has to follow this one.
        var trailing: QueryCause?
        let number: Int32
        /// Callers that wait for this run.
        var waiters: Int32 = 0
        /// Callers that came too late for this run and wait for the next.
        var nextWaiters: Int32 = 0
    }
}
