import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// Recovers rows from pages that are no longer reachable because a page above them is damaged.
struct PageCarverTests {
    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private func open() async throws -> SQLiteDatabase { try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations) }

    /// Zeroes the root page of a table.
    private func damage(_ table: String) throws {
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(try Pantry.rootPage(of: table, in: url))
        try Data(pages.bytes).write(to: url)
    }

    private func ids(_ table: SQL, _ database: SQLiteDatabase) async throws -> Set<Int> {
        try await database.read { db in Set(try db.values(Int.self, "SELECT id FROM \(table)")) }
    }

    @Test(arguments: ["entries", "food"])
    func `D9 a table whose root page is damaged keeps all of its rows`(_ table: String) async throws {
        try Data(try await Pantry.file()).write(to: url)
        try damage(table)
        let database = try await open()
        _ = try await database.integrityCheck()
        let recovery = try #require(database.report.unacknowledged.first)
        #expect(recovery.rows["entries"] == 400 && recovery.rows["food"] == 400 && recovery.rows["notes"] == 400)
        #expect(recovery.missing.isEmpty && recovery.incomplete.isEmpty)
        #expect(try await ids("entries", database) == Set(1...400))
        #expect(try await ids("food", database) == Set(1...400))
        // The longest note spans several pages.
        let note = try await database.read { db in try db.value(String.self, "SELECT note FROM entries WHERE id = 50") }
        #expect(note == String(repeating: "note 50 ", count: 800))
        #expect(try await database.integrityCheck() == [])
    }

    @Test func `D9 deleted rows are not recovered from free pages`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        let earlier = try await open()
        try await earlier.write { db in try db.execute("DELETE FROM entries WHERE id BETWEEN 100 AND 350") }
        await earlier.close()
        try damage("entries")
        let database = try await open()
        _ = try await database.integrityCheck()
        #expect(try await ids("entries", database) == Set(1...99).union(351...400))
    }

    @Test func `D9 single pages are not searched if it is unknown which ones are free`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        try damage("entries")
        var bytes = Array(try Data(contentsOf: url))
        // The number of free pages.
        bytes[39] = 9
        try Data(bytes).write(to: url)
        let database = try await open()
        _ = try await database.integrityCheck()
        #expect(database.report.unacknowledged.first?.missing["entries"] == 400)
    }
}
