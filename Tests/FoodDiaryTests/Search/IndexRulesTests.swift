import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// An index depends on the rules for reading names: one made by other rules is rebuilt when its database is opened.
struct IndexRulesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> SQLiteDatabase { try await SQLiteDatabase.openFoodDiary(.file(folder.file())) }

    private func version(of database: SQLiteDatabase) async throws -> Int? {
        try await database.count("SELECT version FROM ingredient_terms_version")
    }

    /// A database with some ingredients, whose index was made by rules that read names in capitals.
    private func make(rules: Int64) async throws {
        let database = try await open()
        let repository = SQLiteIngredientRepository(database)
        for name in ["Crème fraîche", "Milk", "牛乳"] {
            _ = try await repository.save(Meal.ingredient(name), as: nil, correctingHistory: false)
        }
        try await database.write { db in
            try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')")
            try db.execute(
                "INSERT INTO ingredient_search (rowid, words) VALUES (\(IngredientIndex.rank(of: .init(rawValue: 2), "Milk", usageCount: 0)), 'MILCH')"
            )
            try db.execute("UPDATE ingredient_names SET key = upper(key)")
            try db.execute("DELETE FROM ingredient_terms")
            try db.execute("UPDATE ingredient_terms_version SET rules = \(rules)")
        }
        #expect(try await repository.search("milk", category: nil, limit: 5).isEmpty)
        await database.close()
    }

    private func expectSound(_ database: SQLiteDatabase) async throws {
        let repository = SQLiteIngredientRepository(database)
        for (typed, name) in [
            ("creme", "Crème fraîche"), ("mil", "Milk"), ("mlik", "Milk"), ("牛", "牛乳"), ("crème fraîche", "Crème fraîche"),
        ] {
            #expect(try await repository.search(typed, category: nil, limit: 5).map(\.name) == [name])
        }
        let stale = "SELECT count(*) FROM ingredient_search WHERE ingredient_search MATCH 'MILCH'" as SQL
        #expect(try await database.count(stale) == 0)
    }

    @Test(arguments: [0, IndexRules.mark(of: IndexRules.number + 1)])
    func `an index made by other rules is rebuilt when it is opened`(_ rules: Int64) async throws {
        try await make(rules: rules)
        let database = try await open()
        try await expectSound(database)
        // Changes from now on follow today's rules.
        let repository = SQLiteIngredientRepository(database)
        _ = try await repository.save(Meal.ingredient("Oat drink"), as: Ingredient.ID(rawValue: 2), correctingHistory: false)
        #expect(try await repository.search("milk", category: nil, limit: 5).isEmpty)
        await database.close()
    }

    @Test func `an index made by today's rules is not rebuilt`() async throws {
        try await make(rules: IndexRules.mark)
        let database = try await open()
        let before = try await version(of: database)
        #expect(try await SQLiteIngredientRepository(database).search("milk", category: nil, limit: 5).isEmpty)
        await database.close()
        let again = try await open()
        #expect(try await version(of: again) == before)
        await again.close()
    }

    @Test func `a database from before there were rules gets them`() async throws {
        let old = try await SQLiteDatabase.open(
            .file(folder.file()),
            migrations: SQLiteMigrations(Array(FoodDiarySchema.migrations.steps.prefix(3)))
        )
        try await old.write { db in
            try db.execute(
                """
                INSERT INTO ingredients (name, name_key, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt)
                VALUES ('Crème fraîche', 'crème fraîche', 'dairy', 0, 0, 0, 0, 0, 0, 0), ('Milk', 'milk', 'dairy', 0, 0, 0, 0, 0, 0, 0),
                    ('牛乳', '牛乳', 'dairy', 0, 0, 0, 0, 0, 0, 0)
                """
            )
        }
        await old.close()
        let database = try await open()
        #expect(database.report.migrated == ["food diary: rules of the search", "food diary: bounds"])
        try await expectSound(database)
        await database.close()
    }

    @Test func `a reader does not rebuild an index made by other rules`() async throws {
        try await make(rules: 5)
        let reader = try await SQLiteReader.open(
            folder.file(),
            migrations: FoodDiarySchema.migrations,
            configuration: FoodDiarySchema.configuration()
        )
        #expect(try await reader.read { db in try db.value(Int.self, "SELECT rules FROM ingredient_terms_version") } == 5)
        await reader.close()
    }

    @Test func `the number of the rules is the same each time, and other rules have another number`() {
        #expect(IndexRules.mark(of: IndexRules.number) == IndexRules.mark)
        #expect(Set((0...100).map { IndexRules.mark(of: $0) }).count == 101 && IndexRules.mark != 0)
    }
}
