package import FoodDiaryKit
package import Foundation

/// The length of a trend.
package enum TrendSpan: String, CaseIterable, Hashable, Identifiable, Sendable {
    case week, month

    package var id: Self { self }

    /// The days of the span that contains a day, or of one some spans earlier.
    package func days(_ count: Int, before day: FoodDay, in calendar: Calendar) -> ClosedRange<
        FoodDay
    > {
        switch self {
        case .week: day.advanced(by: -7 * count).week(startingOn: FoodWeekday(firstOf: calendar))
        case .month: FoodMonth(day).advanced(by: -count).days
        }
    }
}

/// A week or a month of the diary.
package struct Trend: Hashable, Sendable {
    /// The energy of one day.
    package struct Day: Hashable, Identifiable, Sendable {
        package let day: FoodDay
        package let kilocalories: Double

        package var id: FoodDay { day }
    }

    /// All days of the span, oldest first. A day without entries has no energy.
    package let days: [Day]
    /// The average of the days with entries; `nil` if there are none.
    package let average: Nutrients?
    /// The ingredients eaten most.
    package let favorites: [IngredientConsumption]

    package var highest: Double { days.map(\.kilocalories).max() ?? 0 }
    package var isEmpty: Bool { average == nil }

    init(
        _ days: ClosedRange<FoodDay>,
        totals: [DailyTotal],
        summary: NutritionalSummary,
        favorites: [IngredientConsumption]
    ) {
        let energy = Dictionary(
            uniqueKeysWithValues: totals.map { ($0.day, $0.nutrients.kilocalories) }
        )
        self.days = days.map { Day(day: $0, kilocalories: energy[$0] ?? 0) }
        average = summary.averagePerDay
        self.favorites = favorites
    }
}
