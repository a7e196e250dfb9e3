import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// A diary whose file was damaged: numbers that no diary writes, and missing parts of its schema.
struct DamagedDiaryTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() async throws {
        folder = try TemporaryFolder()
        url = folder.file("diary.sqlite")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        let diary = FoodDiaryRepositories(database)
        let rice = try await diary.save(Meal.ingredient("Basmati Rice"))
        _ = try await diary.entries.add(
            [Meal.draft("a", .ingredient(rice.id), at: 8), Meal.draft("b", at: 9), Meal.draft("c", on: Meal.day.advanced(by: 1))],
            key: UUID()
        )
        await database.close()
    }

    /// Changes the file as another program would, and closes it. Constraints don't stop damage either.
    private func change(_ statement: String) throws {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        try connection.run("PRAGMA ignore_check_constraints = 1")
        try connection.run("PRAGMA foreign_keys = 0")
        try connection.run(statement)
    }

    /// Everything that the screens read.
    private func useAll(_ database: SQLiteDatabase) async throws {
        let diary = FoodDiaryRepositories(database)
        let days = FoodDay.range
        _ = try await diary.entries.recentEntries(limit: 100)
        _ = try await diary.totals.totals(in: days, limit: 100)
        _ = try await diary.nutrition.summary(in: days)
        _ = try await diary.nutrition.mostConsumedIngredients(in: days, limit: 9)
        _ = try await diary.nutrition.entriesByHourOfDay(in: days)
        _ = try await diary.ingredients.search("rice", category: nil, limit: 9)
        _ = try await diary.ingredients.popularIngredients(limit: 9)
        _ = try await diary.entries.add([Meal.draft("new", at: 10)], key: UUID())
    }

    static let columns: [(table: String, column: String)] = [
        ("ingredients", "id"), ("ingredients", "kilocalories"), ("ingredients", "usage_count"), ("entries", "id"), ("entries", "day"),
        ("entries", "logged_at"), ("entries", "hour"), ("entries", "ingredient"), ("entries", "grams"), ("entries", "kilocalories"),
        ("entries", "salt"), ("entries", "confidence"), ("daily_totals", "day"), ("daily_totals", "entry_count"), ("daily_totals", "fat"),
        ("daily_totals", "confidence"), ("hourly_counts", "day"), ("hourly_counts", "hour"), ("hourly_counts", "entry_count"),
        ("logged_calls", "position"), ("logged_calls", "entry"), ("ingredient_names", "rank"), ("ingredient_terms", "id"),
        ("ingredient_terms_version", "version"), ("ingredient_terms_version", "rules"), ("querykit_changes", "number"),
        ("querykit_migrations", "position"),
    ]

    /// Every column with every value; in the short form, each column with one of them.
    private static let limits: [(Int, Int64)] = columns.indices.flatMap { index in
        let values = [Int64.max, .min, 20_261_399]
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        return (isLong ? values : [values[index % 3]]).map { (index, $0) }
    }

    @Test(arguments: limits)
    func `D9 a number at its limits causes a recovery or changes nothing, and the diary remains usable`(_ index: Int, _ value: Int64)
        async throws
    {
        let (table, column) = Self.columns[index]
        let key = table == "entries" ? "WHERE name = 'b'" : table == "hourly_counts" ? "WHERE hour = 8" : ""
        let first = [
            "daily_totals": " WHERE day = 20261121", "logged_calls": " WHERE position = 0",
            "ingredient_names": " WHERE key = (SELECT min(key) FROM ingredient_names)",
        ]
        let rows = table.hasPrefix("querykit") ? " WHERE rowid = (SELECT max(rowid) FROM \(table))" : first[table] ?? " \(key)"
        try change("UPDATE \(table) SET \(column) = \(value)\(table == "ingredient_terms" ? " WHERE id = 1" : rows)")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        try await useAll(database)
        // Wrong values that are not damage of the file are repaired with the totals.
        _ = try await database.integrityCheck()
        try await FoodDiaryRepositories(database).totals.rebuild()
        #expect(try await database.integrityCheck() == [])
        #expect(try await FoodDiaryRepositories(database).totals.check().isSound)
        try await useAll(database)
        let names = try await database.read { db in Set(try db.values(String.self, "SELECT name FROM entries")) }
        let isLost = database.report.unacknowledged.contains { $0.missing["entries"] ?? 0 > 0 || $0.incomplete.contains("entries") }
        #expect(names.isSuperset(of: ["a", "c", "new"]))
        #expect(names.contains("b") || isLost)
    }

    @Test func `D9 if damage must not be repaired, the error for a number out of range has the column and the number`() async throws {
        try change("UPDATE entries SET hour = 24 WHERE name = 'b'")
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .fail
        let database = try await SQLiteDatabase.openFoodDiary(.file(url), configuration: configuration)
        let error = await #expect(throws: SQLiteError.self) {
            try await FoodDiaryRepositories(database).entries.recentEntries(limit: 9)
        }
        #expect(error?.code == .corrupt)
        #expect(
            error?.message == """
                \(url.path): The file is damaged: the column hour contains 24, which is out of range. Restore a backup, or set the \
                configuration's damage to .recover, which saves what can be read.
                """
        )
        await database.close()
    }

    @Test func `D9 rows that violate bounds added later are set aside and reported`() async throws {
        let old = url.deletingLastPathComponent().appending(path: "old.sqlite")
        let steps = SQLiteMigrations(FoodDiarySchema.migrations.steps.filter { $0.name != FoodDiarySchema.bounds.name })
        let earlier = try await SQLiteDatabase.open(.file(old), migrations: steps, configuration: FoodDiarySchema.configuration())
        let diary = FoodDiaryRepositories(earlier)
        let rice = try await diary.save(Meal.ingredient("Basmati Rice"))
        _ = try await diary.entries.add([Meal.draft("a", .ingredient(rice.id), at: 8), Meal.draft("b", at: 9)], key: nil)
        try await earlier.write { db in
            try db.execute("UPDATE entries SET day = 20261399 WHERE name = 'b'")
            try db.execute("DELETE FROM entries WHERE id = 99")
        }
        await earlier.close()
        let database = try await SQLiteDatabase.openFoodDiary(.file(old))
        #expect(database.report.migrated == [FoodDiarySchema.bounds.name])
        #expect(try await FoodDiaryRepositories(database).entries.recentEntries(limit: 9).map(\.name) == ["a"])
        #expect(database.report.unacknowledged.first?.missing == ["entries": 1])
        #expect(try await database.read { db in try db.value(String.self, "SELECT name FROM entries_out_of_bounds") } == "b")
        #expect(try await FoodDiaryRepositories(database).totals.check().isSound)
        // Keys are never reused.
        let next = try await FoodDiaryRepositories(database).entries.add([Meal.draft("c", at: 9)], key: nil)
        #expect(next.first?.id.rawValue == 3)
    }

    @Test func `D9 an inconsistent list of migrations is refused, and recovered if the file is declared to be a diary`()
        async throws
    {
        try change("UPDATE querykit_migrations SET checksum = 7 WHERE position = 2")
        await #expect { try await SQLiteDatabase.openFoodDiary(.file(url)) } throws: { ($0 as? SQLiteError)?.code == .migration }
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .recoverAnyFile
        let database = try await SQLiteDatabase.openFoodDiary(.file(url), configuration: configuration)
        try await useAll(database)
        #expect(database.report.unacknowledged.first?.rows["entries"] == 3)
    }

    @Test func `D9 an empty list of migrations counts as damage, and nothing of the diary is lost`() async throws {
        try change("DELETE FROM querykit_migrations")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        #expect(database.report.unacknowledged.first?.cause.contains("list of migrations") == true)
        #expect(database.report.unacknowledged.first?.missing == [:])
        #expect(database.report.unacknowledged.first?.rows["entries"] == 3)
        try await useAll(database)
    }

    static let derived = [
        "daily_totals", "hourly_counts", "ingredient_search", "ingredient_names", "ingredient_terms", "ingredient_terms_version",
    ]

    @Test(arguments: derived)
    func `D9 a dropped table that is derived from others is recreated, and nothing is missing`(_ table: String) async throws {
        try change("DROP TABLE \(table)")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        let recovery = try #require(database.report.unacknowledged.first)
        #expect(recovery.cause.hasPrefix("The file is damaged: the table \(table) is missing"))
        #expect(recovery.incomplete.isEmpty && recovery.missing.isEmpty)
        #expect(try await FoodDiaryRepositories(database).totals.check().isSound)
        try await useAll(database)
    }

    @Test(arguments: ["logged_calls", "entries", "ingredients", "querykit_migrations", "querykit_changes"])
    func `D9 another dropped table is recreated and named in the report`(_ table: String) async throws {
        try change("DROP TABLE \(table)")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        try await useAll(database)
        if table.hasPrefix("querykit") { return }
        let recovery = try #require(database.report.unacknowledged.first)
        #expect(recovery.incomplete.contains(table))
        if table == "entries" { #expect(recovery.missingEntries == [Meal.day: 2, Meal.day.advanced(by: 1): 1]) }
    }

    @Test(arguments: ["entries_by_day", "entries_by_ingredient", "ingredients_by_usage"])
    func `D9 a dropped index is recreated`(_ index: String) async throws {
        try change("DROP INDEX \(index)")
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        #expect(database.report.unacknowledged.first?.cause.contains("the index \(index) of ") == true)
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = \(index)") } == 1)
        #expect(database.report.unacknowledged.first?.missing == [:])
    }

    @Test func `D9 a table dropped while the diary is open is recreated when it is used`() async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        try change("DROP TABLE daily_totals")
        try await useAll(database)
        #expect(database.report.unacknowledged.count == 1)
        #expect(try await FoodDiaryRepositories(database).totals.check().isSound)
    }
}
