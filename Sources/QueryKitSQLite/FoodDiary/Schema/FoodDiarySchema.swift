import FoodDiaryKit
public import QueryKitSQLite

/// The schema of a food diary.
///
/// ```swift
/// let database = try await SQLiteDatabase.open(
///     .file(url),
///     migrations: FoodDiarySchema.migrations,
///     configuration: FoodDiarySchema.configuration()
/// )
/// ```
///
/// `SQLiteDatabase.openFoodDiary(_:configuration:)` does the same. An app with its own tables appends its migrations.
public enum FoodDiarySchema {
    /// The migrations that create the tables of this version, in order.
    public static let migrations: SQLiteMigrations = [
        ingredients, entries, IngredientIndex.migration, IngredientIndex.rulesMigration, bounds,
    ]

    /// The tables for which commits report the changed days.
    public static let partitions = [
        SQLitePartition(table: "entries", column: "day"),
        SQLitePartition(table: "daily_totals", column: "day"),
        SQLitePartition(table: "hourly_counts", column: "day"),
    ]

    /// Tables with data that is derived from entries and ingredients.
    static let derivedTables: Set<String> = [
        "daily_totals", "hourly_counts", "ingredient_names", "ingredient_terms", "ingredient_terms_version",
    ]

    /// Whether these tables and migrations belong to another program.
    static func isForeign(_ tables: Set<String>, _ migrations: Set<String>) -> Bool {
        guard tables.isDisjoint(with: derivedTables.union(["logged_calls"])) else { return false }
        // QueryKitSQLite has created the file, but its list of migrations is lost.
        if migrations.isEmpty, tables.contains("querykit_changes") { return false }
        return migrations.isDisjoint(with: self.migrations.names)
    }

    // Ids are never reused: the id of a deleted row must not refer to another one later. Amounts are integers in thousandths, so that sums
    // are exact. Lists are stored in one column with one element per line: they are read with their row or not at all, and names contain no
    // line breaks.
    private static let ingredients = SQLiteMigration(
        "food diary: ingredients",
        """
        CREATE TABLE ingredients (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            name_key TEXT NOT NULL UNIQUE,
            aliases TEXT NOT NULL DEFAULT '',
            category TEXT NOT NULL,
            kilocalories INTEGER NOT NULL CHECK (kilocalories >= 0),
            protein INTEGER NOT NULL CHECK (protein >= 0),
            carbohydrates INTEGER NOT NULL CHECK (carbohydrates >= 0),
            fat INTEGER NOT NULL CHECK (fat >= 0),
            fiber INTEGER NOT NULL CHECK (fiber >= 0),
            sugar INTEGER NOT NULL CHECK (sugar >= 0),
            salt INTEGER NOT NULL CHECK (salt >= 0),
            portions TEXT NOT NULL DEFAULT '',
            usage_count INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX ingredients_by_usage ON ingredients (usage_count DESC, id);
        """
    )

    // The hour is the local hour at the time of logging, which later changes of the time zone don't affect. A call that may be repeated is
    // stored with the entries that it logged.
    private static let entries = SQLiteMigration(
        "food diary: entries and their totals",
        """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            day INTEGER NOT NULL,
            logged_at INTEGER NOT NULL,
            hour INTEGER NOT NULL CHECK (hour BETWEEN 0 AND 23),
            time_zone TEXT NOT NULL,
            ingredient INTEGER REFERENCES ingredients ON DELETE SET NULL,
            name TEXT NOT NULL,
            grams INTEGER NOT NULL CHECK (grams > 0),
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 1000)
        ) STRICT;
        CREATE INDEX entries_by_day ON entries (day, logged_at);
        CREATE INDEX entries_by_ingredient ON entries (ingredient) WHERE ingredient IS NOT NULL;

        CREATE TABLE daily_totals (
            day INTEGER PRIMARY KEY,
            entry_count INTEGER NOT NULL,
            kilocalories INTEGER NOT NULL,
            protein INTEGER NOT NULL,
            carbohydrates INTEGER NOT NULL,
            fat INTEGER NOT NULL,
            fiber INTEGER NOT NULL,
            sugar INTEGER NOT NULL,
            salt INTEGER NOT NULL,
            confidence INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE hourly_counts (
            day INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            entry_count INTEGER NOT NULL,
            PRIMARY KEY (day, hour)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE logged_calls (
            call BLOB NOT NULL,
            position INTEGER NOT NULL,
            entry INTEGER NOT NULL,
            PRIMARY KEY (call, position)
        ) STRICT, WITHOUT ROWID;
        """
    )
}
