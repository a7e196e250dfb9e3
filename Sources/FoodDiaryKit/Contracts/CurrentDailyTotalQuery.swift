/// Today's total so far. Returns within 50 ms; the value is served from memory for five minutes.
public protocol CurrentDailyTotalQuery: Sendable {
    /// Today's total, from memory while it is fresh, otherwise read from the diary.
    var currentTotal: DailyTotal { get async throws }

    /// Reads the total from the diary even if the value in memory is fresh.
    @discardableResult
    func refreshCurrentTotal() async throws -> DailyTotal

    /// The current total, and a new one each time it changes, because of a commit by any process or because a new day begins.
    ///
    /// The stream ends only when you stop reading it. While reads fail, it yields nothing; it continues with the next read that succeeds.
    /// The error is in the state of the request's store.
    func observeCurrentTotal() -> AsyncStream<DailyTotal>
}
