#if Postgres
public import FoodDiaryKit
public import QueryKit
public import QueryKitPostgres

extension FoodDiary {
    /// The PostgreSQL database of the diary, if the diary was opened on one.
    public var postgresDatabase: PostgresDatabase? { client.context[DiaryPostgresDatabase.self] }

    /// Opens a diary in a PostgreSQL database, with a client that follows the commits of all machines. Creates the tables if they don't
    /// exist.
    ///
    /// ```swift
    /// let diary = try await FoodDiary.open(postgres: "postgresql://diary@db.example.com/diary?sslmode=verify-full")
    /// ```
    ///
    /// - Parameters:
    ///   - url: The connection string of the database.
    ///   - context: The environment of the client: clock, time zone, activity. Default: an empty context, which the client completes from
    ///     the system.
    ///   - configuration: The settings of the client. Default: `FoodDiary.configuration(_:)`.
    ///   - databaseConfiguration: The settings of the database.
    public static func open(
        postgres url: String,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration(),
        databaseConfiguration: PostgresDatabase.Configuration = PostgresDatabase.Configuration()
    ) async throws -> FoodDiary {
        let database = try await PostgresDatabase.openFoodDiary(url, configuration: databaseConfiguration)
        var context = context
        context.foodDiary = FoodDiaryRepositories(database)
        context[DiaryPostgresDatabase.self] = database
        let client = QueryClient(context: context, configuration: configuration)
        client.connect(to: database)
        return FoodDiary(client: client)
    }
}

private enum DiaryPostgresDatabase: QueryContext.Key {
    static var defaultValue: PostgresDatabase? { nil }
}
#endif
