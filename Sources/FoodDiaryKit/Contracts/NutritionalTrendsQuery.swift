/// Averages, and the ingredients eaten most. Returns within a second for 90 days, and always reads the diary.
public protocol NutritionalTrendsQuery: Sendable {
    /// The average energy per day with entries; `nil` if there are no entries.
    func averageDailyCalories(in days: ClosedRange<FoodDay>) async throws -> Double?

    /// Average protein, carbohydrates and fat per day with entries; `nil` if there are no entries.
    func averageDailyMacros(in days: ClosedRange<FoodDay>) async throws -> Macronutrients?

    /// The ingredients eaten most, by number of entries.
    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption]
}
