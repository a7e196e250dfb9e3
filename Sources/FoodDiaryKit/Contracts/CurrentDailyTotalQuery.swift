/// What today comes to so far. Answers within 50 ms, from memory for five minutes.
public protocol CurrentDailyTotalQuery: Sendable {
    /// The total of today: the one in memory while it is fresh, else as the diary has it.
    var currentTotal: DailyTotal { get async throws }

    /// Reads the total anew, fresh or not.
    @discardableResult
    func refreshCurrentTotal() async throws -> DailyTotal

    /// The total now, and again each time it changes: by a commit of whatever process, or because a day begins.
    ///
    /// The stream never ends by itself. While a read fails it is silent, and goes on with the next one that does not: what went wrong is in the
    /// state of the request's store.
    func observeCurrentTotal() -> AsyncStream<DailyTotal>
}
