import Foundation
import SQLiteTestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Ingredients in a database and in a list, whose searches must give the same results.
final class Larder {
    let database: SQLiteDatabase
    let repository: SQLiteIngredientRepository
    let search: IngredientSearch
    let bounds: SearchBounds
    private(set) var ingredients: [Ingredient.ID: Ingredient] = [:]

    init(_ drafts: [Ingredient.Draft] = [], bounds: SearchBounds = SearchBounds()) async throws {
        database = try await SQLiteDatabase.open(.inMemory, migrations: FoodDiarySchema.migrations)
        repository = SQLiteIngredientRepository(database)
        search = IngredientSearch(bounds: bounds)
        self.bounds = bounds
        for draft in drafts { try await save(draft) }
    }

    /// Names, each with its aliases after an equals sign and its uses after a colon: `Milk = Milch, lait: 3`.
    convenience init(_ lines: String..., bounds: SearchBounds = SearchBounds()) async throws {
        try await self.init([], bounds: bounds)
        for line in lines { try await add(line) }
    }

    @discardableResult
    func add(_ line: String, category: IngredientCategory = .other) async throws -> Ingredient {
        let parts = line.components(separatedBy: ": ")
        let names = parts[0].components(separatedBy: " = ")
        let aliases = names.count > 1 ? names[1].components(separatedBy: ", ") : []
        let ingredient = try await save(Ingredient.Draft(name: names[0], aliases: aliases, category: category, nutrients: .zero))
        if parts.count > 1 { try await use(ingredient.id, Int(parts[1]) ?? 0) }
        return ingredient
    }

    @discardableResult
    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID? = nil) async throws -> Ingredient {
        let ingredient = try await repository.save(draft, as: id, correctingHistory: false)
        ingredients[ingredient.id] = ingredient
        return ingredient
    }

    func use(_ id: Ingredient.ID, _ count: Int) async throws {
        let ingredient = try #require(ingredients[id])
        try await database.write { db in
            try IngredientIndex.move(ingredient, toUsage: count, in: db)
            try db.execute("UPDATE ingredients SET usage_count = \(count) WHERE id = \(id)")
        }
        ingredients[id] = Ingredient(id: id, ingredient.draft, usageCount: count)
    }

    func delete(_ id: Ingredient.ID) async throws {
        #expect(try await repository.delete(id))
        ingredients[id] = nil
    }

    func rebuild() async throws { try await database.write { db in try IngredientIndex.rebuild(in: db) } }

    /// The names found; fails if the list finds anything else.
    func find(_ typed: String, in category: IngredientCategory? = nil, limit: Int = 20) async throws -> [String] {
        let search = search
        let found = try await database.read { db in try search.search(typed, category: category, limit: limit, in: db) }
        #expect(found == matcher.search(typed, category: category, limit: limit), "\(typed)")
        return found.map(\.name)
    }

    func relevant(_ text: String, limit: Int = 20) async throws -> [String] {
        let search = search
        let found = try await database.read { db in try search.relevantIngredients(for: text, limit: limit, in: db) }
        #expect(found == matcher.relevantIngredients(for: text, limit: limit), "\(text)")
        return found.map(\.name)
    }

    private var matcher: IngredientMatcher {
        var matcher = IngredientMatcher(Array(ingredients.values))
        matcher.bounds = bounds
        return matcher
    }
}
