/// What can be said of many days: sums, averages, what was eaten most, and when.
public protocol NutritionRepository: Sendable {
    /// What was eaten over some days.
    func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary

    /// What was eaten most, by the number of entries, then by weight.
    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption]

    /// How many entries there are at each hour of the day: 24 numbers, the first for the hour after midnight.
    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int]
}
