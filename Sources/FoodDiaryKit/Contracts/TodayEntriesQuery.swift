/// What was eaten today, newest first. Answers within 100 ms, from memory for five minutes.
public protocol TodayEntriesQuery: Sendable {
    /// The entries of today: those in memory while they are fresh, else as the diary has them.
    var todayEntries: [FoodEntry] { get async throws }

    /// Reads the entries anew, fresh or not.
    @discardableResult
    func refreshTodayEntries() async throws -> [FoodEntry]

    /// The entries now, and again each time they change: by a commit of whatever process, or because a day begins.
    ///
    /// The stream never ends by itself. While a read fails it is silent, and goes on with the next one that does not: what went wrong is in the
    /// state of the request's store.
    func observeTodayEntries() -> AsyncStream<[FoodEntry]>
}
