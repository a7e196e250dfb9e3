import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// How SQLite executes the repositories' statements: by an index, in its order, without sorting.
struct DiaryPlanTests {
    /// A read of each kind, with its expected plan; only the words that name the table and the access.
    private static let reads: [(name: String, read: @Sendable (FoodDiaryRepositories) async throws -> Void, plan: [String])] = [
        ("a day", { _ = try await $0.entries.entries(on: Meal.day, limit: 9) }, ["SEARCH e USING INDEX entries_by_day (day=?)"]),
        (
            "some days", { _ = try await $0.entries.entries(in: Meal.all, below: nil, limit: 9) },
            ["SEARCH e USING INDEX entries_by_day (day>? AND day<?)"]
        ),
        (
            "a page", { _ = try await $0.entries.entries(in: Meal.all, below: position, limit: 9) },
            ["SEARCH e USING INDEX entries_by_day (day>? AND day<?)"]
        ),
        ("recent", { _ = try await $0.entries.recentEntries(limit: 9) }, ["SEARCH e USING INDEX entries_by_day (day>? AND day<?)"]),
        ("an entry", { _ = try await $0.entries.entry(position.id) }, ["SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"]),
        ("a total", { _ = try await $0.totals.total(on: Meal.day) }, ["SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"]),
        (
            "totals", { _ = try await $0.totals.totals(in: Meal.all, limit: 9) },
            ["SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]
        ),
        (
            "a summary", { _ = try await $0.nutrition.summary(in: Meal.all) },
            ["SEARCH daily_totals USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]
        ),
        (
            "ingredients", { _ = try await $0.ingredients.ingredients([Ingredient.ID(rawValue: 1)]) },
            ["SEARCH i USING INTEGER PRIMARY KEY (rowid=?)"]
        ),
        (
            "all ingredients", { _ = try await $0.ingredients.ingredients(after: nil, limit: 9) },
            ["SEARCH i USING INTEGER PRIMARY KEY (rowid>?)"]
        ),
        // Through the whole index, in its order, up to the limit.
        ("popular", { _ = try await $0.ingredients.popularIngredients(limit: 9) }, ["SCAN i USING INDEX ingredients_by_usage"]),
    ]

    private static let position = FoodEntry.Position(day: Meal.day, milliseconds: 1, id: FoodEntry.ID(rawValue: 1))

    /// A repository's statement, from a database without tables.
    private func statement(of read: (FoodDiaryRepositories) async throws -> Void) async throws -> String {
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = []
        let empty = try await SQLiteDatabase.open(.inMemory, configuration: configuration)
        let error = await #expect(throws: SQLiteError.self) { try await read(FoodDiaryRepositories(empty)) }
        return try #require(error?.sql)
    }

    private func plan(of text: String) async throws -> [String] {
        let diary = try await SQLiteDatabase.openFoodDiary(.inMemory)
        let sql = SQL(text: "EXPLAIN QUERY PLAN " + text, values: Array(repeating: .integer(1), count: text.count { $0 == "?" }))
        return try await diary.write { db in try db.map(sql) { try $0["detail"] as String } }
    }

    @Test(arguments: reads.indices)
    func `each list is read through its index and ordered by it`(_ index: Int) async throws {
        let (name, read, expected) = Self.reads[index]
        let statement = try await statement(of: read)
        #expect(try await plan(of: statement) == expected, "\(name): \(statement)")
    }

    @Test func `statistics read only their days`() async throws {
        let consumed = try await plan(
            of: statement { _ = try await $0.nutrition.mostConsumedIngredients(in: Meal.all, limit: 9) }
        )
        #expect(consumed.contains("SEARCH entries USING INDEX entries_by_day (day>? AND day<?)"))
        #expect(consumed.contains("SEARCH i USING INTEGER PRIMARY KEY (rowid=?)"))
        let hours = try await plan(of: statement { _ = try await $0.nutrition.entriesByHourOfDay(in: Meal.all) })
        #expect(hours.contains("SEARCH hourly_counts USING PRIMARY KEY (day>? AND day<?)"))
        for plan in [consumed, hours] { #expect(!plan.contains { $0.hasPrefix("SCAN entries") || $0.hasPrefix("SCAN hourly") }) }
    }

    @Test func `every lookup of a write uses an index`() async throws {
        for (text, expected) in [
            ("SELECT 1 FROM logged_calls WHERE call = ? LIMIT 1", "SEARCH logged_calls USING PRIMARY KEY (call=?)"),
            (
                "SELECT id FROM ingredients WHERE name_key = ?",
                "SEARCH ingredients USING COVERING INDEX sqlite_autoindex_ingredients_1 (name_key=?)"
            ),
            ("SELECT * FROM entries AS e WHERE e.ingredient = ?", "SEARCH e USING INDEX entries_by_ingredient (ingredient=?)"),
            ("DELETE FROM hourly_counts WHERE day = ? AND hour = ?", "SEARCH hourly_counts USING PRIMARY KEY (day=? AND hour=?)"),
        ] {
            #expect(try await plan(of: text) == [expected])
        }
    }
}
