import FoodDiaryKit
package import Foundation
package import QueryKit

/// Today as it is shown while it changes: the screen, and what goes on behind it.
package struct LiveDay: Hashable, Sendable {
    /// `nil` until the first entries are there.
    package let screen: DayScreen?
    package let isRefreshing: Bool

    /// What went wrong last, while the screen keeps what it had.
    package let failure: String?

    /// Why what is shown is shown.
    package let cause: String
    package let updatedAt: Date?
}

/// Stands between the live screen and the requests for today: the screen knows no client, and the requests no screen.
package struct DayViewModel: Sendable {
    private let entries: QueryStore<FoodEntry.List>
    private let total: QueryStore<QueryState<DailyTotal?, DailyTotal>>

    package init(_ client: QueryClient) {
        entries = client.store(for: FoodEntry.today)
        total = client.store(for: DailyTotal.today)
    }

    /// Today now, and again whenever anything of it changes, by whatever process, until it is no longer read. Who is slow sees the newest.
    package func days() -> AsyncMapSequence<AsyncStream<Void>, LiveDay> {
        // Only the word is passed on, and what is shown is looked at by the one who shows it: two stores tell on their own threads, and of two pictures
        // that they had taken the older one might arrive last.
        let changes = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let entriesHandler = QueryEventHandler<FoodEntry.List> { _, _ in continuation.yield() }
            let totalHandler = QueryEventHandler<QueryState<DailyTotal?, DailyTotal>> { _, _ in continuation.yield() }
            let subscriptions = [entries.subscribe(with: entriesHandler), total.subscribe(with: totalHandler)]
            continuation.onTermination = { _ in for subscription in subscriptions { subscription.cancel() } }
        }
        return changes.map { current }
    }

    package var current: LiveDay {
        let (entries, total) = (entries.state, total.state)
        let screen: DayScreen? =
            if let shown = entries.value, let sum = total.value {
                // At midnight, too, they arrive one after the other.
                DayScreen(day: shown.first?.day ?? sum.day, entries: shown, total: sum.belonging(to: shown))
            } else {
                nil
            }
        return LiveDay(
            screen: screen,
            isRefreshing: entries.isFetching || total.isFetching,
            failure: (entries.error ?? total.error).map { Failure($0).message },
            cause: CauseText.sentence(entries.cause),
            updatedAt: entries.valueUpdatedAt
        )
    }
}

extension DailyTotal {
    /// The total if it is that of these entries, else their sum: a commit changes both, and they arrive one after the other.
    fileprivate func belonging(to entries: [FoodEntry]) -> DailyTotal {
        let nutrients = entries.reduce(Nutrients.zero) { $0 + $1.nutrients }
        guard entries.count != entryCount || nutrients != self.nutrients else { return self }
        let confidence = entries.reduce(0) { $0 + $1.confidence } / Double(max(entries.count, 1))
        return DailyTotal(
            day: entries.first?.day ?? day,
            entryCount: entries.count,
            nutrients: nutrients,
            averageConfidence: entries.isEmpty ? nil : confidence
        )
    }
}
