import QueryKit

/// Today's entries, newest first, and their total, both read at one moment of the diary.
///
/// The total is shown as it is stored. If another program has changed the file, it may differ from the sum of the entries:
/// ``DailyTotalRepository/check()`` finds that, and ``DailyTotalRepository/rebuild()`` repairs it.
public struct TodayOverview: Hashable, Sendable {
    public let entries: [FoodEntry]
    public let total: DailyTotal

    /// `nil` until both have been read, and while a read fails: a failed read leaves an older value.
    init?(_ entries: FoodEntry.List, _ total: QueryState<DailyTotal?, DailyTotal>) {
        guard let shown = entries.value, let sum = total.value, !entries.isFailing, !total.isFailing else { return nil }
        (self.entries, self.total) = (shown, sum)
    }
}

extension FoodDiary {
    /// Today's entries with their total, now and each time they change. A commit changes both in one step, and so does midnight.
    ///
    /// ```swift
    /// for await today in diary.observeToday() {
    ///     show(today.entries, today.total)
    /// }
    /// ```
    ///
    /// The stream ends only when you stop reading it. It buffers only the newest value. While reads fail, it yields nothing. If one of the
    /// two reads takes longer than the client's `consistencyLimit`, its result is shown later than that of the other read.
    public func observeToday() -> AsyncStream<TodayOverview> {
        let days = QueryCombination(
            client.store(for: FoodEntry.today.consistent()),
            client.store(for: DailyTotal.today.consistent())
        ) { TodayOverview($0, $1) }
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

extension QueryState {
    /// Whether the latest run or attempt has failed.
    fileprivate var isFailing: Bool { error != nil || failureReason != nil }
}
