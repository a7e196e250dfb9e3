import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Damage that is found while the database is in use.
struct RepairTests {
    private let folder: WatchedFolder
    private let url: URL
    private let bytes: [UInt8]

    /// A file with a damaged page in the middle of a table.
    init() async throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
        var pages = PantryPages(bytes: try await Pantry.file())
        try Data(pages.bytes).write(to: url)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        bytes = pages.bytes
        try Data(bytes).write(to: url)
    }

    private func open(_ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        change(&configuration)
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
        try #require(database.report.outcome == .healthy)
        return database
    }

    /// The error of a statement that finds the damage, without the recovery that follows.
    private func damage(_ database: SQLiteDatabase) async throws -> SQLiteError {
        do {
            try await database.core.lanes.perform(.write) { connection, _ in
                _ = try connection.rows("SELECT note FROM entries NOT INDEXED") { _ in 0 }
            }
        } catch let error as SQLiteError {
            return error
        }
        throw SQLiteError(.error, "The damage does not show.")
    }

    private func count(_ database: SQLiteDatabase) async throws -> Int {
        try await database.read { db in try db.map("SELECT note FROM entries NOT INDEXED") { _ in 0 }.count }
    }

    @Test func `R26 a statement that finds damage throws, and repair makes reads work again`() async throws {
        let database = try await open()
        let error = try await damage(database)
        #expect(error.code == .corrupt && error.isDamage)
        var changes = database.changes.makeAsyncIterator()
        #expect(await database.repair(after: error))
        #expect(await changes.next()?.regions == [.everything])
        #expect(try await count(database) > 300)
        guard case .recovered(let recovery) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(recovery.incomplete == ["entries"])
        #expect(recovery.rows["entries"] == (try await count(database)))
        #expect(Array(try Data(contentsOf: #require(recovery.quarantine))) == bytes)
        // Writes go into the new file, and the next opening finds them.
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") }
        await database.close()
        let next = try await open()
        #expect(try await next.read { db in try db.value(Int.self, "SELECT count(*) FROM notes WHERE text = 'after'") } == 1)
    }

    @Test func `R26 concurrent repairs are one, and a late one finds the file sound`() async throws {
        let database = try await open()
        let error = try await damage(database)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await database.repair(after: error) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: true, count: 20))
        let report = database.report.outcome
        #expect(await database.repair(after: error))
        #expect(database.report.outcome == report)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".damaged-") }.count == 1)
    }

    @Test func `R26 repair does nothing about other errors, or if damage must not be repaired`() async throws {
        let database = try await open { $0.damage = .fail }
        let error = try await damage(database)
        #expect(await database.repair(after: error) == false)
        await database.close()
        #expect(Array(try Data(contentsOf: url)) == bytes)
        let other = try await open()
        #expect(await other.repair(after: CancellationError()) == false)
        #expect(await other.repair(after: SQLiteError(.busy, "")) == false)
        #expect(other.report.outcome == .healthy)
        let memory = try await SQLiteDatabase.open(.inMemory)
        #expect(await memory.repair(after: error) == false)
    }

    @Test func `reads and writes started during a repair wait for it`() async throws {
        let database = try await open()
        let error = try await damage(database)
        async let repaired = database.repair(after: error)
        let writes = try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    _ = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") }
                    try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES (\("during \(number)"))") }
                }
            }
            try await group.waitForAll()
            return 50
        }
        #expect(await repaired)
        let kept = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes WHERE text LIKE 'during%'") }
        #expect(kept == writes)
    }

    @Test func `a database suspended during a repair is repaired after it has resumed, if not before`() async throws {
        let database = try await open()
        let error = try await damage(database)
        async let repaired = database.repair(after: error)
        await database.suspend()
        database.resume()
        #expect(await repaired)
        #expect(try await count(database) > 300)
    }

    @Test func `a second suspension does not deadlock with a repair that waits for the end of the first`() async throws {
        let database = try await open()
        let error = try await damage(database)
        await database.suspend()
        async let repaired = database.repair(after: error)
        while database.core.separateWork.waitingCount == 0 { await Task.yield() }
        await database.suspend()
        database.resume()
        #expect(await repaired)
        #expect(try await count(database) > 300)
    }

    @Test func `a second suspension does not wait for a repair that waits for the first one, which is not yet complete`() async throws {
        let database = try await open()
        let error = try await damage(database)
        // The first suspension has just begun.
        let lanes = database.core.lanes
        await lanes.pause(.suspension, disconnects: false)
        async let repaired = database.repair(after: error)
        while lanes.state.withLock({ $0.suspensionWaiters.isEmpty }) { await Task.yield() }
        await database.suspend()
        database.resume()
        #expect(await repaired)
        #expect(try await count(database) > 300)
    }

    @Test func `D9 a log deleted while the database is in use loses no commit, and is reported`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('before')") }
        try FileManager.default.removeItem(atPath: url.path + "-wal")
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") }
        #expect(
            database.report.unacknowledged.first?.cause
                == "\(url.path)-wal was deleted while the database was in use. The commits of this process were saved."
        )
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('later')") }
        let text: SQL = "SELECT count(*) FROM notes WHERE text IN ('before', 'after', 'later')"
        #expect(try await database.read { db in try db.value(Int.self, text) } == 3)
        await database.close()
        let next = try await open()
        #expect(try await next.read { db in try db.value(Int.self, text) } == 3)
        #expect(try await next.integrityCheck() == [])
    }

    @Test func `D9 a log deleted while a read is in flight loses no commit`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('before')") }
        let gate = BlockingGate()
        let read = Task {
            try await database.read { db in
                _ = try db.value(Int.self, "SELECT count(*) FROM entries")
                gate.pass()
            }
        }
        await gate.arrival()
        try FileManager.default.removeItem(atPath: url.path + "-wal")
        let write = Task { try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('late')") } }
        while !database.core.lanes.isPaused { await Task.yield() }
        gate.open()
        try await read.value
        _ = try await write.value
        #expect(
            database.report.unacknowledged.first?.cause
                == "\(url.path)-wal was deleted while the database was in use. The commits of this process were saved."
        )
        // As a process finds the file whose writer was killed here.
        let copy = URL(filePath: url.path + ".copy")
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix) }
        let other = try await SQLiteDatabase.open(.file(copy), migrations: Pantry.migrations)
        #expect(try await other.count("SELECT count(*) FROM notes WHERE text = 'late'") == 1)
        await other.close()
        await database.close()
    }

    @Test func `D9 a log renamed while the database is in use loses no commit, and is reported within 16 commits`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('before')") }
        try FileManager.default.moveItem(atPath: url.path + "-wal", toPath: url.path + "-moved")
        for _ in 1...16 { try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") } }
        #expect(
            database.report.unacknowledged.map(\.cause)
                == ["\(url.path)-wal was deleted while the database was in use. The commits of this process were saved."]
        )
        await database.close()
        let next = try await open()
        #expect(try await next.count("SELECT count(*) FROM notes WHERE text IN ('before', 'after')") == 17)
        await next.close()
    }

    @Test func `D9 a log replaced by another process is noticed, and is kept and reported`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('before')") }
        try FileManager.default.removeItem(atPath: url.path + "-wal")
        try Data().write(to: URL(filePath: url.path + "-wal"))
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('late')") }
        let report = try #require(database.report.unacknowledged.first)
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let kept = try #require(Disk.names(in: folder).map { folder + $0 }.first { $0.hasPrefix(url.path + "-wal-moved-") })
        #expect(
            report.cause == """
                \(url.path)-wal was replaced while the database was in use. Commits of this process since the latest checkpoint may be missing. \
                The log that contains them is now \(kept).
                """
        )
        #expect(try LogContents(path: kept).commits > 0)
        #expect(report.incomplete.contains("notes"))
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('after')") }
        #expect(try await database.count("SELECT count(*) FROM notes WHERE text IN ('late', 'after')") == 2)
        #expect(database.report.unacknowledged.count == 1)
        await database.close()
    }

    @Test func `D10 a closed database is one complete file, even while another reader has it open`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        let reader = try await SQLiteReader.open(url)
        _ = try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") }
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('last')") }
        await database.close()
        let copy = URL(filePath: folder.path(of: "copy.sqlite"))
        try FileManager.default.copyItem(at: url, to: copy)
        let copied = try await SQLiteDatabase.open(.file(copy), migrations: Pantry.migrations)
        #expect(try await copied.read { db in try db.value(Int.self, "SELECT count(*) FROM notes WHERE text = 'last'") } == 1)
        await reader.close()
    }

    @Test func `R26 damage reported by a full-text index is recovered if the table itself is damaged`() async throws {
        let database = try await open()
        #expect(await database.repair(after: SQLiteError(.corrupt, "", extendedCode: 267)))
        #expect(try await count(database) > 300)
        guard case .recovered = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
    }

    @Test func `an inconsistent full-text index is rebuilt in place`() async throws {
        let search: SQLiteMigrations = [SQLiteMigration("search", "CREATE VIRTUAL TABLE search USING fts5 (name)")]
        var configuration = SQLiteDatabase.Configuration()
        let rebuilds = Recorder<Int>()
        configuration.rebuild = { db in
            rebuilds.note(1)
            try db.execute("INSERT INTO search (search) VALUES ('rebuild')")
        }
        let database = try await SQLiteDatabase.open(.temporary, migrations: search, configuration: configuration)
        #expect(await database.repair(after: SQLiteError(.corrupt, "", extendedCode: 267)))
        #expect(rebuilds.count == 1)
        #expect(database.report.outcome == .healthy)
    }
}
