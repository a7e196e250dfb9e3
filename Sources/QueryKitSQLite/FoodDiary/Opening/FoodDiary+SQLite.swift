public import FoodDiaryKit
public import QueryKit
public import QueryKitSQLite

extension FoodDiary {
    /// The database of the diary, if the diary was opened on one.
    public var database: SQLiteDatabase? { client.context[DiaryDatabase.self] }

    /// Opens a diary in a database, with a client that follows each commit. Creates the database if it doesn't exist.
    ///
    /// - Parameters:
    ///   - location: Where the database is stored.
    ///   - context: The environment of the client: clock, time zone, activity. Default: an empty context, which the client completes from
    ///     the system.
    ///   - configuration: The settings of the client. Default: `FoodDiary.configuration(_:)`.
    ///   - databaseConfiguration: The settings of the database.
    public static func open(
        _ location: SQLiteDatabase.Location,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration(),
        databaseConfiguration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()
    ) async throws -> FoodDiary {
        let database = try await SQLiteDatabase.openFoodDiary(location, configuration: databaseConfiguration)
        var context = context
        context.foodDiary = FoodDiaryRepositories(database)
        context[DiaryDatabase.self] = database
        let client = QueryClient(context: context, configuration: configuration)
        client.connect(to: database)
        return FoodDiary(client: client)
    }
}

extension FoodDiaryRepositories {
    /// The repositories of a database with the tables of ``FoodDiarySchema``.
    ///
    /// ```swift
    /// let database = try await SQLiteDatabase.openFoodDiary(.file(url))
    /// let repositories = FoodDiaryRepositories(database)
    /// ```
    public init(_ database: SQLiteDatabase) {
        self.init(
            entries: SQLiteFoodEntryRepository(database),
            totals: SQLiteDailyTotalRepository(database),
            ingredients: SQLiteIngredientRepository(database),
            nutrition: SQLiteNutritionRepository(database)
        )
    }
}

private enum DiaryDatabase: QueryContext.Key {
    static var defaultValue: SQLiteDatabase? { nil }
}
