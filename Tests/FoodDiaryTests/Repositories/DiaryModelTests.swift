import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Random writes to a database, to a diary in memory and to a model of arrays: after each, every read must return the same.
struct DiaryModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil

    @Test func `databases, a diary in memory and a list model give equal answers`() async throws {
        let first = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        for seed in first.map({ $0...$0 }) ?? 1...(Self.isLong ? 60 : 6) {
            let database = try await SQLiteDatabase.openFoodDiary(seed.isMultiple(of: 4) ? .temporary : .inMemory)
            let server = try await ServerModel.open()
            let diaries = [FoodDiaryRepositories(database), FoodDiaryRepositories(InMemoryFoodDiary())] + server.diaries
            var (reference, dice) = (ReferenceDiary(), Dice(seed: seed))
            for step in 1...80 {
                let change = Change.random(&dice, reference)
                let expected = change.apply(to: &reference)
                for diary in diaries {
                    try #require(await change.apply(to: diary) == expected, "seed \(seed), step \(step): \(change)")
                }
                let question = Question(&dice, reference)
                let answers = question.answers(of: reference)
                for diary in diaries {
                    try #require(try await question.answers(of: diary) == answers, "seed \(seed), step \(step): \(change), \(question)")
                }
                try await server.closeGaps(after: reference)
                try await database.expectAgreement("seed \(seed), step \(step): \(change)")
            }
            for diary in diaries {
                #expect(try await diary.totals.recalculate(in: Meal.all) == [], "seed \(seed)")
                #expect(try await diary.totals.check().isSound, "seed \(seed)")
            }
            await database.close()
            await server.close()
        }
    }
}

/// A write, with its outcome as text.
private enum Change {
    case add([FoodEntry.Draft], UUID?)
    case update(FoodEntry.ID, FoodEntry.Draft)
    case delete([FoodEntry.ID])
    case importEntries([[FoodEntry.Draft]], fails: Bool)
    case save(Ingredient.Draft, Ingredient.ID?, Bool)
    case remove(Ingredient.ID)
    case importIngredients([[Ingredient.Draft]], fails: Bool)

    static func random(_ dice: inout Dice, _ diary: ReferenceDiary) -> Change {
        switch dice.roll(14) {
        case 0...4: .add((0..<dice.roll(4)).map { _ in entry(&dice) }, dice.roll(3) == 0 ? keys[dice.roll(keys.count)] : nil)
        case 5, 6:
            .update(entryID(&dice), dice.roll(3) == 0 ? diary.entries.randomElement(using: &dice)?.draft ?? entry(&dice) : entry(&dice))
        case 7: .delete((0..<dice.roll(4)).map { _ in entryID(&dice) })
        case 8: .importEntries((0..<dice.roll(3)).map { _ in (0..<dice.roll(3)).map { _ in entry(&dice) } }, fails: dice.roll(4) == 0)
        case 9...11: .save(ingredient(&dice), dice.roll(2) == 0 ? nil : ingredientID(&dice), dice.roll(2) == 0)
        case 12: .remove(ingredientID(&dice))
        default:
            .importIngredients((0..<dice.roll(3)).map { _ in (0..<dice.roll(3)).map { _ in ingredient(&dice) } }, fails: dice.roll(4) == 0)
        }
    }

    private static let keys = (0..<4).map { _ in UUID() }
    private static let names = ["rice", "Rice", "RICE", "bread", "Käse", "KÄSE", "oats", "tea"]
    private static let zones = ["GMT", "Asia/Kathmandu", "Pacific/Kiritimati", "America/Los_Angeles"].compactMap {
        TimeZone(identifier: $0)
    }

    private static func entryID(_ dice: inout Dice) -> FoodEntry.ID { FoodEntry.ID(rawValue: Int64(dice.roll(40))) }

    private static func ingredientID(_ dice: inout Dice) -> Ingredient.ID { Ingredient.ID(rawValue: Int64(dice.roll(12))) }

    /// Rarely invalid; from few moments, so that many are equal.
    private static func entry(_ dice: inout Dice) -> FoodEntry.Draft {
        let food: FoodEntry.Draft.Food =
            switch dice.roll(6) {
            case 0: .unlisted
            case 1: dice.roll(3) == 0 ? .ingredient(ingredientID(&dice)) : .unlisted
            default: .named(dice.pick(names))
            }
        let moment = Double(Meal.day.number + dice.roll(5)) * 86_400 + Double(dice.roll(6)) * 14_400.25
        return FoodEntry.Draft(
            name: dice.pick(names),
            food: food,
            grams: dice.roll(60) == 0 ? 0 : Double(1 + dice.roll(4_000_000)) / 1000 + 0.1,
            nutrients: Nutrients(kilocalories: Double(dice.roll(900)) / 1000, fat: Double(dice.roll(100)) / 1000, salt: 0.001),
            at: FoodMoment(Date(timeIntervalSince1970: moment), in: dice.pick(zones)),
            confidence: Double(dice.roll(1_001)) / 1000
        )
    }

    private static func ingredient(_ dice: inout Dice) -> Ingredient.Draft {
        Ingredient.Draft(
            name: dice.roll(40) == 0 ? " " : dice.pick(names),
            aliases: (0..<dice.roll(3)).map { _ in dice.pick(names) },
            category: dice.pick(IngredientCategory.known),
            nutrients: Nutrients(kilocalories: Double(dice.roll(900_000)) / 1000, protein: Double(dice.roll(90))),
            portions: (0..<dice.roll(3)).map { Ingredient.Portion("portion \($0)", grams: Double(1 + dice.roll(99))) }
        )
    }

    private static func outcome(_ body: () throws -> some Any) -> String {
        do { return "\(try body())" } catch let error as FoodDiaryError { return error.code.rawValue } catch { return "\(error)" }
    }

    func apply(to reference: inout ReferenceDiary) -> String {
        var copy = reference
        let outcome = Self.outcome {
            switch self {
            case .add(let drafts, let key): return "\(try copy.add(drafts, key: key))"
            case .update(let id, let draft): return "\(try copy.update(id, to: draft))"
            case .delete(let ids): return "\(copy.delete(ids))"
            case .importEntries(let batches, let fails):
                let count = try copy.add(batches.flatMap(\.self), key: nil).count
                if fails { throw TestError() }
                return "\(count)"
            case .save(let draft, let id, let corrects): return "\(try copy.save(draft, as: id, correctingHistory: corrects))"
            case .remove(let id): return "\(copy.delete(id))"
            case .importIngredients(let batches, let fails):
                let outcome = try copy.importIngredients(batches.flatMap(\.self))
                if fails { throw TestError() }
                return "\(outcome)"
            }
        }
        if !["invalid", "notFound", "duplicate", "broken"].contains(outcome) {
            reference = copy
            return outcome
        }
        return isImport ? "failed" : outcome
    }

    /// If a draft has several faults, any of them may be reported.
    private var isImport: Bool {
        switch self {
        case .importEntries, .importIngredients: true
        case .add, .update, .delete, .save, .remove: false
        }
    }

    func apply(to diary: FoodDiaryRepositories) async -> String {
        do {
            switch self {
            case .add(let drafts, let key): return "\(try await diary.entries.add(drafts, key: key))"
            case .update(let id, let draft): return "\(try await diary.entries.edit(id, to: draft))"
            case .delete(let ids): return "\(try await diary.entries.delete(ids))"
            case .importEntries(let batches, let fails): return "\(try await diary.entries.importEntries(Self.next(batches, fails)))"
            case .save(let draft, let id, let corrects): return "\(try await diary.save(draft, as: id, correctingHistory: corrects))"
            case .remove(let id): return "\(try await diary.ingredients.delete(id))"
            case .importIngredients(let batches, let fails):
                return "\(try await diary.ingredients.importIngredients(Self.next(batches, fails)))"
            }
        } catch let error as FoodDiaryError {
            return isImport ? "failed" : error.code.rawValue
        } catch {
            return isImport && error is TestError ? "failed" : "\(error)"
        }
    }

    /// Returns batches, and then may fail.
    private static func next<Element: Sendable>(_ batches: [[Element]], _ fails: Bool) -> @Sendable () throws -> [Element]? {
        let rest = Batches(batches)
        return {
            if let batch = rest.next() { return batch }
            if fails { throw TestError() }
            return nil
        }
    }
}

/// One read of each kind, with random arguments.
private struct Question {
    let days: ClosedRange<FoodDay>
    let position: FoodEntry.Position?
    let limit: Int
    let entry: FoodEntry.ID
    let ingredients: [Ingredient.ID]

    init(_ dice: inout Dice, _ diary: ReferenceDiary) {
        let first = Meal.day.advanced(by: dice.roll(7) - 1)
        days = dice.roll(3) == 0 ? Meal.all : first...first.advanced(by: dice.roll(4))
        position = dice.roll(2) == 0 ? diary.entries.randomElement(using: &dice)?.position : nil
        limit = [-1, 0, 1, 3, 10, .max][dice.roll(6)]
        entry = FoodEntry.ID(rawValue: Int64(dice.roll(40)))
        ingredients = (0..<dice.roll(6)).map { _ in Ingredient.ID(rawValue: Int64(dice.roll(12))) }
    }

    struct Answers: Equatable {
        var entries: [[FoodEntry]]
        var entry: FoodEntry?
        var totals: [DailyTotal]
        var summary: NutritionalSummary
        var consumed: [IngredientConsumption]
        var hours: [Int]
        var ingredients: [[Ingredient]]
    }

    func answers(of diary: ReferenceDiary) -> Answers {
        let day = days.lowerBound
        return Answers(
            entries: [
                diary.entries(in: days, below: position, limit: limit), diary.entries(in: day...day, limit: limit),
                diary.entries(in: Meal.all, limit: limit), diary.entries(in: Meal.all, limit: .max),
            ],
            entry: diary.entries.first { $0.id == entry },
            totals: diary.totals(in: days, limit: limit) + [diary.totals(in: day...day, limit: 1).first ?? .empty(day)],
            summary: diary.summary(in: days),
            consumed: diary.mostConsumed(in: days, limit: limit),
            hours: diary.hours(in: days),
            ingredients: [
                diary.all, Array(diary.popular.prefix(max(0, limit))), ingredients.compactMap { id in diary.all.first { $0.id == id } },
                Array(diary.all.filter { $0.id > ingredients.first ?? Ingredient.ID(rawValue: 0) }.prefix(max(0, limit))),
            ]
        )
    }

    func answers(of diary: FoodDiaryRepositories) async throws -> Answers {
        let day = days.lowerBound
        let (entries, known) = (diary.entries, diary.ingredients)
        return Answers(
            entries: [
                try await entries.entries(in: days, below: position, limit: limit), try await entries.entries(on: day, limit: limit),
                try await entries.recentEntries(limit: limit), try await entries.recentEntries(limit: .max),
            ],
            entry: try await entries.entry(entry),
            totals: try await diary.totals.totals(in: days, limit: limit) + [diary.totals.total(on: day)],
            summary: try await diary.nutrition.summary(in: days),
            consumed: try await diary.nutrition.mostConsumedIngredients(in: days, limit: limit),
            hours: try await diary.nutrition.entriesByHourOfDay(in: days),
            ingredients: [
                try await known.ingredients(after: nil, limit: .max), try await known.popularIngredients(limit: limit),
                try await known.ingredients(ingredients), try await known.ingredients(after: ingredients.first, limit: limit),
            ]
        )
    }
}
