/// The task of a run's attempt. It may be cancelled, or become more urgent, before it exists.
final class AttemptTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var attempt = 0
        var cancelled = 0
        /// That of the most urgent caller; without callers, that of the task that has caused the first attempt.
        var priority: TaskPriority?
    }

    private let state = Lock(State())

    /// The run owns the task, and cancels it when the run is given up.
    func begin(_ attempt: Int, _ work: @escaping @Sendable () async -> Void) {
        let priority = state.withLock { state in
            let priority = state.priority ?? Task.currentPriority
            state.priority = priority
            return priority
        }
        let task = Task.detached(priority: priority) { await work() }
        let (isCancelled, isLate) = state.withLock { state in
            if state.attempt < attempt { (state.task, state.attempt) = (task, attempt) }
            return (state.cancelled >= attempt, state.priority != priority)
        }
        if isCancelled { task.cancel() }
        if isLate { raise() }
    }

    func cancel(_ attempt: Int) {
        let task = state.withLock { state in
            state.cancelled = max(state.cancelled, attempt)
            return state.attempt <= attempt ? state.task : nil
        }
        task?.cancel()
    }

    // MARK: Priority

    var priority: TaskPriority? { state.withLock { $0.priority } }

    /// A caller of this priority waits. Returns whether it is more urgent than all before it.
    func note(_ priority: TaskPriority) -> Bool {
        state.withLock { state in
            let former = state.priority
            state.priority = max(priority, former ?? priority)
            return former.map { $0 < priority } ?? false
        }
    }

    /// Raises the present task to what was noted. A task is raised by one of higher priority that awaits it.
    func raise() {
        let (task, priority) = state.withLock { ($0.task, $0.priority) }
        // Has no owner: it ends with the task.
        if let task { Task.detached(priority: priority) { await task.value } }
    }
}
