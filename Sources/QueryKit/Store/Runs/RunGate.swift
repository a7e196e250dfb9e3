/// Lets runs work at their turn, where only so many may at once: the client's, seen from a store.
protocol RunGate: AnyObject, Sendable {
    /// Waits until a run may begin an attempt. It holds its place until the subscription ends; `nil` where nothing holds it back.
    func enter(_ run: StoreRun, of store: StoreCore) async throws -> QuerySubscription?

    /// Somebody of higher priority waits for the runs of a store.
    func raise(_ store: StoreCore, to priority: TaskPriority)

    /// The run of one store waits for another store, as the ``WaitGraph`` knows already.
    func noteWait(of waiting: StoreCore, for store: StoreCore)
}
