/// The task of a run's attempt. It may be cancelled before it exists.
final class AttemptTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var attempt = 0
        var cancelled = 0
    }

    private let state = Lock(State())

    /// The run owns the task, and cancels it when the run is given up.
    func begin(_ attempt: Int, _ work: @escaping @Sendable () async -> Void) {
        let task = Task.detached { await work() }
        let isCancelled = state.withLock { state in
            if state.attempt < attempt { (state.task, state.attempt) = (task, attempt) }
            return state.cancelled >= attempt
        }
        if isCancelled { task.cancel() }
    }

    func cancel(_ attempt: Int) {
        let task = state.withLock { state in
            state.cancelled = max(state.cancelled, attempt)
            return state.attempt <= attempt ? state.task : nil
        }
        task?.cancel()
    }
}
