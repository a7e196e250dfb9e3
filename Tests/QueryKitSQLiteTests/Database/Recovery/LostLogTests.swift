import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// Other programs cut the log of an open database short or put something else in its place. Each loss must be reported (D12).
struct LostLogTests {
    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "test.sqlite"))
    }

    private func open() async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(.file(url), migrations: [SQLiteMigration("rows", "CREATE TABLE rows (id INTEGER PRIMARY KEY)")])
    }

    private func write(_ count: Int, to database: SQLiteDatabase) async throws {
        for _ in 0..<count { try await database.execute("INSERT INTO rows DEFAULT VALUES") }
    }

    private func cutLog() throws {
        let handle = try FileHandle(forUpdating: URL(filePath: folder.path(of: "test.sqlite-wal")))
        try handle.truncate(atOffset: try handle.seekToEnd() / 2)
        try handle.close()
    }

    /// Whether rows are missing, and no report says so.
    private func isSilent(_ count: Int, in database: SQLiteDatabase) async throws -> Bool {
        try await database.count("SELECT count(*) FROM rows") ?? 0 < count && database.report.unacknowledged.isEmpty
    }

    @Test func `D12 a log that was cut short is noticed by reopen`() async throws {
        let database = try await open()
        try await write(60, to: database)
        try cutLog()
        try await database.reopen()
        #expect(try await !isSilent(60, in: database))
        await database.close()
    }

    @Test func `D12 a log that was cut short before a suspension is reported by the next process`() async throws {
        let database = try await open()
        try await write(60, to: database)
        try cutLog()
        await database.suspend()
        #expect(!database.report.unacknowledged.isEmpty)
        let next = try await open()
        #expect(try await !isSilent(60, in: next))
        await next.close()
        await database.close()
    }

    @Test func `D12 the loss of a log with a folder in its place is reported`() async throws {
        let database = try await open()
        try await write(5, to: database)
        try folder.remove("test.sqlite-wal")
        try FileManager.default.createDirectory(atPath: folder.path(of: "test.sqlite-wal"), withIntermediateDirectories: false)
        for _ in 0..<20 { try? await write(1, to: database) }
        try FileManager.default.removeItem(atPath: folder.path(of: "test.sqlite-wal"))
        #expect(try await !isSilent(5, in: database))
        await database.close()
        let next = try await open()
        #expect(try await !isSilent(5, in: next))
        await next.close()
    }

    @Test func `D12 a database that is resumed after its log was recovered continues in the new file`() async throws {
        let database = try await open()
        try await write(60, to: database)
        try cutLog()
        var changes = database.changes.makeAsyncIterator()
        await database.suspend()
        database.resume()
        try await write(1, to: database)
        #expect(await changes.next() != nil)
        #expect(try await !isSilent(61, in: database))
        #expect(try await database.count("SELECT count(*) FROM rows") ?? 0 > 1)
        let recoveries = database.report.unacknowledged.count
        await database.close()
        let next = try await open()
        #expect(next.report.unacknowledged.count == recoveries)
        await next.close()
    }

    @Test func `D12 reopen accepts a backup that was copied over the file`() async throws {
        let database = try await open()
        try await write(5, to: database)
        let backup = URL(filePath: folder.path(of: "backup.sqlite"))
        try await database.backup(to: backup)
        try await write(60, to: database)
        try folder.remove("test.sqlite-wal")
        try Data(contentsOf: backup).write(to: url)
        try? await database.reopen()
        #expect(try await database.count("SELECT count(*) FROM rows") == 5)
        await database.close()
    }

    @Test func `D12 without recovery, reopen says once what is lost`() async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .fail
        let database = try await SQLiteDatabase.open(.file(url), configuration: configuration)
        try await database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY)")
        try await write(60, to: database)
        try cutLog()
        let error = await #expect(throws: SQLiteError.self) { try await database.reopen() }
        #expect(error?.code == .corrupt && error?.message.contains("latest") == true)
        try await database.reopen()
        try await write(1, to: database)
        await database.close()
    }

    @Test func `D12 a log that an equal copy has replaced has lost nothing`() async throws {
        let database = try await open()
        try await write(30, to: database)
        let log = folder.path(of: "test.sqlite-wal")
        try FileManager.default.copyItem(atPath: log, toPath: log + "2")
        try folder.move("test.sqlite-wal2", to: "test.sqlite-wal")
        try await write(40, to: database)
        #expect(try await database.count("SELECT count(*) FROM rows") == 70)
        #expect(!database.report.unacknowledged.contains { !$0.incomplete.isEmpty })
        await database.close()
    }
}
