import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each repository of entries guarantees to writers.
struct EntryWritingConformanceTests {
    @Test(arguments: DiaryKind.allCases)
    func `a logged entry counts for its day, hour and ingredient`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Basmati Rice"))
        let entries = try await diary.entries.add(
            [
                FoodEntry.Draft(rice, grams: 150, at: Meal.moment(at: 7), confidence: 0.5),
                Meal.draft("rice", .named(" basmati\u{AD}  RICE"), at: 7.5),
                Meal.draft("something", .named("nothing"), on: Meal.day.advanced(by: 1), at: 19),
            ],
            key: nil
        )
        #expect(entries.map(\.ingredientID) == [rice.id, rice.id, nil])
        #expect(entries.map(\.id) == entries.map(\.id).sorted() && Set(entries.map(\.id)).count == 3)
        #expect(entries[0].nutrients == Nutrients(kilocalories: 195, protein: 4.05))
        #expect(
            try await diary.totals.total(on: Meal.day)
                == DailyTotal(
                    day: Meal.day,
                    entryCount: 2,
                    nutrients: Nutrients(kilocalories: 325, protein: 6.55),
                    averageConfidence: 0.75
                )
        )
        #expect(try await diary.totals.total(on: Meal.day.advanced(by: 1)).entryCount == 1)
        #expect(try await diary.usage(of: rice.id) == 2)
        let hours = try await diary.nutrition.entriesByHourOfDay(in: Meal.all)
        #expect(hours.enumerated().filter { $0.element > 0 }.map { [$0.offset, $0.element] } == [[7, 2], [19, 1]])
    }

    @Test(arguments: DiaryKind.allCases)
    func `a repeated call logs once and returns what it logged`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let (key, drafts) = (UUID(), [Meal.draft("a", at: 9), Meal.draft("b", at: 8)])
        let first = try await diary.entries.add(drafts, key: key)
        #expect(first.map(\.name) == ["a", "b"])
        let before = try await diary.everything()
        #expect(try await diary.entries.add(drafts, key: key) == first)
        #expect(try await diary.everything() == before)
        // The key identifies the call, even if its drafts differ.
        #expect(try await diary.entries.add([Meal.draft("c")], key: key) == first)
        #expect(try await diary.everything() == before)
        #expect(try await diary.entries.add(drafts, key: UUID()).count == 2)
        #expect(try await diary.entries.add(drafts, key: nil).count == 2)
        #expect(try await diary.names().count == 6)
    }

    @Test(arguments: DiaryKind.allCases)
    func `repeating a call whose entries were edited or deleted does not bring them back`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let (key, drafts) = (UUID(), [Meal.draft("a"), Meal.draft("b")])
        let first = try await diary.entries.add(drafts, key: key)
        let edited = try await diary.entries.update(first[1], to: Meal.draft("edited"))
        _ = try await diary.entries.delete([first[0].id])
        #expect(try await diary.entries.add(drafts, key: key) == [edited])
        _ = try await diary.entries.delete([edited.id])
        #expect(try await diary.entries.add(drafts, key: key) == [])
        #expect(try await diary.names() == [])
        let error = await #expect(throws: FoodDiaryError.self) { try await diary.entries.add(Meal.draft("a"), key: key) }
        #expect(error == FoodDiaryError(.notFound, "a was logged, but has been deleted since."))
    }

    @Test(arguments: DiaryKind.allCases)
    func `a call that logs nothing or fails does not use up its key`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let key = UUID()
        #expect(try await diary.entries.add([], key: key) == [])
        await #expect(throws: FoodDiaryError.self) { try await diary.entries.add([Meal.draft(), Meal.impossible], key: key) }
        await #expect(throws: FoodDiaryError.self) {
            try await diary.entries.add([Meal.draft(), Meal.draft("b", .ingredient(Ingredient.ID(rawValue: 9)))], key: key)
        }
        #expect(try await diary.entries.add([Meal.draft()], key: key).count == 1)
        #expect(try await diary.names().count == 1)
        await #expect(throws: FoodDiaryError.self) { try await diary.entries.add([Meal.impossible], key: key) }
    }

    @Test(arguments: DiaryKind.allCases)
    func `a call with one invalid draft logs nothing`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        _ = try await diary.entries.add(Meal.draft("a", .ingredient(rice.id)))
        let before = try await diary.everything()
        let good = Meal.draft("b", .ingredient(rice.id))
        let unknown = Meal.draft("c", .ingredient(Ingredient.ID(rawValue: 77)))
        let bad = await #expect(throws: FoodDiaryError.self) {
            try await diary.entries.add([good, good, Meal.impossible, good, unknown], key: nil)
        }
        #expect(bad?.code == .invalid)
        let missing = await #expect(throws: FoodDiaryError.self) {
            try await diary.entries.add([good, good, unknown, good, good], key: nil)
        }
        #expect(missing == FoodDiaryError(.notFound, "There is no ingredient with the number 77."))
        #expect(try await diary.everything() == before)
        let next = try await diary.entries.add(good)
        #expect(next.id.rawValue == 2)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an edit moves its counts to another day, hour and ingredient`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let bread = try await diary.save(Meal.ingredient("Bread"))
        let entry = try await diary.entries.add(Meal.draft("a", .ingredient(rice.id), at: 8))
        let other = try await diary.entries.add(Meal.draft("b", .ingredient(rice.id), at: 8))
        let later = Meal.day.advanced(by: 3)
        let edited = try await diary.entries.update(
            entry,
            to: Meal.draft(" A ", .ingredient(bread.id), kilocalories: 77, on: later, at: 20, confidence: 0.25)
        )
        #expect(edited.id == entry.id && edited.name == "A" && edited.day == later)
        #expect(try await diary.entries.entry(entry.id) == edited)
        #expect(try await diary.names() == ["A", "b"])
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.entryCount) == [1, 1])
        #expect(try await diary.totals.total(on: Meal.day).nutrients == other.nutrients)
        #expect(
            try await diary.totals.total(on: later)
                == DailyTotal(day: later, entryCount: 1, nutrients: edited.nutrients, averageConfidence: 0.25)
        )
        #expect(try await diary.usage(of: rice.id) == 1)
        #expect(try await diary.usage(of: bread.id) == 1)
        let hours = try await diary.nutrition.entriesByHourOfDay(in: Meal.all)
        #expect((hours[8], hours[20], hours.reduce(0, +)) == (1, 1, 2))
        let unlisted = try await diary.entries.update(edited, to: Meal.draft("a"))
        #expect(unlisted.ingredientID == nil)
        #expect(try await diary.usage(of: bread.id) == 0)
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.day) == [Meal.day])
    }

    @Test(arguments: DiaryKind.allCases)
    func `an edit without a difference changes nothing, and an invalid one neither`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let entry = try await diary.entries.add(Meal.draft("a", .ingredient(rice.id)))
        let before = try await diary.everything()
        #expect(try await diary.entries.update(entry, to: entry.draft) == entry)
        let missing = await #expect(throws: FoodDiaryError.self) {
            try await diary.entries.edit(FoodEntry.ID(rawValue: 9), to: Meal.draft())
        }
        #expect(missing == FoodDiaryError(.notFound, "There is no entry with the number 9."))
        for draft in [Meal.impossible, Meal.draft("b", .ingredient(Ingredient.ID(rawValue: 9)))] {
            await #expect(throws: FoodDiaryError.self) { try await diary.entries.update(entry, to: draft) }
        }
        #expect(try await diary.everything() == before)
    }

    @Test(arguments: DiaryKind.allCases)
    func `of two concurrent edits each changes only what it differs in`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let seen = try await diary.entries.add(FoodEntry.Draft(rice, grams: 150, at: Meal.moment(at: 8), confidence: 0.5))
        let changes: [(inout FoodEntry.Draft) -> Void] = [
            { $0.moment = Meal.moment(on: Meal.day.advanced(by: -1), at: 20) },
            { ($0.grams, $0.nutrients) = (80, rice.nutrients(in: 80)) },
            { $0.confidence = 0.25 },
            { $0.name = "Risotto" },
        ]
        var (entry, all) = (seen, seen.draft)
        for change in changes {
            var draft = seen.draft
            change(&draft)
            change(&all)
            entry = try await diary.entries.update(seen, to: draft)
        }
        #expect(entry.draft == all && entry.ingredientID == rice.id)
        #expect(try await diary.entries.entry(seen.id) == entry)
        let total = try await diary.totals.totals(in: Meal.all, limit: 9)
        #expect(total == [DailyTotal(day: entry.day, entryCount: 1, nutrients: entry.nutrients, averageConfidence: 0.25)])
        #expect(try await diary.nutrition.entriesByHourOfDay(in: Meal.all)[20] == 1)
        #expect(try await diary.entries.update(seen, to: seen.draft) == entry)
    }

    @Test(arguments: DiaryKind.allCases)
    func `of two edits of the same field the last wins, and each food has its own nutrients`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let bread = try await diary.save(Meal.ingredient("Bread", kilocalories: 250))
        let seen = try await diary.entries.add(FoodEntry.Draft(rice, grams: 150, at: Meal.moment(at: 8)))
        let other = FoodEntry.Draft(bread, grams: 150, at: Meal.moment(at: 8))
        #expect(try await diary.entries.update(seen, to: other).draft == other)
        // Changing the amount of rice keeps the food rice.
        let less = FoodEntry.Draft(rice, grams: 80, at: Meal.moment(at: 8))
        #expect(try await diary.entries.update(seen, to: less).draft == less)
        #expect(try await diary.usage(of: rice.id) == 1)
        #expect(try await diary.usage(of: bread.id) == 0)
        #expect(try await diary.entries.update(seen, to: other).draft == other)
        #expect(try await diary.totals.total(on: Meal.day).nutrients == bread.nutrients(in: 150))
    }

    @Test(arguments: DiaryKind.allCases)
    func `an entry can be edited after its ingredient was deleted unnoticed`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let seen = try await diary.entries.add(FoodEntry.Draft(rice, grams: 150, at: Meal.moment(at: 8)))
        #expect(try await diary.ingredients.delete(rice.id))
        var draft = seen.draft
        draft.moment = Meal.moment(at: 9)
        #expect(try await diary.entries.update(seen, to: draft).moment == draft.moment)
        (draft.grams, draft.nutrients) = (80, rice.nutrients(in: 80))
        let entry = try await diary.entries.update(seen, to: draft)
        #expect((entry.name, entry.grams, entry.ingredientID) == ("Rice", 80, nil))
    }

    @Test(arguments: DiaryKind.allCases)
    func `a deletion returns the deleted entries once each, in the order of their keys`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let drafts = (0..<3).map { Meal.draft("\($0)", .ingredient(rice.id), on: Meal.day.advanced(by: $0 / 2), at: 8) }
        let entries = try await diary.entries.add(drafts, key: nil)
        let unknown = FoodEntry.ID(rawValue: 99)
        let deleted = try await diary.entries.delete([entries[2].id, unknown, entries[0].id, entries[2].id])
        #expect(deleted == [entries[2], entries[0]])
        #expect(try await diary.names() == ["1"])
        #expect(try await diary.usage(of: rice.id) == 1)
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.entryCount) == [1])
        #expect(try await diary.nutrition.entriesByHourOfDay(in: Meal.all)[8] == 1)
        #expect(try await diary.entries.delete([unknown, entries[0].id]) == [])
        // A key is never reused.
        _ = try await diary.entries.delete([entries[1].id])
        #expect(try await diary.entries.add(Meal.draft("new")).id.rawValue == 4)
    }

    @Test(arguments: DiaryKind.allCases)
    func `a cancelled task changes nothing`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await diary.entries.add(Meal.draft())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await diary.names() == [])
    }
}
