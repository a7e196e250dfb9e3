import Dispatch
import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// What each diary guarantees for imports: batch after batch, all or nothing.
struct ImportConformanceTests {
    @Test(arguments: DiaryKind.allCases)
    func `an import of entries logs and counts all batches`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let batches = Batches([[Meal.draft("a", .named("rice")), Meal.draft("b")], [], [Meal.draft("c", .ingredient(rice.id))]])
        #expect(try await diary.entries.importEntries(batches.next) == 3)
        #expect(try await diary.names() == ["c", "b", "a"])
        #expect(try await diary.usage(of: rice.id) == 2)
        #expect(try await diary.totals.total(on: Meal.day).entryCount == 3)
        #expect(try await diary.nutrition.entriesByHourOfDay(in: Meal.all)[12] == 3)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an import that leaves out known entries adds each other entry once, and two copies count as two`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        _ = try await diary.entries.add(Meal.draft("a", .ingredient(rice.id)))
        let before = try await diary.everything()
        let file = [[Meal.draft("a"), Meal.draft("a", at: 13)], [Meal.draft(" a "), Meal.draft("a", on: Meal.day.advanced(by: 1))]]
        #expect(try await diary.entries.importEntries(leavingOutKnown: true, Batches([[Meal.draft("a")]]).next) == 0)
        #expect(try await diary.everything() == before)
        #expect(try await diary.entries.importEntries(leavingOutKnown: true, Batches(file).next) == 3)
        #expect(try await diary.entries.importEntries(leavingOutKnown: true, Batches(file).next) == 0)
        #expect(try await diary.totals.totals(in: Meal.all, limit: 9).map(\.entryCount) == [1, 3])
        // An entry that differs in anything is another entry.
        var others = (0..<6).map { _ in Meal.draft("a") }
        others[0].name = "b"
        others[1].grams = 101
        others[2].nutrients.thousandths.salt = 1
        others[3].confidence = 0.5
        others[4].moment = Meal.moment(at: 12.5)
        #expect(try await diary.entries.importEntries(leavingOutKnown: true, Batches([others]).next) == 5)
        #expect(try await diary.entries.importEntries(Batches(file).next) == 4)
        #expect(try await diary.names().count == 13)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an import of entries with one invalid draft or an error leaves nothing behind`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let before = try await diary.everything()
        let good = Meal.draft("a", .ingredient(rice.id))
        for bad in [Meal.impossible, Meal.draft("b", .ingredient(Ingredient.ID(rawValue: 9)))] {
            let batches = Batches([[good, good], [bad, good, good]])
            await #expect(throws: FoodDiaryError.self) { try await diary.entries.importEntries(batches.next) }
        }
        let batches = Batches([[good, good], [good]])
        await #expect(throws: TestError("line 4")) {
            try await diary.entries.importEntries {
                guard let batch = batches.next() else { throw TestError("line 4") }
                return batch
            }
        }
        #expect(try await diary.everything() == before)
        // On a server, where several transactions add entries at the same time, a failed one leaves a gap between the keys.
        let first = try await diary.entries.add(good).id.rawValue
        #expect(kind == .server ? first >= 1 : first == 1)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an import of ingredients adds new ones and replaces known ones`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let rice = try await diary.save(Meal.ingredient("Rice"))
        let entry = try await diary.entries.add(Meal.draft("a", .ingredient(rice.id)))
        let batches = Batches([
            [Meal.ingredient(" RICE ", kilocalories: 350), Meal.ingredient("Bread")], [], [Meal.ingredient("bread", kilocalories: 9)],
        ])
        #expect(try await diary.ingredients.importIngredients(batches.next) == IngredientImport(added: 1, updated: 2))
        let all = try await diary.ingredients.ingredients(after: nil, limit: 9)
        #expect(all.map(\.name) == ["RICE", "bread"])
        #expect(all.map(\.nutrients.kilocalories) == [350, 9])
        #expect(all.map(\.usageCount) == [1, 0] && all[0].id == rice.id)
        // History is corrected only if requested.
        #expect(try await diary.entries.entry(entry.id) == entry)
    }

    @Test(arguments: DiaryKind.allCases)
    func `an import of ingredients with one invalid draft or an error leaves nothing behind`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        _ = try await diary.save(Meal.ingredient("Rice"))
        let before = try await diary.everything()
        let good = [Meal.ingredient("RICE", kilocalories: 1), Meal.ingredient("Bread")]
        let batches = Batches([good, [Meal.ingredient("")]])
        await #expect(throws: FoodDiaryError.self) { try await diary.ingredients.importIngredients(batches.next) }
        let others = Batches([good])
        await #expect(throws: TestError("gone")) {
            try await diary.ingredients.importIngredients {
                guard let batch = others.next() else { throw TestError("gone") }
                return batch
            }
        }
        #expect(try await diary.everything() == before)
    }

    @Test(arguments: DiaryKind.allCases, [false, true])
    func `cancelling during an import undoes it, even while its last batch is being written`(
        _ kind: DiaryKind,
        _ isLast: Bool
    ) async throws {
        let diary = try await kind.make()
        let before = try await diary.everything()
        for isOfEntries in [true, false] {
            let (arrived, goOn) = (Gate(), DispatchSemaphore(value: 0))
            let calls = Lock(0)
            // Waits in its second call until the test has cancelled; this thread may block.
            let wait: @Sendable () -> Int = {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if call == 2 {
                    Task { try await arrived.pass() }
                    goOn.wait()
                }
                return call
            }
            let task = Task {
                if isOfEntries {
                    _ = try await diary.entries.importEntries { wait() == 2 && isLast ? nil : [Meal.draft()] }
                } else {
                    _ = try await diary.ingredients.importIngredients {
                        let call = wait()
                        return call == 2 && isLast ? nil : [Meal.ingredient("\(call)")]
                    }
                }
            }
            await arrived.arrived()
            task.cancel()
            goOn.signal()
            await #expect(throws: CancellationError.self) { try await task.value }
            arrived.open()
            #expect(calls.withLock { $0 } == 2)
            #expect(try await diary.everything() == before)
        }
    }

    @MainActor
    @Test(arguments: DiaryKind.allCases)
    func `an import calls for its batches on a thread that may block`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let onMain = Lock<[Bool]>([])
        _ = try await diary.entries.importEntries {
            onMain.withLock { $0.append(Thread.isMainThread) }
            return nil
        }
        _ = try await diary.ingredients.importIngredients {
            onMain.withLock { $0.append(Thread.isMainThread) }
            return nil
        }
        #expect(onMain.withLock { $0 } == [false, false])
    }
}
