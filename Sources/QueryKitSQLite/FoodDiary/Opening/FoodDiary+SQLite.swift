public import FoodDiaryKit
public import QueryKit
public import QueryKitSQLite

extension FoodDiary {
    /// The database beneath, if the diary was opened on one.
    public var database: SQLiteDatabase? { client.context[DiaryDatabase.self] }

    /// Opens a diary in a database, makes it if it is not there, with a client that follows each commit.
    ///
    /// - Parameters:
    ///   - location: Where it lies.
    ///   - context: What the client finds around it: clock, time zone, activity. Default: an empty one, which the client completes from the system.
    ///   - configuration: How the client works. Default: `FoodDiary.configuration(_:)`.
    ///   - databaseConfiguration: How the database is opened.
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
    /// The repositories of a database, which has the tables of ``FoodDiarySchema``.
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
