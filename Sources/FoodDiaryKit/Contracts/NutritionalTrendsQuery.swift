/// How somebody eats on average, and what. Answers within a second for 90 days; always as the diary is now.
public protocol NutritionalTrendsQuery: Sendable {
    /// The energy of a day with entries, on average; `nil` if there is none.
    func averageDailyCalories(in days: ClosedRange<FoodDay>) async throws -> Double?

    /// Protein, carbohydrates and fat of a day with entries, on average; `nil` if there is none.
    func averageDailyMacros(in days: ClosedRange<FoodDay>) async throws -> Macronutrients?

    /// What was eaten most, by the number of entries.
    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption]
}
