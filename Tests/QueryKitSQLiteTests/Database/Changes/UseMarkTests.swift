import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Detects a copy of a database file that was made without its log.
struct UseMarkTests {
    let folder: TemporaryFolder
    let migrations: SQLiteMigrations = [SQLiteMigration("first", "CREATE TABLE food (name TEXT)")]

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String = "test.sqlite") async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(.file(folder.file(name)), migrations: migrations)
    }

    /// Copies the file as it is now, and returns the causes reported when the copy is opened.
    private func causes(ofCopy name: String, withLog: Bool = false) async throws -> [String] {
        try copy(as: name, withLog: withLog)
        let copy = try await open(name)
        defer { Task { await copy.close() } }
        return copy.report.unacknowledged.map(\.cause)
    }

    private func copy(as name: String, withLog: Bool = false) throws {
        for suffix in withLog ? ["", "-wal"] : [""] {
            try FileManager.default.copyItem(atPath: folder.path("test.sqlite" + suffix), toPath: folder.path(name + suffix))
        }
    }

    @Test func `D9 a copy without its log reports possibly missing commits until that is acknowledged`() async throws {
        let database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        try copy(as: "copy.sqlite")
        for isLast in [false, true] {
            let copy = try await open("copy.sqlite")
            let report = try #require(copy.report.unacknowledged.first)
            #expect(copy.report.unacknowledged.count == 1)
            #expect(report.cause.hasPrefix("The file is a copy of a database in use, without the log next to it"))
            #expect(report.incomplete == ["food"])
            #expect(report.quarantine == nil)
            if isLast { try await copy.acknowledgeRecoveries() }
            await copy.close()
        }
        let copy = try await open("copy.sqlite")
        #expect(copy.report.unacknowledged.isEmpty)
        await copy.close()
        await database.close()
    }

    @Test func `D9 a reader also reports a copy without its log`() async throws {
        let database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        try copy(as: "copy.sqlite")
        let reader = try await SQLiteReader.open(folder.file("copy.sqlite"), migrations: migrations)
        #expect(reader.report.unacknowledged.count == 1)
        await reader.close()
        await database.close()
    }

    @Test func `D9 a copy with its log and a file of a killed process report nothing`() async throws {
        let database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        #expect(try await causes(ofCopy: "copy.sqlite", withLog: true) == [])
        await database.close()
    }

    @Test func `D9 a copy without its log reports nothing before the first write or after a close, suspension or checkpoint`()
        async throws
    {
        var database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        await database.close()
        #expect(try await causes(ofCopy: "closed.sqlite") == [])
        database = try await open()
        #expect(try await database.count("SELECT count(*) FROM food") == 1)
        #expect(try await causes(ofCopy: "unwritten.sqlite") == [])
        try await database.execute("INSERT INTO food VALUES ('rye')")
        await database.suspend()
        #expect(try await causes(ofCopy: "resting.sqlite") == [])
        database.resume()
        try await database.execute("INSERT INTO food VALUES ('barley')")
        #expect(try await causes(ofCopy: "again.sqlite").count == 1)
        try await database.checkpoint()
        #expect(try await causes(ofCopy: "written.sqlite") == [])
        try await database.execute("INSERT INTO food VALUES ('millet')")
        #expect(try await causes(ofCopy: "later.sqlite").count == 1)
        await database.close()
    }

    @Test func `D9 a copy is detected even after the database has written its log back on its own`() async throws {
        let database = try await open()
        let text = String(repeating: "x", count: 3_000)
        for _ in 0..<3 {
            try await database.write { db in for _ in 0..<1_100 { try db.execute("INSERT INTO food VALUES (\(text))") } }
            // The writer writes the log back after the write.
            try await database.core.lanes.perform(.write) { _, _ in }
        }
        try await database.execute("INSERT INTO food VALUES ('last')")
        #expect(try await causes(ofCopy: "copy.sqlite").count == 1)
        let copy = try await SQLiteReader.open(folder.file("copy.sqlite"), migrations: migrations)
        #expect(try await copy.read { try $0.value(Int.self, "SELECT count(*) FROM food") } ?? 0 >= 1_100)
        await copy.close()
        await database.close()
    }

    @Test func `D9 a file is marked again after another process has closed it`() async throws {
        let database = try await open()
        for number in 0..<20 { try await database.execute("INSERT INTO food VALUES (\(number))") }
        let other = try await open()
        try await other.execute("INSERT INTO food VALUES ('rye')")
        await other.close()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        try await database.core.lanes.perform(.write) { _, _ in }
        try await database.execute("INSERT INTO food VALUES ('barley')")
        #expect(try await causes(ofCopy: "copy.sqlite").count == 1)
        await database.close()
    }

    @Test func `D9 a leftover mark is not reported after a kill, in a backup or after a close`() async throws {
        let database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        // As if the process had been killed between the two commits of a mark.
        try await database.core.lanes.perform(.write) { connection, _ in try connection.run("INSERT INTO querykit_use VALUES (1)") }
        #expect(try await causes(ofCopy: "killed.sqlite", withLog: true) == [])
        try await database.backup(to: folder.file("backup.sqlite"))
        let backup = try await open("backup.sqlite")
        #expect(backup.report.unacknowledged.isEmpty)
        await backup.close()
        await database.close()
        #expect(try await causes(ofCopy: "closed.sqlite") == [])
    }

    @Test func `D9 a recovered file is marked as well`() async throws {
        var database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        await database.close()
        var bytes = try Data(contentsOf: folder.file())
        bytes.replaceSubrange(0..<16, with: Data(count: 16))
        try bytes.write(to: folder.file())
        database = try await open()
        #expect(database.report.unacknowledged.count == 1)
        try await database.acknowledgeRecoveries()
        try await database.execute("INSERT INTO food VALUES ('rye')")
        #expect(try await causes(ofCopy: "copy.sqlite").count == 1)
        await database.close()
    }

    @Test func `D9 a backup of a database in use reports nothing`() async throws {
        let database = try await open()
        try await database.execute("INSERT INTO food VALUES ('oats')")
        try await database.backup(to: folder.file("backup.sqlite"))
        let backup = try await open("backup.sqlite")
        #expect(backup.report.unacknowledged.isEmpty)
        #expect(try await backup.count("SELECT count(*) FROM food") == 1)
        await backup.close()
        await database.close()
    }

    @Test func `D5 marking a file is not reported as a change to other processes`() async throws {
        let (database, other) = (try await open(), try await open())
        let received = Lock<[SQLiteChangeSet]>([])
        let changes = other.changes
        let task = Task { for await change in changes { received.withLock { $0.append(change) } } }
        try await database.core.lanes.perform(.write) { [log = database.core.log] connection, _ in try connection.checkpointInUse(log) }
        try await database.execute("INSERT INTO food VALUES ('oats')")
        while received.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(received.withLock { $0 } == [SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "food")], [TableChange("food", [1])])])
        task.cancel()
        await database.close()
        await other.close()
    }

    @Test func `D9 a file that can't be marked can still be written`() async throws {
        let database = try await open()
        try await database.core.lanes.perform(.write) { connection, _ in try connection.run("DROP TABLE querykit_use") }
        try await database.execute("INSERT INTO food VALUES ('oats')")
        #expect(try await database.count("SELECT count(*) FROM food") == 1)
        await database.close()
    }
}
