import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKit
import QueryKitSQLite
import QueryKitTesting
import Testing

/// Uses each public request, mutation and contract of the food diary once, with public names only, as an app does.
struct DiaryTests {
    private static let today = FoodDay(.now, in: .current)
    private static let days = today.advanced(by: -29)...today
    private static let month = FoodMonth(today)

    private static func inMemory() async throws -> FoodDiary {
        let memory = InMemoryFoodDiary()
        let diary = FoodDiary(FoodDiaryRepositories(memory))
        diary.client.connect(to: memory)
        return diary
    }

    private static func onDisk() async throws -> FoodDiary { try await FoodDiary.open(.temporary) }

    private static func filled(_ diary: FoodDiary) async throws -> (food: Ingredient, entry: FoodEntry) {
        let draft = Ingredient.Draft(name: "Rolled oats", category: .grain, nutrients: Nutrients(kilocalories: 372))
        let food = try await diary.client.mutate(SaveIngredient(), with: .init(draft))
        let entry = try await diary.client.mutate(LogFood(), with: FoodEntry.Draft(food, grams: 60, at: FoodMoment(.now, in: .current)))
        await diary.client.settled()
        return (food, entry)
    }

    @Test(arguments: [inMemory, onDisk]) func requests(_ make: @Sendable () async throws -> FoodDiary) async throws {
        let diary = try await make()
        let client = diary.client
        let (food, entry) = try await Self.filled(diary)
        #expect(try await client.fetch(FoodEntry.today) == [entry])
        #expect(try await client.fetch(FoodEntry.entries(on: Self.today)) == [entry])
        #expect(try await client.fetch(FoodEntry.entries(in: Self.days)) == [entry])
        #expect(try await client.fetch(FoodEntry.recent(limit: 5)) == [entry])
        #expect(try await client.fetch(DailyTotal.today).entryCount == 1)
        #expect(try await client.fetch(DailyTotal.total(on: Self.today)).entryCount == 1)
        #expect(try await client.fetch(DailyTotal.totals(in: Self.days)).map(\.entryCount) == [1])
        #expect(try await client.fetch(DailyTotal.totals(for: Self.month)).map(\.entryCount) == [1])
        #expect(try await client.fetch(Ingredient.search("oats")).map(\.id) == [food.id])
        #expect(try await client.fetch(Ingredient.search("oats", category: .grain, limit: 1)).map(\.id) == [food.id])
        #expect(try await client.fetch(Ingredient.relevant(for: "a bowl of rolled oats")).map(\.id) == [food.id])
        #expect(try await client.fetch(Ingredient.ingredients([food.id])).map(\.id) == [food.id])
        #expect(try await client.fetch(Ingredient.popular()).map(\.id) == [food.id])
        #expect(try await client.fetch(NutritionalSummary.summary(in: Self.days)).entryCount == 1)
        #expect(try await client.fetch(NutritionalSummary.usage(in: Self.days)).entryCount == 1)
        #expect(try await client.fetch(NutritionalSummary.entriesByHour(in: Self.days)).reduce(0, +) == 1)
        #expect(try await client.fetch(IngredientConsumption.most(in: Self.days)).map(\.entryCount) == [1])
        await diary.database?.close()
    }

    @Test(arguments: [inMemory, onDisk]) func pages(_ make: @Sendable () async throws -> FoodDiary) async throws {
        let diary = try await make()
        let client = diary.client
        let (_, entry) = try await Self.filled(diary)
        let request = FoodEntry.pages(in: Self.days)
        let store = client.store(for: request)
        #expect(try await client.fetch(request).count == 1)
        #expect(try await store.fetchNextPage().count == 2)
        #expect(store.state.hasNextPage && !store.state.isFetchingNextPage)
        await client.prefetch(request, pages: 3)
        #expect(client.value(for: request)?.items == [entry])
        client.updateValue(for: request) { pages in pages.removeItems { $0 == entry } }
        #expect(store.value?.items == [])
        client.invalidate(.path(request.path))
        await client.settled()
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        subscription.cancel()
        let shared = SharedQuery(request, client: client)
        #expect(shared.projectedValue.store == store)
        #expect(try await client.fetch(DailyTotal.pages(in: Self.days)).items.map(\.entryCount) == [1])
        #expect(try await diary.totalPages(in: Self.days).fetch().items.map(\.entryCount) == [1])
        await diary.database?.close()
    }

    @Test(arguments: [inMemory, onDisk]) func mutations(_ make: @Sendable () async throws -> FoodDiary) async throws {
        let diary = try await make()
        let client = diary.client
        let (food, entry) = try await Self.filled(diary)
        var draft = entry.draft
        draft.grams = 90
        let edited = try await client.mutate(EditEntry(), with: .init(entry, to: draft))
        #expect(edited.grams == 90)
        let call = try client.submit(DeleteEntry(), with: edited)
        _ = try await call.value
        await client.settled()
        #expect(try await client.fetch(FoodEntry.today) == [])
        let source = Batches([Ingredient.Draft(name: "Rye", category: .grain, nutrients: Nutrients(kilocalories: 325))])
        _ = try await client.mutate(ImportIngredients(), with: .init { source.next() })
        #expect(try await client.fetch(Ingredient.popular()).count == 2)
        #expect(food.name == "Rolled oats")
        await diary.database?.close()
    }

    @Test(arguments: [inMemory, onDisk]) func contracts(_ make: @Sendable () async throws -> FoodDiary) async throws {
        let diary = try await make()
        let (food, entry) = try await Self.filled(diary)

        let entries: any TodayEntriesQuery = diary
        #expect(try await entries.todayEntries == [entry])
        #expect(try await entries.refreshTodayEntries() == [entry])
        for await shown in entries.observeTodayEntries() {
            #expect(shown == [entry])
            break
        }
        let total: any CurrentDailyTotalQuery = diary
        #expect(try await total.currentTotal.entryCount == 1)
        #expect(try await total.refreshCurrentTotal().entryCount == 1)
        for await shown in total.observeCurrentTotal() {
            #expect(shown.entryCount == 1)
            break
        }
        let totals: any DateRangeTotalsQuery = diary
        #expect(try await totals.fetchTotals(in: Self.days).count == 1)
        #expect(try await totals.fetchTotals(for: Self.month).count == 1)
        #expect(try await totals.fetchTotals(for: 1999).isEmpty)
        #expect(try await totals.totalPages(in: Self.days).fetch().count == 1)
        let history: any HistoricalEntriesQuery = diary
        #expect(try await history.fetchEntries(for: Self.today) == [entry])
        #expect(try await history.fetchEntries(in: Self.days) == [entry])
        #expect(try await history.fetchRecentEntries(limit: 1) == [entry])
        #expect(try await history.fetchSummary(in: Self.days).entryCount == 1)
        let search: any IngredientSearchQuery = diary
        #expect(try await search.searchIngredients(query: "oats").count == 1)
        #expect(try await search.searchIngredients(query: "oats", category: .grain).count == 1)
        #expect(try await search.searchIngredients(query: "oats", limit: 1).count == 1)
        let model: any LLMContextQuery = diary
        #expect(try await model.fetchRelevantIngredients(for: "oats").count == 1)
        #expect(try await model.fetchIngredientsByIds([food.id]).count == 1)
        #expect(try await model.fetchPopularIngredients(limit: 1).count == 1)
        let trends: any NutritionalTrendsQuery = diary
        #expect(try await trends.averageDailyCalories(in: Self.days) != nil)
        #expect(try await trends.averageDailyMacros(in: Self.days) != nil)
        #expect(try await trends.mostConsumedIngredients(in: Self.days, limit: 1).count == 1)
        let usage: any UsageStatsQuery = diary
        #expect(try await usage.totalEntries(in: Self.days) == 1)
        #expect(try await usage.averageConfidence(in: Self.days) != nil)
        #expect(try await usage.entriesByHourOfDay(in: Self.days).count == 24)
        await diary.database?.close()
    }
}

/// An import of one batch.
private final class Batches: @unchecked Sendable {
    private var rest: [Ingredient.Draft]?

    init(_ drafts: [Ingredient.Draft]) { rest = drafts }

    func next() -> [Ingredient.Draft]? {
        defer { rest = nil }
        return rest
    }
}
