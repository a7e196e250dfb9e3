import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each diary guarantees for totals and statistics.
struct StatisticsConformanceTests {
    /// Three of five days have entries, of two ingredients and an unlisted food.
    private func make(_ kind: DiaryKind) async throws -> (diary: FoodDiaryRepositories, rice: Ingredient, bread: Ingredient) {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let bread = try await diary.save(Meal.ingredient("Bread"))
        func day(_ number: Int) -> FoodDay { Meal.day.advanced(by: number) }
        _ = try await diary.entries.add(
            [
                Meal.draft("a", .ingredient(rice.id), grams: 100, kilocalories: 100, on: day(0), at: 0),
                Meal.draft("b", .ingredient(bread.id), grams: 300, kilocalories: 200.001, on: day(0), at: 8.99),
                Meal.draft("c", .ingredient(rice.id), grams: 50, kilocalories: 50, on: day(2), at: 23.999, confidence: 0.4),
                Meal.draft("d", grams: 1000, kilocalories: 10, on: day(4), at: 8, confidence: 0),
            ],
            key: nil
        )
        return (diary, rice, bread)
    }

    private func days(_ first: Int, _ last: Int) -> ClosedRange<FoodDay> { Meal.day.advanced(by: first)...Meal.day.advanced(by: last) }

    @Test(arguments: DiaryKind.allCases)
    func `totals are returned for days with entries, newest first`(_ kind: DiaryKind) async throws {
        let (diary, _, _) = try await make(kind)
        let totals = try await diary.totals.totals(in: days(-1, 9), limit: 9)
        #expect(totals.map(\.day) == [4, 2, 0].map { Meal.day.advanced(by: $0) } && totals.map(\.entryCount) == [1, 1, 2])
        #expect(totals.map(\.nutrients.kilocalories) == [10, 50, 300.001] && totals.map(\.nutrients.protein) == [25, 1.25, 10])
        #expect(totals.map(\.averageConfidence) == [0, 0.4, 1] && totals.map(\.id) == totals.map(\.day))
        #expect(try await diary.totals.totals(in: days(1, 3), limit: 9) == [totals[1]])
        #expect(try await diary.totals.totals(in: days(0, 4), limit: 2) == Array(totals[..<2]))
        for total in totals { #expect(try await diary.totals.total(on: total.day) == total) }
        #expect(try await diary.totals.total(on: Meal.day.advanced(by: 1)) == .empty(Meal.day.advanced(by: 1)))
        #expect(try await diary.totals.recalculate(in: Meal.all) == [])
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == totals)
    }

    @Test(arguments: DiaryKind.allCases)
    func `a summary adds up all of its days and averages over the days with entries`(_ kind: DiaryKind) async throws {
        let (diary, _, _) = try await make(kind)
        let all = try await diary.nutrition.summary(in: days(0, 4))
        #expect(all.days == days(0, 4) && all.loggedDays == 3 && all.entryCount == 4)
        #expect(all.nutrients == Nutrients(kilocalories: 360.001, protein: 36.25) && all.averageConfidence == 0.6)
        #expect(all.averagePerDay == Nutrients(kilocalories: 120, protein: 12.083))
        let some = try await diary.nutrition.summary(in: days(1, 3))
        #expect(some.loggedDays == 1 && some.nutrients.kilocalories == 50 && some.averageConfidence == 0.4)
        #expect(try await diary.nutrition.summary(in: days(5, 900)).averageConfidence == nil)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an entry with zero nutrients and unknown confidence still counts`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let water = FoodEntry.Draft(name: "water", grams: 200, nutrients: .zero, at: Meal.moment(), confidence: 0)
        let entry = try await diary.entries.add(water)
        let total = DailyTotal(day: Meal.day, entryCount: 1, nutrients: .zero, averageConfidence: 0)
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == [total])
        #expect(try await diary.nutrition.summary(in: Meal.all).loggedDays == 1)
        _ = try await diary.entries.delete([entry.id])
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == [])
    }

    @Test(arguments: DiaryKind.allCases)
    func `consumption is ordered by entries, then weight, then key`(_ kind: DiaryKind) async throws {
        let (diary, rice, bread) = try await make(kind)
        let all = try await diary.nutrition.mostConsumedIngredients(in: days(0, 4), limit: 9)
        #expect(
            all == [
                IngredientConsumption(id: rice.id, name: "Rice", entryCount: 2, grams: 150, kilocalories: 150),
                IngredientConsumption(id: bread.id, name: "Bread", entryCount: 1, grams: 300, kilocalories: 200.001),
            ]
        )
        #expect(try await diary.nutrition.mostConsumedIngredients(in: days(0, 1), limit: 9).map(\.name) == ["Bread", "Rice"])
        #expect(try await diary.nutrition.mostConsumedIngredients(in: days(0, 1), limit: 1).map(\.name) == ["Bread"])
        #expect(try await diary.nutrition.mostConsumedIngredients(in: days(3, 4), limit: 9) == [])
        // As heavy as the bread: the older one first.
        _ = try await diary.entries.add(Meal.draft("e", .ingredient(rice.id), grams: 300, on: Meal.day.advanced(by: 9)))
        _ = try await diary.entries.add(Meal.draft("f", .ingredient(bread.id), grams: 300, on: Meal.day.advanced(by: 9)))
        _ = try await diary.save(Meal.ingredient("Toast"), as: bread.id)
        #expect(try await diary.nutrition.mostConsumedIngredients(in: days(9, 9), limit: 9).map(\.name) == ["Rice", "Toast"])
    }

    @Test(arguments: DiaryKind.allCases)
    func `hours are those of the local clock`(_ kind: DiaryKind) async throws {
        let (diary, _, _) = try await make(kind)
        func hours(_ days: ClosedRange<FoodDay>) async throws -> [[Int]] {
            let hours = try await diary.nutrition.entriesByHourOfDay(in: days)
            #expect(hours.count == 24)
            return hours.enumerated().filter { $0.element != 0 }.map { [$0.offset, $0.element] }
        }
        #expect(try await hours(Meal.all) == [[0, 1], [8, 2], [23, 1]])
        #expect(try await hours(days(1, 3)) == [[23, 1]])
        #expect(try await hours(days(5, 5)) == [])
        var draft = Meal.draft("in Tokyo")
        draft.moment = FoodMoment(Meal.moment(at: 20).date, in: try #require(TimeZone(identifier: "Asia/Tokyo")))
        _ = try await diary.entries.add(draft)
        #expect(try await hours(days(1, 1)) == [[5, 1]])
    }
}
