import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each repository of entries guarantees to readers.
struct EntryReadingConformanceTests {
    @Test(arguments: DiaryKind.allCases)
    func `entries are returned newest first, and at equal times the one logged later first`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        for (name, hour) in [("b", 8.0), ("d", 12), ("c", 8), ("a", 7), ("e", 12)] {
            _ = try await diary.entries.add(Meal.draft(name, at: hour))
        }
        #expect(try await diary.entries.entries(on: Meal.day, limit: 100).map(\.name) == ["e", "d", "c", "b", "a"])
        #expect(try await diary.names() == ["e", "d", "c", "b", "a"])
        #expect(try await diary.entries.recentEntries(limit: 2).map(\.name) == ["e", "d"])
    }

    @Test(arguments: DiaryKind.allCases)
    func `a later day comes first, even if a traveller lived it at an earlier moment`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        // Breakfast in Auckland on the 22nd is before supper in Honolulu on the 21st.
        let auckland = try #require(TimeZone(identifier: "Pacific/Auckland"))
        let honolulu = try #require(TimeZone(identifier: "Pacific/Honolulu"))
        let breakfast = FoodMoment(Date(timeIntervalSince1970: 1_795_287_600), in: auckland)
        let supper = FoodMoment(Date(timeIntervalSince1970: 1_795_323_600), in: honolulu)
        #expect((breakfast.day, supper.day) == (Meal.day.advanced(by: 1), Meal.day))
        for (name, moment) in [("breakfast", breakfast), ("supper", supper)] {
            var draft = Meal.draft(name)
            draft.moment = moment
            _ = try await diary.entries.add(draft)
        }
        #expect(try await diary.names() == ["breakfast", "supper"])
        #expect(try await diary.entries.entries(on: Meal.day, limit: 9).map(\.name) == ["supper"])
        let first = try #require(try await diary.entries.recentEntries(limit: 1).first)
        let rest = try await diary.entries.entries(in: Meal.all, below: first.position, limit: 9)
        #expect(rest.map(\.name) == ["supper"])
        #expect(first.moment == breakfast && rest[0].moment == supper)
    }

    @Test(arguments: DiaryKind.allCases)
    func `a limit is never exceeded, and one of zero or less returns nothing`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        _ = try await diary.save(Meal.ingredient("Bread"))
        for day in 0..<3 {
            _ = try await diary.entries.add(Meal.draft(.init("\(day)"), .ingredient(rice.id), on: Meal.day.advanced(by: day)))
        }
        _ = try await diary.entries.add(Meal.draft("x"))
        let days = Meal.day...Meal.day.advanced(by: 9)
        for (limit, entries, ofDay, totals, ingredients, eaten) in [
            (0, 0, 0, 0, 0, 0), (-1, 0, 0, 0, 0, 0), (Int.min, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 1),
            (Int.max, 4, 2, 3, 2, 1),
        ] {
            #expect(try await diary.entries.entries(on: Meal.day, limit: limit).count == ofDay)
            #expect(try await diary.entries.entries(in: days, below: nil, limit: limit).count == entries)
            #expect(try await diary.entries.recentEntries(limit: limit).count == entries)
            #expect(try await diary.totals.totals(in: days, limit: limit).count == totals)
            #expect(try await diary.ingredients.ingredients(after: nil, limit: limit).count == ingredients)
            #expect(try await diary.ingredients.popularIngredients(limit: limit).count == ingredients)
            #expect(try await diary.nutrition.mostConsumedIngredients(in: days, limit: limit).count == eaten)
        }
    }

    @Test(arguments: DiaryKind.allCases)
    func `a window contains the entries of its days, including the first and last`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        for day in -3...3 { _ = try await diary.entries.add(Meal.draft("\(day)", on: Meal.day.advanced(by: day), at: 23.99)) }
        func names(_ first: Int, _ last: Int) async throws -> [String] {
            try await diary.names(in: Meal.day.advanced(by: first)...Meal.day.advanced(by: last))
        }
        #expect(try await names(-1, 1) == ["1", "0", "-1"])
        #expect(try await names(0, 0) == ["0"])
        #expect(try await names(4, 90) == [])
        #expect(try await names(-90, -3) == ["-3"])
        #expect(try await names(-500, 500) == ["3", "2", "1", "0", "-1", "-2", "-3"])
    }

    @Test(arguments: DiaryKind.allCases)
    func `pages below a position contain each entry once, for any page size`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let drafts = (0..<40).map { number in
            Meal.draft("\(number)", on: Meal.day.advanced(by: number % 3), at: Double(number % 4))
        }
        _ = try await diary.entries.add(drafts, key: nil)
        let all = try await diary.entries.recentEntries(limit: 100)
        #expect(all.count == 40 && all == all.sorted { $0.position > $1.position })
        for days in [Meal.all, Meal.day...Meal.day.advanced(by: 1)] {
            let expected = all.filter { days.contains($0.day) }
            for size in [1, 7, 40] {
                var pages: [FoodEntry] = []
                while true {
                    let page = try await diary.entries.entries(in: days, below: pages.last?.position, limit: size)
                    if page.isEmpty { break }
                    pages += page
                }
                #expect(pages == expected)
            }
        }
    }

    @Test(arguments: DiaryKind.allCases)
    func `a position need not be that of an entry and may be outside of the window`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let added = try await diary.entries.add((0..<4).map { Meal.draft("\($0)", on: Meal.day.advanced(by: $0)) }, key: nil)
        _ = try await diary.entries.delete([added[2].id])
        func names(_ days: ClosedRange<FoodDay>, below entry: FoodEntry) async throws -> [String] {
            try await diary.entries.entries(in: days, below: entry.position, limit: 9).map(\.name)
        }
        #expect(try await names(Meal.all, below: added[2]) == ["1", "0"])
        #expect(try await names(Meal.day...Meal.day, below: added[3]) == ["0"])
        #expect(try await names(added[3].day...added[3].day, below: added[1]) == [])
        #expect(try await names(added[1].day...added[3].day, below: added[0]) == [])
    }

    @Test(arguments: DiaryKind.allCases)
    func `an entry is returned as it was logged, to the thousandth and the millisecond`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let draft = FoodEntry.Draft(
            name: "  Müsli\u{202E} mit\tMilch ",
            grams: 0.1004,
            nutrients: Nutrients(
                kilocalories: 0.5,
                protein: 0.001,
                carbohydrates: 0.002,
                fat: 0.003,
                fiber: 0.004,
                sugar: 0.005,
                salt: 0.1
            ),
            at: FoodMoment(Date(timeIntervalSince1970: 1_795_219_200.123_9), in: berlin),
            confidence: 0.123_4
        )
        let added = try await diary.entries.add(draft)
        #expect(added.name == "Müsli mit Milch" && added.grams == 0.1 && added.confidence == 0.123)
        #expect(added.moment.date == Date(timeIntervalSince1970: 1_795_219_200.123) && added.moment.timeZone == "Europe/Berlin")
        #expect(added.nutrients == draft.nutrients && added.ingredientID == nil && added.moment == draft.moment)
        #expect(try await diary.entries.entry(added.id) == added)
        #expect(try await diary.entries.entries(on: added.day, limit: 9) == [added])
        #expect(try await diary.entries.entry(FoodEntry.ID(rawValue: added.id.rawValue + 1)) == nil)
    }

    @Test(arguments: DiaryKind.allCases)
    func `days at both ends of the calendar behave like any others`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        for date in [Date.distantPast, Date(timeIntervalSince1970: 1e15)] {
            var draft = Meal.draft()
            draft.moment = FoodMoment(date, in: Meal.utc)
            let entry = try await diary.entries.add(draft)
            #expect(try await diary.entries.entry(entry.id) == entry)
            #expect(try await diary.totals.total(on: entry.day).entryCount == 1)
        }
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.day) == [FoodDay.range.upperBound, FoodDay.range.lowerBound])
    }

    @Test(arguments: DiaryKind.allCases)
    func `an empty diary answers every question`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let (day, id) = (Meal.day, Ingredient.ID(rawValue: 1))
        #expect(try await diary.entries.entries(on: day, limit: 9) == [])
        #expect(try await diary.entries.recentEntries(limit: 9) == [])
        #expect(try await diary.entries.entry(FoodEntry.ID(rawValue: 1)) == nil)
        #expect(try await diary.entries.add([], key: nil) == [])
        #expect(try await diary.entries.delete([]) == [])
        #expect(try await diary.entries.importEntries { nil } == 0)
        #expect(try await diary.totals.total(on: day) == .empty(day))
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9) == [])
        #expect(try await diary.totals.recalculate(in: Meal.all) == [])
        #expect(try await diary.ingredients.ingredients([]) == [])
        #expect(try await diary.ingredients.ingredients([id]) == [])
        #expect(try await diary.ingredients.popularIngredients(limit: 9) == [])
        #expect(try await diary.ingredients.search("rice", category: nil, limit: 9) == [])
        #expect(try await diary.ingredients.relevantIngredients(for: "rice", limit: 9) == [])
        #expect(try await diary.ingredients.delete(id) == false)
        #expect(try await diary.ingredients.importIngredients { nil } == IngredientImport())
        let summary = try await diary.nutrition.summary(in: day...day)
        #expect(summary == NutritionalSummary(days: day...day, loggedDays: 0, entryCount: 0, nutrients: .zero, averageConfidence: nil))
        #expect(summary.averagePerDay == nil)
        #expect(try await diary.nutrition.mostConsumedIngredients(in: Meal.all, limit: 9) == [])
        #expect(try await diary.nutrition.entriesByHourOfDay(in: Meal.all) == Array(repeating: 0, count: 24))
    }
}
