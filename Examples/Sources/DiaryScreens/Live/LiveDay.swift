import FoodDiaryKit
package import Foundation
package import QueryKit

/// The state of the live screen of today: its content, and the state of its requests.
package struct LiveDay: Hashable, Sendable {
    /// `nil` until the first entries have been read.
    package let screen: DayScreen?
    package let isRefreshing: Bool

    /// The latest error. The screen keeps its last content.
    package let failure: String?

    /// The cause of the latest change.
    package let cause: String
    package let updatedAt: Date?
}

extension LiveDay {
    /// The state before anything is read.
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

/// Connects the live screen with the requests for today, so that neither depends on the other.
package struct DayViewModel: Sendable {
    private let entries: QueryStore<FoodEntry.List>
    private let total: QueryStore<QueryState<DailyTotal?, DailyTotal>>

    package init(_ client: QueryClient) {
        // A commit changes both, and they are shown as of one moment.
        entries = client.store(for: FoodEntry.today.consistent())
        total = client.store(for: DailyTotal.today.consistent())
    }

    /// Today's state, now and after each change by any process, until you stop reading. A slow reader gets only the newest state.
    package func days() -> QueryCombination<LiveDay> { QueryCombination(entries, total) { LiveDay($0, $1) } }
}
