/// What today comes to so far. Answers within 50 ms, from memory for five minutes.
public protocol CurrentDailyTotalQuery: Sendable {
    /// The total of today: the one in memory while it is fresh, else as the diary has it.
    var currentTotal: DailyTotal { get async throws }

    /// Reads the total anew, fresh or not.
    @discardableResult
    func refreshCurrentTotal() async throws -> DailyTotal

    /// The total now, and again each time it changes: by a commit of whatever process, or because a day begins.
    func observeCurrentTotal() -> AsyncStream<DailyTotal>
}
