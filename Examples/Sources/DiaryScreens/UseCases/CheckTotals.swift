package import QueryKitSQLite

/// Compares the totals that a diary keeps with the sums of its entries, a month at a time.
package struct CheckTotals: Sendable {
    private static let daysAtOnce = 31
    private let repositories: FoodDiaryRepositories

    package init(_ repositories: FoodDiaryRepositories) { self.repositories = repositories }

    /// The days whose total is wrong, of days from the first entry to the last. Nothing is changed.
    package func wrongDays(in days: ClosedRange<FoodDay>, progress: @Sendable (Double) async -> Void = { _ in }) async throws -> [FoodDay] {
        var wrong: [FoodDay] = []
        var first = days.lowerBound
        while first <= days.upperBound {
            try Task.checkCancellation()
            let last = min(first.advanced(by: Self.daysAtOnce - 1), days.upperBound)
            wrong += try await wrongDays(between: first...last)
            await progress(Double(days.lowerBound.distance(to: last)) / Double(max(1, days.lowerBound.distance(to: days.upperBound))))
            guard last < days.upperBound else { break }
            first = last.advanced(by: 1)
        }
        return wrong
    }

    private func wrongDays(between days: ClosedRange<FoodDay>) async throws -> [FoodDay] {
        let totals = try await repositories.totals.totals(in: days, limit: Self.daysAtOnce)
        var kept = Dictionary(totals.map { ($0.day, ($0.entryCount, $0.nutrients)) }) { first, _ in first }
        var sums: [FoodDay: (Int, Nutrients)] = [:]
        var position: FoodEntry.Position?
        repeat {
            let page = try await repositories.entries.entries(in: days, below: position, limit: 2_000)
            for entry in page {
                let (count, sum) = sums[entry.day] ?? (0, .zero)
                sums[entry.day] = (count + 1, sum + entry.nutrients)
            }
            position = page.count == 2_000 ? page.last?.position : nil
        } while position != nil
        var wrong: [FoodDay] = []
        for (day, sum) in sums {
            let total = kept.removeValue(forKey: day)
            if total?.0 != sum.0 || total?.1 != sum.1 { wrong.append(day) }
        }
        return (wrong + kept.filter { $0.value.0 != 0 }.keys).sorted()
    }
}
