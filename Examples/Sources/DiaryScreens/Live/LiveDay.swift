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

extension LiveDay {
    /// Before anything is read.
    package static let empty = LiveDay(screen: nil, isRefreshing: true, failure: nil, cause: "", updatedAt: nil)

    fileprivate init(_ entries: FoodEntry.List, _ total: QueryState<DailyTotal?, DailyTotal>) {
        let screen: DayScreen? =
            if let shown = entries.value, let sum = total.value {
                DayScreen(day: shown.first?.day ?? sum.day, entries: shown, total: sum)
            } else {
                nil
            }
        self.init(
            screen: screen,
            isRefreshing: entries.isFetching || total.isFetching,
            failure: (entries.error ?? total.error).map { Failure($0).message },
            cause: CauseText.sentence(entries.cause),
            updatedAt: entries.valueUpdatedAt
        )
    }
}

/// Stands between the live screen and the requests for today: the screen knows no client, and the requests no screen.
package struct DayViewModel: Sendable {
    private let entries: QueryStore<FoodEntry.List>
    private let total: QueryStore<QueryState<DailyTotal?, DailyTotal>>

    package init(_ client: QueryClient) {
        // A commit changes both: they are shown as of one moment.
        entries = client.store(for: FoodEntry.today.consistent())
        total = client.store(for: DailyTotal.today.consistent())
    }

    /// Today now, and again whenever anything of it changes, by whatever process, until it is no longer read. Who is slow sees the newest.
    package func days() -> QueryCombination<LiveDay> { QueryCombination(entries, total) { LiveDay($0, $1) } }
}
