import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

/// The limits of the contracts: 10 MB for live queries, 50 MB for a year of calendar, 5 MB for a search. A year of a million entries in ten
/// has 100,000 of them.
struct FoodDiaryMemoryTests {
    @Test func `R15 a year, a search and today stay within their memory limits`() async throws {
        let bench = try await FoodBench()
        let year = FoodBench.friday.advanced(by: -365)...FoodBench.friday
        let sample = FoodDiarySample(ingredientCount: 500, days: year, entriesPerDay: 8, timeZone: FoodBench.berlin)
        try await sample.fill(bench.repositories.ingredients, bench.repositories.entries)
        func bytes(_ pattern: QueryPattern) -> Int {
            defer { bench.client.remove(pattern) }
            return bench.client.byteCount
        }

        let entries = try await bench.diary.fetchEntries(in: year)
        #expect(entries.count > 2_000)
        #expect(bytes("diary/entries/**") / entries.count < 50_000_000 / 100_000)
        let totals = try await bench.diary.fetchTotals(in: year)
        #expect(totals.count > 300)
        #expect(bytes("diary/totals/**") < 100_000)
        _ = try await bench.client.fetch(Ingredient.popular(limit: 20))
        #expect(bytes("diary/ingredients/**") < 50_000)
        #expect(try await bench.diary.searchIngredients(query: "a", limit: 100).count > 50)
        #expect(bytes("diary/ingredients/**") < 500_000)
        _ = try await (bench.diary.todayEntries, bench.diary.currentTotal)
        #expect(bytes("diary/**") < 50_000)
    }

    @Test func `R15 the byte estimate of an ingredient includes its names`() {
        let short = Ingredient(id: Ingredient.ID(rawValue: 1), Ingredient.Draft(name: "Rice", nutrients: .zero))
        #expect(short.heapByteCount == 0)
        let name = String(repeating: "x", count: 100)
        let draft = Ingredient.Draft(name: name, aliases: [name], nutrients: .zero, portions: [Ingredient.Portion(name, grams: 1)])
        #expect(Ingredient(id: short.id, draft).heapByteCount >= 3 * 132 + MemoryLayout<String>.stride)
    }
}
