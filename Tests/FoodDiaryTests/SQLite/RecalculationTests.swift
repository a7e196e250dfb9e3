import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Totals that don't match their entries, as after damage or a write past the repositories.
struct RecalculationTests {
    private let next = Meal.day.advanced(by: 1)

    private func make() async throws -> (database: SQLiteDatabase, diary: FoodDiaryRepositories) {
        let database = try await SQLiteDatabase.openFoodDiary(.inMemory)
        let diary = FoodDiaryRepositories(database)
        let rice = try await diary.save(Meal.ingredient("Rice"))
        _ = try await diary.entries.add(
            [
                Meal.draft("a", .ingredient(rice.id), at: 8), Meal.draft("b", .ingredient(rice.id), at: 9, confidence: 0.5),
                Meal.draft("c", on: next),
            ],
            key: nil
        )
        return (database, diary)
    }

    @Test(
        arguments: [
            ("UPDATE daily_totals SET entry_count = 7 WHERE day = 20261121", [0]), ("UPDATE daily_totals SET kilocalories = 1", [0, 1]),
            ("UPDATE daily_totals SET protein = 1 WHERE day = 20261121", [0]),
            ("UPDATE daily_totals SET carbohydrates = 1 WHERE day = 20261121", [0]),
            ("UPDATE daily_totals SET fat = 1 WHERE day = 20261121", [0]), ("UPDATE daily_totals SET fiber = 1 WHERE day = 20261121", [0]),
            ("UPDATE daily_totals SET sugar = 1 WHERE day = 20261121", [0]), ("UPDATE daily_totals SET salt = 1 WHERE day = 20261121", [0]),
            ("UPDATE daily_totals SET confidence = confidence + 1 WHERE day = 20261122", [1]), ("DELETE FROM daily_totals", [0, 1]),
            ("INSERT INTO daily_totals VALUES (20261123, 1, 0, 0, 0, 0, 0, 0, 0, 0)", [2]),
            ("DELETE FROM hourly_counts WHERE hour = 9", [0]),
            ("UPDATE hourly_counts SET entry_count = 5 WHERE hour = 12", [1]), ("INSERT INTO hourly_counts VALUES (20261121, 3, 1)", [0]),
            ("DELETE FROM entries WHERE name = 'c'", [1]), ("UPDATE entries SET day = 20261122", [0, 1]),
            ("UPDATE entries SET name = 'z', grams = 1", []),
        ] as [(StaticString, [Int])]
    )
    func `wrong totals are found and corrected, and no others`(_ sql: StaticString, _ wrong: [Int]) async throws {
        let (database, diary) = try await make()
        #expect(try await diary.totals.recalculate(in: Meal.all) == [])
        try await database.execute(SQL(stringLiteral: sql))
        let days = wrong.map { Meal.day.advanced(by: $0) }
        #expect(try await diary.totals.recalculate(in: Meal.day.advanced(by: -9)...Meal.day.advanced(by: -1)) == [])
        #expect(try await diary.totals.recalculate(in: Meal.all) == days)
        #expect(try await diary.totals.recalculate(in: Meal.all) == [])
        try await database.expectAgreement()
    }

    @Test func `only the requested days are corrected`() async throws {
        let (database, diary) = try await make()
        try await database.execute("UPDATE daily_totals SET kilocalories = 1")
        #expect(try await diary.totals.recalculate(in: next...next) == [next])
        #expect(try await diary.totals.total(on: Meal.day).nutrients.kilocalories == 0.001)
        #expect(try await diary.totals.recalculate(in: Meal.day...Meal.day) == [Meal.day])
    }

    @Test func `after damage everything derived from entries is recomputed`() async throws {
        let (database, diary) = try await make()
        let before = try await diary.everything()
        try await database.execute("UPDATE daily_totals SET kilocalories = 1")
        try await database.execute("DELETE FROM hourly_counts")
        try await database.execute("UPDATE ingredients SET usage_count = 17")
        let rebuild = try #require(FoodDiarySchema.configuration().rebuild)
        try await database.write(rebuild)
        #expect(try await diary.everything() == before)
    }

    @Test func `entries of a lost ingredient keep their name and can be edited`() async throws {
        let folder = try TemporaryFolder()
        var database = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        let rice = try await FoodDiaryRepositories(database).save(Meal.ingredient("Rice"))
        let entry = try await FoodDiaryRepositories(database).entries.add(Meal.draft("a", .ingredient(rice.id), at: 8))
        await database.close()
        do {
            let connection = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
            try connection.run("PRAGMA foreign_keys = 0")
            try connection.run("DELETE FROM ingredients")
        }
        database = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        try await database.write(try #require(FoodDiarySchema.configuration().rebuild))
        let entries = FoodDiaryRepositories(database).entries
        let orphan = try #require(await entries.entry(entry.id))
        var draft = orphan.draft
        #expect(draft.name == "a" && draft.food == .unlisted)
        draft.grams += 1
        #expect(try await entries.update(orphan, to: draft).grams == entry.grams + 1)
        await database.close()
    }

    @Test func `an app's own rebuild runs first, and a partition is declared once`() async throws {
        let (database, _) = try await make()
        var base = SQLiteDatabase.Configuration()
        base.partitions = [FoodDiarySchema.partitions[0]]
        base.rebuild = { db in try db.execute("UPDATE entries SET kilocalories = 1000") }
        let configuration = FoodDiarySchema.configuration(base)
        #expect(configuration.partitions == FoodDiarySchema.partitions)
        try await database.write(try #require(configuration.rebuild))
        #expect(try await database.count("SELECT sum(kilocalories) FROM daily_totals") == 3_000)
    }
}
