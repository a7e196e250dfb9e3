/// Computes statistics over many days: sums, averages, the ingredients eaten most, and the times of day.
public protocol NutritionRepository: Sendable {
    /// The summary of a range of days.
    func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary

    /// The ingredients eaten most, by number of entries, then by weight.
    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption]

    /// The number of entries in each hour of the day: 24 numbers, starting with the hour after midnight.
    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int]
}
