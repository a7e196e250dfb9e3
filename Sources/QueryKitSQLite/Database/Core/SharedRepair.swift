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
