package import FoodDiaryKit
import QueryKitSQLite

/// Looks whether all that a diary keeps beside its entries is right, and makes it anew if somebody wants that.
package struct CheckDiary: Sendable {
    /// What was found, and what was done.
    package struct Outcome: Sendable {
        /// What is wrong now.
        package let check: FoodDiaryCheck

        /// What was wrong before all was made anew; `nil` if it was not, or if nobody could tell any more.
        package var mended: FoodDiaryCheck?

        /// Whether all was made anew.
        package var isRebuilt = false
    }

    private let totals: any DailyTotalRepository

    package init(_ repositories: FoodDiaryRepositories) { totals = repositories.totals }

    /// Looks, and changes nothing.
    package func check() async throws -> Outcome { Outcome(check: try await totals.check()) }

    /// Makes all anew, whatever was found, and looks once more.
    package func rebuild() async throws -> Outcome {
        var found: FoodDiaryCheck?
        // An index that can not even be read is the more in need of it.
        do { found = try await totals.check() } catch is SQLiteError {}
        try await totals.rebuild()
        return Outcome(check: try await totals.check(), mended: found, isRebuilt: true)
    }
}
