import DiaryApp
import FoodDiaryKit
import QueryKit
import QueryKitTesting
import Testing

/// The sheet in which food is added.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct AddFoodTests {
    @Test func `without a text, the sheet shows the foods that are used most`() async throws {
        let app = try await TestApp(days: 2)
        let adding = try app.startAdding()
        await app.show { _ = adding.search.results }
        #expect(adding.search.results.map(\.name).prefix(2) == ["Rolled oats", "Rye bread"])
    }

    @Test func `typing starts one search, after a pause`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        await app.show { _ = adding.search.results }
        let arrivals = app.reads.arrivals
        try await app.type("l", "le", "lentil", in: adding.search)
        #expect(adding.search.results.map(\.name) == ["Lentil soup"])
        #expect(app.reads.arrivals == arrivals + 1)
    }

    @Test func `the old results stay until the new ones are there`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        await app.show { _ = adding.search.results }
        try await app.type("apple", in: adding.search)
        app.reads.close()
        try await app.type("rye", in: adding.search)
        #expect(adding.search.results.map(\.name) == ["Apple"])
        try await app.client.loading(at: app.reads) {
            #expect(adding.search.results.map(\.name) == ["Apple"] && adding.search.isOutdated)
        }
        #expect(adding.search.results.map(\.name) == ["Rye bread"] && !adding.search.isOutdated)
    }

    @Test func `a search without results says so`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        try await app.type("xyzzy", in: adding.search)
        #expect(adding.search.hasNoResults)
    }

    @Test func `a food is entered in its portion or in grams`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        adding.choose(try await app.ingredient("Rye bread"))
        #expect(adding.units == [.portion(.init("slice", grams: 30)), .grams])
        #expect(adding.amount == 1 && adding.kilocalories == 77.7)
        adding.amount = 2
        #expect(adding.kilocalories == 155.4)
        adding.unit = .grams
        #expect(adding.amount == 100 && adding.kilocalories == 259)
    }

    @Test func `an amount that no one eats is refused in the sheet`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        adding.choose(try await app.ingredient("Egg"))
        adding.amount = 1_000
        adding.log()
        #expect(adding.problem?.contains("Egg") == true)
        #expect(app.today.adding != nil)
    }

    @Test func `cancel closes the sheet and logs nothing`() async throws {
        let app = try await TestApp()
        let adding = try app.startAdding()
        adding.choose(try await app.ingredient("Egg"))
        let stored = try await app.stored
        adding.cancel()
        #expect(app.today.adding == nil)
        await app.client.settled()
        #expect(try await app.stored == stored)
    }
}

extension TestApp {
    func startAdding() throws -> AddFoodModel {
        today.startAdding()
        return try #require(today.adding)
    }

    func ingredient(_ name: String) async throws -> Ingredient {
        try #require(try await sample.diary.search(name, category: nil, limit: 1).first)
    }
}
