/// The four repositories of one diary.
///
/// ```swift
/// let database = try await SQLiteDatabase.openFoodDiary(.file(url))
/// let repositories = FoodDiaryRepositories(database)
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

    /// The repositories of a database, which has the tables of ``FoodDiarySchema``.
    public init(_ database: SQLiteDatabase) {
        self.init(
            entries: SQLiteFoodEntryRepository(database),
            totals: SQLiteDailyTotalRepository(database),
            ingredients: SQLiteIngredientRepository(database),
            nutrition: SQLiteNutritionRepository(database)
        )
    }

    /// A diary in memory, as all four.
    public init(_ diary: InMemoryFoodDiary) {
        self.init(entries: diary, totals: diary, ingredients: diary, nutrition: diary)
    }
}
