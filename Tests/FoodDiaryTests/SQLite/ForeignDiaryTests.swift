import Foundation
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// The database of another program, given to the food diary by mistake.
struct ForeignDiaryTests {
    @Test(arguments: [false, true])
    func `D9 another program's database is refused and left unchanged while its log is not written back`(_ isPartlyWritten: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let url = folder.file()
        let path = url.path(percentEncoded: false)
        let other = try Connection(path: path, settings: ConnectionSettings(mode: .readWrite))
        try other.run("PRAGMA journal_mode = wal")
        try other.run("PRAGMA wal_autocheckpoint = 0")
        try other.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        if isPartlyWritten { try other.run("PRAGMA wal_checkpoint") }
        try other.run("CREATE TABLE links (note INTEGER NOT NULL)")
        try other.run("INSERT INTO notes (text) VALUES ('kept')")
        let files = [path, path + "-wal"]
        let before = files.map { FileManager.default.contents(atPath: $0) }
        #expect(before[1]?.isEmpty == false)
        await #expect {
            try await SQLiteDatabase.openFoodDiary(.file(url))
        } throws: { error in
            (error as? SQLiteError)?.message == "\(path) is the database of another program, and was left unchanged. Choose another file."
        }
        #expect(files.map { FileManager.default.contents(atPath: $0) } == before)
        #expect(try other.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 2)
    }

    @Test func `D9 a diary whose log is not written back is opened with its entries`() async throws {
        let folder = try TemporaryFolder()
        let first = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        _ = try await FoodDiaryRepositories(first).entries.add([Meal.draft("a", at: 8)], key: nil)
        let second = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        #expect(try await FoodDiaryRepositories(second).entries.recentEntries(limit: 9).map(\.name) == ["a"])
        await second.close()
        await first.close()
    }
}
