import Foundation
import QueryKit
import QueryKitTesting
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Copies, checks and maintenance while the database is in use.
struct MaintenanceTests {
    private let folder: WatchedFolder
    private let url: URL
    private let copy: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
        copy = URL(filePath: folder.path(of: "copy.sqlite"))
    }

    private func open(
        _ location: SQLiteDatabase.Location? = nil,
        _ configuration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()
    ) async throws -> SQLiteDatabase {
        let database = try await SQLiteDatabase.open(location ?? .file(url), migrations: Pantry.migrations, configuration: configuration)
        try await Pantry.fill(database)
        return database
    }

    private func count(_ url: URL) async throws -> Int? {
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        #expect(database.report.migrated == [])
        #expect(try await database.integrityCheck() == [])
        let count = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM entries") }
        await database.close()
        return count
    }

    private var others: Set<String> {
        get throws { try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)).filter { !$0.hasPrefix("pantry") } }
    }

    // MARK: Copies

    @Test(arguments: [true, false]) func `D10 a copy is one file for its user only, and complete as soon as it exists`(_ isFile: Bool)
        async throws
    {
        let database = try await open(isFile ? .file(url) : .inMemory)
        let fractions = Recorder<Double>()
        try await database.backup(to: copy) { fractions.note($0) }
        #expect(try others == ["copy.sqlite"])
        #expect(try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int == 0o600)
        // The versions in the header, which ask for no log.
        #expect(try Data(contentsOf: copy)[18...19] == Data([1, 1]))
        #expect(fractions.last == 1)
        #expect(fractions.all == fractions.all.sorted())
        #expect(try await count(copy) == 400)
    }

    @Test func `D10 writes continue during a copy, which contains one snapshot`() async throws {
        let database = try await open()
        try await database.write { db in
            for _ in 0..<600 { try db.execute("INSERT INTO notes (text) VALUES (\(String(repeating: "long ", count: 1_000)))") }
        }
        let steps = Recorder<Double>()
        let begun = Gate()
        let semaphore = DispatchSemaphore(value: 0)
        async let done: Void = database.backup(to: copy) { fraction in
            steps.note(fraction)
            // The copy waits until there was a write.
            guard steps.count == 1 else { return }
            begun.open()
            semaphore.wait()
        }
        try await begun.pass()
        try await database.write { db in try db.execute("INSERT INTO entries (day) VALUES ('during')") }
        semaphore.signal()
        try await done
        #expect(steps.count > 2)
        let copied = try await SQLiteDatabase.open(.file(copy), migrations: Pantry.migrations)
        let found = try await copied.read { db in
            try db.values(Int.self, "SELECT count(*) FROM notes UNION ALL SELECT count(*) FROM entries")
        }
        #expect(found == [1_000, 400])
        #expect(try await copied.integrityCheck() == [])
    }

    @Test func `D10 a cancelled copy leaves the existing file unchanged`() async throws {
        let database = try await open()
        try Data("an older copy".utf8).write(to: copy)
        let begun = Gate()
        let semaphore = DispatchSemaphore(value: 0)
        let task = Task { [copy] in
            try await database.write { db in
                for _ in 0..<600 { try db.execute("INSERT INTO notes (text) VALUES (\(String(repeating: "long ", count: 1_000)))") }
            }
            let seen = Recorder<Double>()
            try await database.backup(to: copy) { fraction in
                seen.note(fraction)
                guard seen.count == 1 else { return }
                begun.open()
                semaphore.wait()
            }
        }
        try await begun.pass()
        task.cancel()
        semaphore.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try others == ["copy.sqlite"])
        #expect(try String(contentsOf: copy, encoding: .utf8) == "an older copy")
        try await database.backup(to: copy)
        #expect(try await count(copy) == 400)
    }

    @Test func `D10 a database can't be copied onto itself, a folder or a database in use`() async throws {
        let database = try await open()
        func refusal(_ target: URL) async -> SQLiteError? {
            await #expect(throws: SQLiteError.self) { try await database.backup(to: target) }
        }
        let link = folder.path(of: "link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: url.path)
        for path in [url.path, url.path + "-wal", link] {
            #expect(
                await refusal(URL(filePath: path))
                    == SQLiteError(.misuse, "A database can't be copied onto itself: \(path). Choose another file.")
            )
        }
        let target = URL(filePath: folder.path)
        #expect(
            await refusal(target)
                == SQLiteError(.cannotOpen, "\(target.path(percentEncoded: false)) is a folder, not a file. Choose a file in it.")
        )
        #expect(await refusal(URL(filePath: folder.path(of: "nowhere") + "/copy.sqlite"))?.code == .inputOutput)
        let other = try await open(.file(copy))
        #expect(
            await refusal(copy)
                == SQLiteError(.misuse, "\(copy.path) is a database in use. Choose another name for the copy.")
        )
        #expect(try await other.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") } == 400)
    }

    @Test func `a reader can copy and check too`() async throws {
        let database = try await open()
        try await database.reader.backup(to: copy)
        #expect(try await count(copy) == 400)
        let reader = try await SQLiteReader.open(url)
        #expect(try await reader.integrityCheck() == [])
    }

    // MARK: Maintenance

    @Test func `D10 a checkpoint empties the log and does not wait for readers`() async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.busyTimeout = .seconds(120)
        let database = try await open(nil, configuration)
        #expect(Disk.size(url.path + "-wal") ?? 0 > 0)
        let done = try await database.checkpoint()
        #expect(done.isComplete && done.logPages > 0)
        #expect(Disk.size(url.path + "-wal") == 0)
        // A reader still uses an older snapshot.
        let reader = try Connection(path: url.path, settings: ConnectionSettings(mode: .readOnly))
        try reader.run("BEGIN")
        _ = try reader.value(Int.self, "SELECT count(*) FROM notes")
        try await database.write { db in try db.execute("DELETE FROM notes") }
        let start = ContinuousClock.now
        let blocked = try await database.checkpoint()
        #expect(!blocked.isComplete)
        #expect(ContinuousClock.now - start < configuration.busyTimeout)
        try reader.run("COMMIT")
        #expect(try await database.checkpoint().isComplete)
        #expect(try await SQLiteDatabase.open(.inMemory).checkpoint() == SQLiteCheckpoint(logPages: 0, writtenPages: 0))
    }

    @Test func `D10 vacuum frees space, and statements still can't attach files after it`() async throws {
        let database = try await open()
        try await database.checkpoint()
        let before = try #require(Disk.size(url.path))
        try await database.write { db in try db.execute("DELETE FROM entries WHERE id > 10") }
        try await database.vacuum()
        #expect(try #require(Disk.size(url.path)) < before)
        #expect(try await database.integrityCheck() == [])
        await #expect(throws: SQLiteError.self) { try await database.write { db in try db.execute("ATTACH 'other' AS other") } }
        let limited = try await database.core.lanes.value(.write) { connection in
            (try? connection.run("ATTACH ':memory:' AS other")) == nil
        }
        #expect(limited)
        try await SQLiteDatabase.open(.inMemory).vacuum()
    }

    // MARK: Checks

    @Test func `D10 a check lists what is wrong and reports its progress`() async throws {
        let database = try await open()
        await database.close()
        var pages = PantryPages(bytes: Array(try Data(contentsOf: url)))
        pages.zero(try Pantry.rootPage(of: "food_name", in: url))
        try Data(pages.bytes).write(to: url)
        let damaged = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        let fractions = Recorder<Double>()
        let problems = try await damaged.integrityCheck { fractions.note($0) }
        #expect(!problems.isEmpty)
        #expect(fractions.all == fractions.all.sorted() && fractions.last == 1 && fractions.count > 5)
        #expect(Set(problems).count == problems.count)
    }

    @Test func `D10 a check finds rows with missing references`() async throws {
        let database = try await open()
        try await database.core.lanes.perform(.write) { connection, _ in
            try connection.run("PRAGMA foreign_keys = 0")
            try connection.run("DELETE FROM food WHERE id < 3")
            try connection.run("PRAGMA foreign_keys = 1")
        }
        #expect(try await database.integrityCheck() == ["2 rows of entries with a reference to a missing row of food"])
    }

    @Test func `D10 a check can be cancelled and does not block writes`() async throws {
        let database = try await open()
        let begun = Gate()
        let semaphore = DispatchSemaphore(value: 0)
        let task = Task {
            let seen = Recorder<Double>()
            return try await database.integrityCheck { fraction in
                seen.note(fraction)
                guard seen.count == 1 else { return }
                begun.open()
                semaphore.wait()
            }
        }
        try await begun.pass()
        try await database.write { db in try db.execute("INSERT INTO notes (text) VALUES ('during')") }
        task.cancel()
        semaphore.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Suspension

    @Test func `work outside of the lanes waits while the database is suspended, and fails once it is closed`() async throws {
        let database = try await open()
        await database.suspend()
        async let problems = database.integrityCheck()
        database.resume()
        #expect(try await problems == [])
        await database.close()
        await #expect { try await database.integrityCheck() } throws: { ($0 as? SQLiteError)?.code == .closed }
    }
}
