import QueryKit

/// Deduplicates repairs: all callers that need a repair while one is running share its result.
final class SharedRepair: Sendable {
    private let running = Lock<Task<SQLiteError?, Never>?>(nil)

    /// Joins the running repair, or starts one. Cancelling a caller doesn't cancel the repair.
    ///
    /// - Returns: The error that prevents the repair; `nil` if reading works again.
    func join(_ work: @escaping @Sendable () async -> SQLiteError?) async -> SQLiteError? {
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
    private let state = Lock<(error: SQLiteError, end: UInt64)?>(nil)

    /// The error of the latest repair, until the pause ends.
    var latestError: SQLiteError? { state.withLock { $0.flatMap { $0.end > monotonicNanoseconds() ? $0.error : nil } } }

    /// - Parameter duration: How long the attempt took. The pause is ten times as long.
    func begin(_ error: SQLiteError, after duration: UInt64) {
        state.withLock { $0 = (error, $0 == nil ? 0 : monotonicNanoseconds() + duration * 10) }
    }

    func end() { state.withLock { $0 = nil } }
}
