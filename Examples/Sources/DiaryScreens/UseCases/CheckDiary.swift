package import FoodDiaryKit
import QueryKitSQLite

/// Checks the derived data of a diary, and rebuilds it on request.
package struct CheckDiary: Sendable {
    /// The result of a check or a rebuild.
    package struct Outcome: Sendable {
        /// The errors that exist now.
        package let check: FoodDiaryCheck

        /// The errors before the rebuild; `nil` without a rebuild, or if they couldn't be determined.
        package var mended: FoodDiaryCheck?

        /// Whether the derived data was rebuilt.
        package var isRebuilt = false
    }

    private let totals: any DailyTotalRepository

    package init(_ repositories: FoodDiaryRepositories) { totals = repositories.totals }

    /// Checks, without changing anything.
    package func check() async throws -> Outcome { Outcome(check: try await totals.check()) }

    /// Rebuilds everything, regardless of the errors found, and checks again.
    package func rebuild() async throws -> Outcome {
        var found: FoodDiaryCheck?
        // An index that can't be read needs the rebuild even more.
        do { found = try await totals.check() } catch is SQLiteError {}
        try await totals.rebuild()
        return Outcome(check: try await totals.check(), mended: found, isRebuilt: true)
    }
}
