import QueryKit

/// Today's entries, newest first, and their total, both read at one moment of the diary.
public struct TodayOverview: Hashable, Sendable {
    public let entries: [FoodEntry]
    public let total: DailyTotal

    /// `nil` if the entries and the total are of different days: at midnight one of them is read before the other.
    init?(_ entries: [FoodEntry]?, _ total: DailyTotal?) {
        guard let entries, let total, entries.count == total.entryCount, entries.allSatisfy({ $0.day == total.day }) else { return nil }
        (self.entries, self.total) = (entries, total)
    }
}

extension FoodDiary {
    /// Today's entries with their total, now and each time they change. A commit changes both in one step.
    ///
    /// ```swift
    /// for await today in diary.observeToday() {
    ///     show(today.entries, today.total)
    /// }
    /// ```
    ///
    /// The stream ends only when you stop reading it. It buffers only the newest value. While reads fail, it yields nothing.
    public func observeToday() -> AsyncStream<TodayOverview> {
        let days = QueryCombination(
            client.store(for: FoodEntry.today.consistent()),
            client.store(for: DailyTotal.today.consistent())
        ) { entries, total in TodayOverview(entries.value, total.value) }
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // Cancelled when the stream is no longer read. The task retains the diary, because without the client the stores would publish
            // nothing.
            let task = Task { [self] in
                for await day in days {
                    if let day { continuation.yield(day) }
                }
                withExtendedLifetime(self) {}
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
