import FoodDiaryKit
public import QueryKitSQLite

extension SQLiteDatabase {
    /// Opens a database with the tables of a food diary, makes it if it is not there, and brings it up to date.
    ///
    /// - Parameters:
    ///   - location: Where it lies.
    ///   - configuration: How it is opened. What a diary needs is added, see ``FoodDiarySchema/configuration(_:)``.
    public static func openFoodDiary(_ location: Location, configuration: Configuration = Configuration()) async throws -> SQLiteDatabase {
        var configuration = FoodDiarySchema.configuration(configuration)
        configuration.isForeign = FoodDiarySchema.isForeign
        let database = try await open(location, migrations: FoodDiarySchema.migrations, configuration: configuration)
        if database.report.migrated.contains(FoodDiarySchema.bounds.name) { try await DiaryLosses.reportOutOfBounds(in: database) }
        return database
    }
}

extension FoodDiarySchema {
    /// A configuration with what a diary needs: its partitions, and what makes its index anew after damage, and when it is opened by a version of the app
    /// or the system that reads names otherwise than the one before. Default: of one that is as usual.
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

    /// Makes anew what follows from other tables, whatever is there: these may have been saved from a damaged file.
    ///
    /// - Parameter pause: Called between the steps; what it throws ends them.
    static func rebuild(in db: SQLiteWriteTransaction, between pause: () throws -> Void = {}) throws {
        // An ingredient that was lost is one that was deleted: entries keep their name. Else nobody could edit them.
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
