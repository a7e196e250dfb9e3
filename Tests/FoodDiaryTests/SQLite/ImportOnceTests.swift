import FoodDiaryKit
import FoodDiarySQLite
import QueryKit
import QueryKitSQLite
import TestSupport
import Testing

/// A write may call its closure again, on another thread or after a repair. The batches of an import are returned only once.
struct ImportOnceTests {
    private func batches<Element: Sendable>(_ list: [[Element]], before: @escaping @Sendable () throws -> Void = {})
        -> @Sendable () throws -> [Element]?
    {
        let rest = Lock(list)
        return {
            try before()
            return rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    private static let foods = ["tea", "rice", "oats"].map { [Ingredient.Draft(name: $0, nutrients: Nutrients(kilocalories: 1))] }

    @Test func `D1 an import that moves to another thread loses no batch`() async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.temporary)
        let diary = FoodDiaryRepositories(database)
        // The place in the source becomes known as quick, but not the statements of a batch.
        for _ in 0..<20 { _ = try await diary.ingredients.importIngredients(batches([])) }
        let outcome = try await diary.ingredients.importIngredients(batches(Self.foods))
        #expect(outcome.added == 3)
        #expect(try await diary.ingredients.ingredients(after: nil, limit: 9).map(\.name).sorted() == ["oats", "rice", "tea"])
        await database.close()
    }

    @Test func `D9 an import interrupted by a repair throws and imports nothing`() async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.temporary)
        let diary = FoodDiaryRepositories(database)
        let isDamaged = Lock(0)
        let again = FoodDiaryError(.file, "The diary was repaired during the import, and nothing was imported. Import again.")
        await #expect(throws: again) {
            _ = try await diary.ingredients.importIngredients(
                batches(Self.foods) {
                    let call = isDamaged.withLock { count in
                        count += 1
                        return count
                    }
                    if call == 2 { throw SQLiteError(.corrupt, "A page is damaged.") }
                }
            )
        }
        #expect(try await diary.ingredients.ingredients(after: nil, limit: 9).isEmpty)
        await database.close()
    }
}
