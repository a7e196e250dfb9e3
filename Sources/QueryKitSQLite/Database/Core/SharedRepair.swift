import QueryKit

/// Deduplicates repairs: callers that ask for one while it is running share its result.
final class SharedRepair: Sendable {
    /// The error that prevents a repair; `nil` if reading works again.
    typealias Obstacle = SQLiteError

    private let running = Lock<Task<Obstacle?, Never>?>(nil)

    /// Joins the running repair, or starts one. Cancelling a caller doesn't cancel the repair.
    func join(_ work: @escaping @Sendable () async -> Obstacle?) async -> Obstacle? {
        let task = running.withLock { running in
            if let running { return running }
            // The task is not cancelled by any caller: an incomplete repair helps no caller.
            let task = Task.detached { [self] in
                let result = await work()
                self.running.withLock { $0 = nil }
                return result
            }
            running = task
            return task
        }
        return await task.value
    }
}

/// After two failed repairs in a row, the next attempt is delayed: each attempt checks the whole file and may wait for other processes.
final class RepairBackoff: Sendable {
    /// The error of the latest repair, and the end of the pause on the monotonic clock; 0 after the first failure.
    private let state = Lock<(obstacle: SQLiteError, end: UInt64)?>(nil)

    /// The error of the latest repair, until the pause ends.
    var obstacle: SQLiteError? { state.withLock { $0.flatMap { $0.end > monotonicNanoseconds() ? $0.obstacle : nil } } }

    /// - Parameter duration: How long the attempt took. The pause is ten times as long.
    func begin(_ obstacle: SQLiteError, after duration: UInt64) {
        state.withLock { $0 = (obstacle, $0 == nil ? 0 : monotonicNanoseconds() + duration * 10) }
    }

    func end() { state.withLock { $0 = nil } }
}
