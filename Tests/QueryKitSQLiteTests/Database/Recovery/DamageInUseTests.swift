import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Damage found in use, in whichever way, leads to one recovery, whose report is kept until it is acknowledged.
struct DamageInUseTests {
    private let folder: WatchedFolder
    private let url: URL
    /// How many entries the zeroed page contained, by day.
    private let lost: [String: Int]

    init() async throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
        var pages = PantryPages(bytes: try await Pantry.file())
        try Data(pages.bytes).write(to: url)
        let before = try Self.days(url)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        try Data(pages.bytes).write(to: url)
        let copy = URL(filePath: folder.path(of: "copy.sqlite"))
        try Data(pages.bytes).write(to: copy)
        let saved = try await SQLiteDatabase.open(.file(copy), migrations: Pantry.migrations)
        _ = try await saved.integrityCheck()
        await saved.close()
        let after = try Self.days(copy)
        lost = before.mapValues { $0 }.merging(after) { $0 - $1 }.filter { $0.value > 0 }
        try #require(!lost.isEmpty)
    }

    private static func days(_ url: URL) throws -> [String: Int] {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readOnly))
        return try RowCounter.counts(of: "entries", by: "day", on: connection)
    }

    private func open(_ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = [SQLitePartition(table: "entries", column: "day")]
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
    }

    private static let finders: [(name: String, find: @Sendable (SQLiteDatabase, URL) async throws -> Void)] = [
        (
            "a read",
            { database, _ in
                let count = try await database.read { db in try db.map("SELECT note FROM entries NOT INDEXED") { _ in 0 }.count }
                #expect(count > 300)
            }
        ),
        ("a write", { database, _ in _ = try await database.write { db in try db.execute("UPDATE entries SET note = 'new'") } }),
        (
            "a copy",
            { database, copy in
                try await database.write { db in try db.execute("UPDATE entries SET note = 'new'") }
                try await database.backup(to: copy)
            }
        ),
        (
            "a check",
            { database, _ in
                let problems = try await database.integrityCheck()
                #expect(!problems.isEmpty)
            }
        ),
    ]

    @Test(arguments: finders.indices)
    func `D9 any operation that finds damage causes one recovery, and the report lists the missing rows`(_ index: Int) async throws {
        let database = try await open()
        #expect(database.report.outcome == .healthy && database.report.unacknowledged.isEmpty)
        try await Self.finders[index].find(database, URL(filePath: folder.path(of: "backup.sqlite")))
        let recovery = try #require(database.report.unacknowledged.first)
        #expect(database.report.unacknowledged.count == 1)
        #expect(recovery.missing["entries"] == lost.values.reduce(0, +))
        #expect(recovery.missingPartitions["entries"] == lost)
        #expect(FileManager.default.fileExists(atPath: try #require(recovery.quarantine).path(percentEncoded: false)))
        #expect(try await database.integrityCheck() == [])
        try await Self.finders[0].find(database, url)
        #expect(database.report.unacknowledged == [recovery])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("pantry.sqlite.damaged-") && !$0.hasSuffix("-wal") }.count == 1
        )
    }

    @Test func `D9 each opening reports a recovery until it is acknowledged`() async throws {
        let first = try await open()
        _ = try await first.integrityCheck()
        let recovery = try #require(first.report.unacknowledged.first)
        await first.close()
        let second = try await open()
        #expect(second.report.outcome == .healthy)
        #expect(second.report.unacknowledged == [recovery])
        let reader = try await SQLiteReader.open(url)
        #expect(reader.report.unacknowledged == [recovery])
        await reader.close()
        try await second.acknowledgeRecoveries()
        #expect(second.report.unacknowledged.isEmpty)
        await second.close()
        let third = try await open()
        #expect(third.report.unacknowledged.isEmpty)
    }

    @Test func `D9 the stream of reports begins with the opening and includes the recovery caused by a read`() async throws {
        let database = try await open()
        var reports = database.reports.makeAsyncIterator()
        #expect(await reports.next()?.outcome == .healthy)
        try await Self.finders[0].find(database, url)
        guard case .recovered = await reports.next()?.outcome else {
            Issue.record("no report of the recovery")
            return
        }
        await database.close()
        #expect(await reports.next() == nil)
    }

    @Test func `D9 if damage must not be repaired, a read fails with it and the file stays unchanged`() async throws {
        let bytes = try Data(contentsOf: url)
        let database = try await open { $0.damage = .fail }
        let error = await #expect(throws: SQLiteError.self) { try await Self.finders[0].find(database, url) }
        #expect(error?.message.hasPrefix("\(url.path): ") == true)
        let advice = "Restore a backup, or set the configuration's damage to .recover, which saves what can be read."
        #expect(error?.message.hasSuffix(". \(advice)") == true)
        await database.close()
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `D9 a reader that finds damage says which file is damaged, and what can save its contents`() async throws {
        let reader = try await SQLiteReader.open(url)
        let error = await #expect(throws: SQLiteError.self) {
            try await reader.read { db in try db.map("SELECT note FROM entries NOT INDEXED") { _ in 0 }.count }
        }
        #expect(error?.message.hasPrefix("\(url.path): ") == true)
        #expect(error?.message.hasSuffix(". Open it with SQLiteDatabase, which saves what can be read.") == true)
    }

    @Test func `D9 a file that another process has open is not recovered, and the error says so`() async throws {
        let database = try await open { $0.busyTimeout = .milliseconds(50) }
        let other = try await SQLiteReader.open(url)
        _ = try await other.read { db in try db.value(Int.self, "SELECT 1 FROM sqlite_schema") }
        let error = await #expect(throws: SQLiteError.self) { try await Self.finders[0].find(database, url) }
        #expect(error?.code == .corrupt)
        #expect(
            error?.message == """
                The file is damaged and can't be recovered now: \(url.path) is damaged, and can't be recovered while another process, or another \
                SQLiteDatabase of this process, has it open. Close it there.
                """
        )
        await other.close()
        try await Self.finders[0].find(database, url)
        #expect(database.report.unacknowledged.count == 1)
    }

    @Test func `D9 while repairs fail, reads fail at once, and an explicit repair tries again`() async throws {
        let database = try await open { $0.busyTimeout = .seconds(1) }
        let other = try await SQLiteReader.open(url)
        _ = try await other.read { db in try db.value(Int.self, "SELECT 1 FROM sqlite_schema") }
        for _ in 0..<2 { await #expect(throws: SQLiteError.self) { try await Self.finders[0].find(database, url) } }
        let clock = ContinuousClock()
        let start = clock.now
        var last: SQLiteError?
        for _ in 0..<5 { last = await #expect(throws: SQLiteError.self) { try await Self.finders[0].find(database, url) } }
        // Each attempt would wait a second for the other reader.
        #expect(clock.now - start < .seconds(4))
        #expect(last?.message.contains("has it open") == true)
        await other.close()
        #expect(await database.repair(after: try #require(last)))
        try await Self.finders[0].find(database, url)
        await database.close()
    }

    @Test func `D9 statements that fail for other reasons don't prevent a recovery from damage`() async throws {
        let database = try await open()
        for _ in 0..<5 {
            let error = await #expect(throws: SQLiteError.self) {
                try await database.read { db in _ = try db.value(Int.self, "SELECT count(*) FROM absent") }
            }
            #expect(error?.message == "no such table: absent")
        }
        try await Self.finders[0].find(database, url)
        #expect(database.report.unacknowledged.count == 1)
        await database.close()
    }

    @Test func `D9 if no new file can be created, a database in use keeps its file and the write fails`() async throws {
        let database = try await open()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('a')") }
        // The draft of the new file can't be created, because there is a folder with its name.
        let draft = FileReplacement(url.path(percentEncoded: false)).draft
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: draft + "/full", withIntermediateDirectories: false)
        let error = await #expect(throws: SQLiteError.self) { try await Self.finders[1].find(database, url) }
        #expect(error?.message.hasPrefix("The file is damaged and can't be recovered now: ") == true)
        #expect(database.report.outcome == .healthy)
        try FileManager.default.removeItem(atPath: draft)
        try await Self.finders[1].find(database, url)
        #expect(database.report.unacknowledged.count == 1)
        await database.close()
    }

    @Test func `D9 a rebuild that always finds damage ends, and a suspension after it ends too`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        let calls = Lock(0)
        let database = try await open { configuration in
            configuration.rebuild = { _ in
                calls.withLock { $0 += 1 }
                throw SQLiteError(.error, "vtable constructor failed: t")
            }
        }
        // The tables are sound, so the file is recreated without what could not be rebuilt.
        #expect(await database.repair(after: SQLiteError(.error, "vtable constructor failed: t")))
        #expect(calls.withLock { $0 } == 2)
        await database.suspend()
        database.resume()
        await database.close()
    }

    @Test func `D9 damage found during a suspension is repaired after it`() async throws {
        let database = try await open()
        let gate = BlockingGate()
        let isFirst = Lock<Void?>(())
        let read = Task {
            try await database.read { db in
                if isFirst.withLock({ $0.take() }) != nil {
                    gate.pass()
                }
                return try db.map("SELECT note FROM entries NOT INDEXED") { _ in 0 }.count
            }
        }
        await gate.arrival()
        let suspension = Task { await database.suspend() }
        while !database.core.lanes.isPaused { await Task.yield() }
        gate.open()
        await suspension.value
        // The journal mode can be changed only if no other connection is open.
        let other = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        #expect(try other.value(String.self, "PRAGMA journal_mode = DELETE") == "delete")
        #expect(database.report.unacknowledged.isEmpty)
        withExtendedLifetime(other) {}
        database.resume()
        #expect(try await read.value > 300)
        #expect(database.report.unacknowledged.count == 1)
        await database.close()
    }

    // MARK: Stored values

    @Test func `D9 a text that is not UTF-8 is found, repaired and reported`() async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        try await database.write { db in try db.execute("UPDATE food SET name = CAST(x'61ff62' AS TEXT) WHERE id = 7") }
        #expect(try await database.integrityCheck() == ["1 text of food.name are not UTF-8"])
        #expect(try await database.integrityCheck() == [])
        #expect(database.report.unacknowledged.first?.mendedTexts == ["food": 1])
        #expect(try await database.read { db in try db.value(String.self, "SELECT name FROM food WHERE id = 7") } == "a\u{FFFD}b")
    }

    @Test(arguments: [Int64.max, .max - 1, 1 << 62 + 1, .min])
    func `D9 a number in the change log at the limits of Int64 does not stop a writer`(_ number: Int64) async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('a')") }
        try await database.core.lanes.perform(.write) { connection, _ in
            try connection.run(
                "UPDATE querykit_changes SET number = ? WHERE number = (SELECT max(number) FROM querykit_changes)",
                [.integer(number)]
            )
        }
        for _ in 1...3 { try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('b')") } }
        await database.close()
        let next = try await open()
        for _ in 1...3 { try await next.write { db in try db.execute("INSERT INTO notes (text) VALUES ('c')") } }
        #expect(try await next.read { db in try db.value(Int.self, "SELECT count(*) FROM notes WHERE text IN ('a', 'b', 'c')") } == 7)
    }

    // MARK: The schema

    @Test(arguments: ["DROP TABLE settings", "DROP INDEX food_name", "ALTER TABLE food DROP COLUMN grams", "DROP TABLE notes"])
    func `D9 a dropped part of the schema is recreated and reported`(_ statement: String) async throws {
        let database = try await open()
        _ = try await database.integrityCheck()
        try await database.acknowledgeRecoveries()
        await database.close()
        try change(statement)
        let next = try await open()
        let recovery = try #require(next.report.unacknowledged.first)
        #expect(recovery.cause.contains("is missing"))
        #expect(recovery.rows["food"] == 400)
        _ = try await next.read { db in
            try db.forEach("SELECT grams FROM food INDEXED BY food_name WHERE name = 'x'") { _ in }
            try db.forEach("SELECT value FROM settings UNION ALL SELECT text FROM notes") { _ in }
        }
    }

    /// Changes the file as another program would, and closes it.
    private func change(_ statement: String) throws {
        try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite)).run(statement)
    }
}
