import FoodDiaryKit
public import QueryKitSQLite

extension SQLiteDatabase {
    /// Opens a database with the tables of a food diary. Creates the file if it doesn't exist, and applies the migrations that it lacks.
    ///
    /// - Parameters:
    ///   - location: Where the database is stored.
    ///   - configuration: The settings of the database. The settings that a diary needs are added, see
    ///     ``FoodDiarySchema/configuration(_:)``.
    public static func openFoodDiary(_ location: Location, configuration: Configuration = Configuration()) async throws -> SQLiteDatabase {
        var configuration = FoodDiarySchema.configuration(configuration)
        configuration.isForeign = FoodDiarySchema.isForeign
        let database = try await open(location, migrations: FoodDiarySchema.migrations, configuration: configuration)
        if database.report.migrated.contains(FoodDiarySchema.bounds.name) { try await DiaryLosses.reportOutOfBounds(in: database) }
        return database
    }
}

extension FoodDiarySchema {
    /// Returns a configuration with the settings that a diary needs: its partitions, and the rebuild of its index after damage, or after an
    /// update of the app or the system that changes how names are split into words.
    ///
    /// - Parameter base: The configuration to which these settings are added. Default: the default configuration.
    public static func configuration(_ base: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()) -> SQLiteDatabase.Configuration
    {
        var configuration = base
        configuration.partitions += partitions.filter { !configuration.partitions.contains($0) }
        configuration.rebuild = { db in
            try base.rebuild?(db)
            try rebuild(in: db)
        }
        configuration.derivedTables.formUnion(derivedTables)
        configuration.losses = DiaryLosses.missing
        configuration.upkeep = SQLiteDatabase.Upkeep(isDue: IngredientIndex.isOutdated, carryOut: { try IngredientIndex.rebuild(in: $0) })
        return configuration
    }

    /// Rebuilds all derived data from scratch, because the existing data may have been saved from a damaged file.
    ///
    /// - Parameter pause: Called between the steps; an error that it throws ends the rebuild.
    static func rebuild(in db: SQLiteWriteTransaction, between pause: () throws -> Void = {}) throws {
        // A lost ingredient is treated like a deleted one: its entries keep their name. Otherwise they couldn't be edited.
        try db.execute("UPDATE entries SET ingredient = NULL WHERE ingredient NOT IN (SELECT id FROM ingredients)")
        try db.execute(
            """
            UPDATE ingredients SET usage_count = u.entry_count
            FROM (SELECT i.id, (SELECT count(*) FROM entries AS e WHERE e.ingredient = i.id) AS entry_count FROM ingredients AS i) AS u
            WHERE u.id = ingredients.id AND u.entry_count <> ingredients.usage_count
            """
        )
        try pause()
        try IngredientIndex.rebuild(in: db, checking: pause)
        try pause()
        try DailyTotal.rebuild(in: db)
        try pause()
    }
}
