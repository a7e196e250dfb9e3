import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples
@testable import QueryKitSQLite

/// What a diary stores besides its entries and ingredients, after a write past the repositories.
struct DiaryCheckTests {
    private static let next = Meal.day.advanced(by: 1)
    /// Longer ago than any page of totals reaches.
    private static let old = Meal.day.advanced(by: -20_000)
    private static let (rice, bread) = (Ingredient.ID(rawValue: 1), Ingredient.ID(rawValue: 2))

    private func make() async throws -> (database: SQLiteDatabase, diary: FoodDiaryRepositories) {
        let database = try await SQLiteDatabase.openFoodDiary(.inMemory)
        let diary = FoodDiaryRepositories(database)
        var draft = Meal.ingredient("Basmati Rice")
        draft.aliases = ["Riz", "米饭", "gạo"]
        let rice = try await diary.save(draft)
        _ = try await diary.save(Meal.ingredient("Crème de pain"))
        _ = try await diary.entries.add(
            [
                Meal.draft("a", .ingredient(rice.id), at: 8), Meal.draft("b", .ingredient(rice.id), at: 9, confidence: 0.5),
                Meal.draft("c", on: Self.next), Meal.draft("old", on: Self.old),
            ],
            key: nil
        )
        return (database, diary)
    }

    /// What one statement makes wrong: totals, hours, uses, index.
    struct Fault: Sendable, CustomTestStringConvertible {
        let sql: StaticString
        var totals: [FoodDay] = []
        var hours: [FoodDay] = []
        var usage: [Ingredient.ID] = []
        var index: [Ingredient.ID] = []
        var testDescription: String { sql.description }

        static let all: [Fault] = [
            Fault(sql: "SELECT 1"), Fault(sql: "UPDATE daily_totals SET entry_count = 7 WHERE day = 20261121", totals: [Meal.day]),
            Fault(sql: "UPDATE daily_totals SET salt = 1", totals: [old, Meal.day, next]),
            Fault(sql: "UPDATE daily_totals SET confidence = confidence + 1 WHERE day = 20261122", totals: [next]),
            // The first day: the checked days must not come from the checked table.
            Fault(sql: "DELETE FROM daily_totals WHERE day < 20200101", totals: [old]),
            Fault(sql: "INSERT INTO daily_totals VALUES (20261123, 1, 0, 0, 0, 0, 0, 0, 0, 0)", totals: [next.advanced(by: 1)]),
            Fault(sql: "DELETE FROM hourly_counts WHERE hour = 9", hours: [Meal.day]),
            Fault(sql: "UPDATE hourly_counts SET entry_count = 2 WHERE hour = 12", hours: [old, next]),
            Fault(sql: "INSERT INTO hourly_counts VALUES (20261121, 3, 1)", hours: [Meal.day]),
            Fault(sql: "DELETE FROM entries WHERE name = 'b'", totals: [Meal.day], hours: [Meal.day], usage: [rice]),
            // The position of a row in the index depends on its uses.
            Fault(sql: "UPDATE ingredients SET usage_count = 17 WHERE id = 2", usage: [bread], index: [bread]),
            Fault(sql: "UPDATE entries SET ingredient = 2", usage: [rice, bread]),
            Fault(sql: "INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')", index: [rice, bread]),
            Fault(sql: "DELETE FROM ingredient_names", index: [rice, bread]),
            Fault(sql: "DELETE FROM ingredient_names WHERE key = 'riz'", index: [rice]),
            Fault(sql: "UPDATE ingredient_names SET key = 'brot' WHERE key LIKE 'creme%'", index: [bread]),
            Fault(sql: "INSERT INTO ingredient_names VALUES ('ghost', 7)", index: [Ingredient.ID(rawValue: 7)]),
            Fault(sql: "DELETE FROM ingredient_terms WHERE term = 'pain'", index: [bread]),
            Fault(sql: "DELETE FROM ingredient_terms_version", index: [rice, bread]),
            Fault(sql: "INSERT INTO ingredient_search (rowid, words) VALUES (9, '=00 ghost')", index: [Ingredient.ID(rawValue: 9)]),
            Fault(sql: "INSERT INTO ingredient_search (rowid, words) VALUES (9, 'rice')", index: [Ingredient.ID(rawValue: 9)]),
            Fault(sql: "UPDATE ingredients SET name = 'Bread' WHERE id = 2", index: [bread]),
            Fault(sql: "UPDATE ingredients SET category = 'fat' WHERE id = 2", index: [bread]),
        ]
    }

    @Test(arguments: Fault.all)
    func `a check names exactly what is wrong, and a rebuild repairs it`(_ fault: Fault) async throws {
        let (database, diary) = try await make()
        let days = Self.old...Self.next
        #expect(try await diary.totals.check() == FoodDiaryCheck(days: days))
        try await database.write { db in try db.execute(SQL(stringLiteral: fault.sql)) }
        let check = try await diary.totals.check()
        #expect(check == FoodDiaryCheck(days: days, totals: fault.totals, hours: fault.hours, usage: fault.usage, index: fault.index))
        #expect(check.isSound == (fault.testDescription == "SELECT 1"))
        try await diary.totals.rebuild()
        #expect(try await diary.totals.check() == FoodDiaryCheck(days: days))
        try await database.expectAgreement()
    }

    @Test func `a check names a missing ingredient that entries refer to, and a rebuild removes the references`() async throws {
        let folder = try TemporaryFolder()
        var database = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        let rice = try await FoodDiaryRepositories(database).save(Meal.ingredient("Rice"))
        _ = try await FoodDiaryRepositories(database).entries.add(Meal.draft("a", .ingredient(rice.id)))
        await database.close()
        do {
            let connection = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
            try connection.run("PRAGMA foreign_keys = 0")
            try connection.run("DELETE FROM ingredients")
        }
        database = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        let totals = SQLiteDailyTotalRepository(database)
        #expect(try await totals.check() == FoodDiaryCheck(days: Meal.day...Meal.day, usage: [rice.id], index: [rice.id]))
        try await totals.rebuild()
        #expect(try await totals.check().isSound)
        await database.close()
    }

    @Test func `of many wrong places the first are named, and all are counted`() {
        let days = (0..<300).map { Meal.day.advanced(by: -$0) }
        let check = FoodDiaryCheck(days: nil, totals: days + days)
        #expect(check.totals.count == 300 && check.totals.first.count == 100 && check.totals.first.first == days.last)
        #expect(!check.isSound && FoodDiaryCheck(days: nil).isSound)
    }

    @Test(arguments: DiaryKind.allCases)
    func `a diary is sound after any operations of its repositories`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        #expect(try await diary.totals.check() == FoodDiaryCheck(days: nil))
        let days = Meal.day.advanced(by: -20)...Meal.day
        let sample = FoodDiarySample(ingredientCount: 300, days: days, entriesPerDay: 4)
        try await sample.fill(diary.ingredients, diary.entries)
        let check = try await diary.totals.check()
        #expect(check.isSound && check.days?.upperBound == Meal.day)
        let before = try await diary.everything()
        try await diary.totals.rebuild()
        #expect(try await diary.everything() == before)
        #expect(try await diary.totals.check() == check)
    }

    @Test func `a check during writes reads one snapshot`() async throws {
        let folder = try TemporaryFolder()
        let (database, other) = (
            try await SQLiteDatabase.openFoodDiary(.file(folder.file())), try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        )
        let rice = try await FoodDiaryRepositories(database).save(Meal.ingredient("Rice"))
        let writer = Task {
            let entries = SQLiteFoodEntryRepository(other)
            for hour in 0..<60 { _ = try await entries.add(Meal.draft("\(hour)", .ingredient(rice.id), at: Double(hour % 24))) }
        }
        for _ in 0..<60 { #expect(try await SQLiteDailyTotalRepository(database).check().isSound) }
        try await writer.value
        #expect(try await SQLiteDailyTotalRepository(database).check() == FoodDiaryCheck(days: Meal.day...Meal.day))
        await database.close()
        await other.close()
    }

    @Test func `a cancelled check or rebuild returns nothing and changes nothing`() async throws {
        let (database, diary) = try await make()
        try await database.execute("DELETE FROM daily_totals")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await diary.totals.check() }
            try await diary.totals.rebuild()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await diary.totals.check().totals.count == 3)
    }

    @Test func `a rebuild that is cancelled while it runs is undone`() async throws {
        let (database, _) = try await make()
        try await database.execute("DELETE FROM daily_totals")
        struct Stop: Error {}
        for last in 0..<3 {
            await #expect(throws: Stop.self) {
                try await database.write { db in
                    var count = 0
                    try FoodDiarySchema.rebuild(in: db) {
                        if count == last { throw Stop() }
                        count += 1
                    }
                }
            }
            #expect(try await database.count("SELECT count(*) FROM daily_totals") == 0)
        }
    }
}
