/// The four repositories of one diary: in memory, over a database (see the module FoodDiarySQLite), or an app's own.
///
/// ```swift
/// let repositories = FoodDiaryRepositories(InMemoryFoodDiary())
/// let entries = try await repositories.entries.entries(on: today)
/// ```
public struct FoodDiaryRepositories: Sendable {
    /// The entries.
    public var entries: any FoodEntryRepository

    /// The totals of days.
    public var totals: any DailyTotalRepository

    /// The ingredients.
    public var ingredients: any IngredientRepository

    /// The statistics over many days.
    public var nutrition: any NutritionRepository

    /// Combines four repositories.
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
