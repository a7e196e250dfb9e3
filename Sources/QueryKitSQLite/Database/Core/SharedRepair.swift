import QueryKit

/// One piece of work for all who ask for it while it goes on.
final class SharedRepair: Sendable {
    /// What prevents a repair; `nil` if reading works again.
    typealias Obstacle = SQLiteError

    private let running = Lock<Task<Obstacle?, Never>?>(nil)

    /// Joins what goes on, or begins. It goes on to its end, whoever leaves.
    func join(_ work: @escaping @Sendable () async -> Obstacle?) async -> Obstacle? {
        let task = running.withLock { running in
            if let running { return running }
            // Owned by itself: half a repair is of no use to anybody.
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

    /// Waits for what goes on.
    func wait() async { _ = await running.withLock { $0 }?.value }
}

/// After two repairs in a row that failed, damage is left as it is for a while: each attempt looks the whole file through, and may wait for other processes.
final class RepairPause: Sendable {
    /// What prevented the latest repair, and the end of the pause by the monotonic clock; 0 after the first failure.
    private let state = Lock<(obstacle: SQLiteError, end: UInt64)?>(nil)

    /// What prevented the latest repair, as long as the pause lasts.
    var obstacle: SQLiteError? { state.withLock { $0.flatMap { $0.end > monotonicNanoseconds() ? $0.obstacle : nil } } }

    /// - Parameter duration: How long the attempt took. The pause is ten times as long.
    func begin(_ obstacle: SQLiteError, after duration: UInt64) {
        state.withLock { $0 = (obstacle, $0 == nil ? 0 : monotonicNanoseconds() + duration * 10) }
    }

    func end() { state.withLock { $0 = nil } }
}
