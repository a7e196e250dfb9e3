/// The four repositories of one diary: in memory, over a database (see the module FoodDiarySQLite), or an app's own.
///
/// ```swift
/// let repositories = FoodDiaryRepositories(InMemoryFoodDiary())
/// let entries = try await repositories.entries.entries(on: today)
/// ```
public struct FoodDiaryRepositories: Sendable {
    /// What was eaten.
    public var entries: any FoodEntryRepository

    /// What that comes to, day by day.
    public var totals: any DailyTotalRepository

    /// What can be eaten.
    public var ingredients: any IngredientRepository

    /// What can be said of many days.
    public var nutrition: any NutritionRepository

    /// Repositories of an app's own.
    public init(
        entries: any FoodEntryRepository,
        totals: any DailyTotalRepository,
        ingredients: any IngredientRepository,
        nutrition: any NutritionRepository
    ) {
        self.entries = entries
        self.totals = totals
        self.ingredients = ingredients
        self.nutrition = nutrition
    }
}
