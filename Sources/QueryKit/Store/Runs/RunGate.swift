/// Limits the number of runs that work at the same time. The interface of the client's gate for stores.
protocol RunGate: AnyObject, Sendable {
    /// Waits until a run may begin an attempt. The run holds its place until the returned subscription ends. Returns `nil` if no limit
    /// applies to the run.
    func enter(_ run: StoreRun, of store: StoreCore) async throws -> QuerySubscription?

    /// Raises the priority of a store's runs, because a caller of higher priority waits for them.
    func raise(_ store: StoreCore, to priority: TaskPriority)

    /// Notes that the run of one store waits for another store. The ``WaitGraph`` contains that wait already.
    func noteWait(of waiting: StoreCore, for store: StoreCore)
}
