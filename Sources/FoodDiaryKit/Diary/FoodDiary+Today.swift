import QueryKit

/// What was eaten today, newest first, and what it comes to, as of one moment of the diary.
public struct TodayOverview: Hashable, Sendable {
    public let entries: [FoodEntry]
    public let total: DailyTotal

    /// `nil` for entries and a total that are not of one day: at midnight they are read one after the other.
    init?(_ entries: [FoodEntry]?, _ total: DailyTotal?) {
        guard let entries, let total, entries.count == total.entryCount, entries.allSatisfy({ $0.day == total.day }) else { return nil }
        (self.entries, self.total) = (entries, total)
    }
}

extension FoodDiary {
    /// Today's entries with their total, now and again each time they change. A commit changes both in one step.
    ///
    /// ```swift
    /// for await today in diary.observeToday() { show(today.entries, today.total) }
    /// ```
    ///
    /// The stream never ends by itself, and holds the newest that was not read yet. While a read fails it is silent.
    public func observeToday() -> AsyncStream<TodayOverview> {
        let days = QueryCombination(
            client.store(for: FoodEntry.today.consistent()),
            client.store(for: DailyTotal.today.consistent())
        ) { entries, total in TodayOverview(entries.value, total.value) }
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // Cancelled when the stream is no longer read. It keeps the diary: without its client the stores would fall silent.
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
