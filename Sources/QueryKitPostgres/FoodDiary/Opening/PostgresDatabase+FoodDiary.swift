#if Postgres
public import FoodDiaryKit
public import QueryKitPostgres

extension PostgresDatabase {
    /// Opens a database with the tables of a food diary, and applies the migrations that it lacks. The database itself must exist.
    ///
    /// - Parameters:
    ///   - url: The connection string, such as `postgresql://diary@db.example.com/diary`.
    ///   - configuration: The settings of the database. The partitions of a diary are added, see
    ///     ``FoodDiaryPostgresSchema/configuration(_:)``.
    public static func openFoodDiary(_ url: String, configuration: Configuration = Configuration()) async throws -> PostgresDatabase {
        let database = try await open(
            url,
            migrations: FoodDiaryPostgresSchema.migrations,
            configuration: FoodDiaryPostgresSchema.configuration(configuration)
        )
        do {
            let isOutdated = try await database.read { db in try await IngredientIndex.isOutdated(in: db) }
            if isOutdated {
                try await database.write { db in
                    // Of several machines that start at once, one rebuilds the index.
                    try await db.execute("LOCK TABLE ingredients IN SHARE ROW EXCLUSIVE MODE")
                    if try await IngredientIndex.isOutdated(in: db) { try await IngredientIndex.rebuild(in: db) }
                }
            }
            return database
        } catch {
            await database.close()
            throw error
        }
    }
}

extension FoodDiaryRepositories {
    /// The repositories of a database with the tables of ``FoodDiaryPostgresSchema``.
    ///
    /// ```swift
    /// let database = try await PostgresDatabase.openFoodDiary(url)
    /// let repositories = FoodDiaryRepositories(database)
    /// ```
    public init(_ database: PostgresDatabase) {
        self.init(
            entries: PostgresFoodEntryRepository(database),
            totals: PostgresDailyTotalRepository(database),
            ingredients: PostgresIngredientRepository(database),
            nutrition: PostgresNutritionRepository(database)
        )
    }
}

extension FoodDiaryPostgresSchema {
    /// Returns a configuration with what a diary needs: the declaration of its partitions.
    ///
    /// - Parameter base: The configuration to which the partitions are added. Default: the default configuration.
    public static func configuration(
        _ base: PostgresDatabase.Configuration = PostgresDatabase.Configuration()
    ) -> PostgresDatabase.Configuration {
        var configuration = base
        configuration.partitions += partitions.filter { !configuration.partitions.contains($0) }
        return configuration
    }
}
#endif
