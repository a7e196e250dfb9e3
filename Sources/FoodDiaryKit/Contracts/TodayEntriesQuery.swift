/// Today's entries, newest first. Returns within 100 ms; the value is served from memory for five minutes.
public protocol TodayEntriesQuery: Sendable {
    /// Today's entries, from memory while they are fresh, otherwise read from the diary.
    var todayEntries: [FoodEntry] { get async throws }

    /// Reads the entries from the diary even if those in memory are fresh.
    @discardableResult
    func refreshTodayEntries() async throws -> [FoodEntry]

    /// The current entries, and new ones each time they change, because of a commit by any process or because a new day begins.
    ///
    /// The stream ends only when you stop reading it. While reads fail, it yields nothing; it continues with the next read that succeeds.
    /// The error is in the state of the request's store.
    func observeTodayEntries() -> AsyncStream<[FoodEntry]>
}
