import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// A database from its opening to its end.
struct LifeTests {
    @Test func `a suspended database closes its files and continues when it is resumed`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)")
        try await database.execute("INSERT INTO t VALUES (1)")
        await database.suspend()
        // The last connection to close a file writes its log back and removes it.
        #expect(!FileManager.default.fileExists(atPath: folder.path("test.sqlite-wal")))
        async let waiting = database.count("SELECT count(*) FROM t")
        database.resume()
        #expect(try await waiting == 1)
        await database.close()
    }

    @Test func `a suspension that has ended closes no connection, even if another one waits for running work`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE a (id INTEGER PRIMARY KEY)")
        let lanes = database.core.lanes
        let ended = lanes.announceSuspension()
        database.resume()
        // Work on a connection, such as a write on its caller's thread.
        let lane = try await lanes.acquire()
        try await withCheckedThrowingContinuation { (opened: CheckedContinuation<Void, any Error>) in
            lane.queue.async { opened.resume(with: Result { _ = try lane.connected() }) }
        }
        let suspension = Task { await database.suspend() }
        while !lanes.isPaused { await Task.yield() }
        await lanes.pause(suspension: ended)
        #expect(lane.openConnection != nil)
        lanes.release(lane)
        await suspension.value
        #expect(lane.openConnection == nil)
        database.resume()
        #expect(try await database.count("SELECT count(*) FROM a") == 0)
        await database.close()
    }

    @Test func `separate work stays paused for a later suspension when an earlier one ends`() async {
        let work = SeparateWork(name: "test")
        await work.pause(.suspension, suspension: 1)
        await work.pause(.suspension, suspension: 2)
        work.resume(.suspension, suspension: 1)
        #expect(work.isPaused(for: .suspension))
        work.resume(.suspension, suspension: 2)
        #expect(!work.isPaused(for: .suspension))
    }

    @Test func `work that waits for a suspended database can be cancelled`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        await database.suspend()
        let task = Task { try await database.count("SELECT 1") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        database.resume()
        #expect(try await database.count("SELECT 1") == 1)
    }

    @Test func `a suspension that is ended before it began holds nothing back`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        let gate = BlockingGate()
        let job = Task {
            try await database.read { _ in
                gate.pass()
            }
        }
        await gate.arrival()
        let suspension = Task { await database.suspend() }
        while !database.core.lanes.isPaused { await Task.yield() }
        database.resume()
        await suspension.value
        #expect(try await database.count("SELECT 1") == 1)
        gate.open()
        try await job.value
        let lanes = database.core.lanes
        let late = lanes.announceSuspension()
        database.resume()
        await lanes.pause(suspension: late)
        #expect(try await database.count("SELECT 1") == 1)
        await database.close()
    }

    @Test func `a database in memory survives its suspension`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)")
        try await database.execute("INSERT INTO t VALUES (1)")
        await database.suspend()
        database.resume()
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
    }

    @Test func `after close all work fails, including work that was waiting`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        await database.suspend()
        let waiting = Task { try await database.count("SELECT 1") }
        while database.core.lanes.waitingCount == 0 { await Task.yield() }
        await database.close()
        let errors = [
            await #expect(throws: SQLiteError.self) { try await waiting.value },
            await #expect(throws: SQLiteError.self) { try await database.count("SELECT 1") },
            await #expect(throws: SQLiteError.self) { try await database.execute("SELECT 1") },
        ]
        #expect(errors.allSatisfy { $0 == SQLiteError(.closed, "The database is closed. Open it again before you use it.") })
        await database.close()
    }

    @Test func `a temporary database leaves no files behind`() async throws {
        var database: SQLiteDatabase? = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a)")
        let path = try #require(database?.core.opener.location.path)
        #expect(FileManager.default.fileExists(atPath: path))
        await database?.close()
        database = nil
        for file in ResolvedLocation.files(of: path) { #expect(!FileManager.default.fileExists(atPath: file)) }
    }

    @Test func `committed rows are there when the file is opened again`() async throws {
        let folder = try TemporaryFolder()
        for round in 1...3 {
            let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)")
            try await database.execute("INSERT INTO t VALUES (\(round))")
            #expect(try await database.count("SELECT count(*) FROM t") == round)
            #expect(database.report.migrated == (round == 1 ? ["tables"] : []))
            await database.close()
        }
    }

    @Test func `opening fails if the folder is missing or the path is not a file`() async throws {
        let folder = try TemporaryFolder()
        let missing = folder.url.appending(path: "none/test.sqlite")
        let first = await #expect(throws: SQLiteError.self) { try await SQLiteDatabase.open(.file(missing)) }
        #expect(first?.code == .cannotOpen)
        let none = folder.url.path(percentEncoded: false) + "/none/"
        #expect(first?.message == "The folder \(none) doesn't exist. Create it before you open a database in it.")
        let second = await #expect(throws: SQLiteError.self) { try await SQLiteDatabase.open(.file(folder.url)) }
        let path = try #require(ResolvedLocation(.file(folder.url)).path)
        #expect(second?.message == "\(path) is a folder, not a file. Choose a file in it.")
        let third = await #expect(throws: SQLiteError.self) { try await SQLiteReader.open(folder.file("none.sqlite")) }
        let absent = folder.path("none.sqlite")
        #expect(third?.message == "The file \(absent) doesn't exist. Open it with SQLiteDatabase first, which creates it.")
    }

    @Test func `a reader sees what the writer commits, and needs a migrated file`() async throws {
        let folder = try TemporaryFolder()
        let migrations: SQLiteMigrations = [SQLiteMigration("t", "CREATE TABLE t (a)")]
        let bare = try await SQLiteDatabase.open(.file(folder.file()))
        let error = await #expect(throws: SQLiteError.self) { try await SQLiteReader.open(folder.file(), migrations: migrations) }
        #expect(error?.code == .migration)
        await bare.close()
        let database = try await SQLiteDatabase.open(.file(folder.file()), migrations: migrations)
        let reader = try await SQLiteReader.open(folder.file(), migrations: migrations)
        try await database.execute("INSERT INTO t VALUES (1)")
        #expect(try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM t") } == 1)
        await database.close()
        #expect(try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM t") } == 1)
        await reader.close()
    }

    @Test func `the log is written back when it has grown`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)")
        let blob = Data(repeating: 7, count: 100_000)
        for _ in 0..<200 { try await database.execute("INSERT INTO t VALUES (\(blob))") }
        // 20 MB were written, and the log restarts about every 4 MB.
        let size = try FileManager.default.attributesOfItem(atPath: folder.path("test.sqlite-wal"))[.size] as? Int ?? 0
        #expect(size < 10_000_000, "\(size)")
        #expect(try await database.count("SELECT count(*) FROM t") == 200)
        await database.close()
    }
}

/// Commits of other processes: two databases of one file represent two processes, because they share nothing.
struct ForeignChangeTests {
    private static let schema: StaticString = "CREATE TABLE a (v); CREATE TABLE b (v, day)"

    private func open(_ folder: TemporaryFolder, writesLog: Bool = true) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.file(folder.file()), Self.schema) {
            $0.tellsOtherProcesses = writesLog
            $0.partitions = [SQLitePartition(table: "b", column: "day")]
        }
    }

    @Test func `D6 a commit of another process is reported with its tables`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        var changes = mine.changes.makeAsyncIterator()
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        try await other.execute("INSERT INTO b VALUES (1, 'mon')")
        #expect(
            await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "b", partition: "mon")], [TableChange("b", [1])])
        )
        try await mine.execute("INSERT INTO a VALUES (2)")
        #expect(await changes.next() == SQLiteChangeSet(.local, [SQLiteRegion(table: "a")], [TableChange("a", [2])]))
        try await other.execute("CREATE TABLE c (v)")
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [.everything]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 a commit of a process that keeps no log is reported as a change of everything`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder, writesLog: false))
        var changes = mine.changes.makeAsyncIterator()
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [.everything]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 own commits between those of other processes are reported once`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await mine.execute("INSERT INTO a VALUES (1)")
        try await other.execute("INSERT INTO b VALUES (1, 'x')")
        try await mine.execute("INSERT INTO a VALUES (2)")
        #expect(try await mine.readChangeLog() == [SQLiteRegion(table: "b", partition: "x")])
        try await mine.execute("INSERT INTO a VALUES (3)")
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(try await mine.readChangeLog() == [SQLiteRegion(table: "a")])
        await mine.close()
        await other.close()
    }

    @Test func `D6 if the log has lost its oldest entries everything is reported, and the log stays small`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        for number in 0..<1_100 { try await other.execute("INSERT INTO a VALUES (\(number))") }
        #expect(try await mine.readChangeLog() == [.everything])
        let count = try await mine.count("SELECT count(*) FROM querykit_changes") ?? 0
        #expect((512...768).contains(count), "\(count)")
        await mine.close()
        await other.close()
    }

    @Test func `D6 commits during a suspension are reported when the database resumes`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        var changes = mine.changes.makeAsyncIterator()
        await mine.suspend()
        try await other.execute("INSERT INTO a VALUES (1)")
        mine.resume()
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 a commit just before a suspension is reported`() async throws {
        let folder = try TemporaryFolder()
        let other = try await open(folder)
        for round in 1...5 {
            let mine = try await open(folder)
            var changes = mine.changes.makeAsyncIterator()
            try await other.execute("INSERT INTO a VALUES (\(round))")
            await mine.suspend()
            mine.resume()
            #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [Int64(round)])]))
            await mine.close()
        }
        await other.close()
    }

    @Test func `D6 a suspension without commits reports nothing`() async throws {
        let folder = try TemporaryFolder()
        let mine = try await open(folder)
        var changes = mine.changes.makeAsyncIterator()
        try await mine.execute("INSERT INTO b VALUES (1, 'x')")
        #expect(await changes.next()?.origin == .local)
        for _ in 1...3 {
            await mine.suspend()
            mine.resume()
            _ = try await mine.count("SELECT 1")
            // Checks as the watch does.
            let change = try await mine.checkForCommits()
            #expect(change == nil)
        }
        await mine.close()
    }

    @Test func `D6 an unreadable entry of the log counts as everything, once`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.core.lanes.value(.write) { connection in
            try connection.run("INSERT INTO querykit_changes (regions) VALUES (CAST(x'FF' AS TEXT))")
        }
        #expect(try await mine.readChangeLog() == [.everything])
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(try await mine.readChangeLog() == [SQLiteRegion(table: "a")])
        await mine.close()
        await other.close()
    }

    @Test func `D6 a commit without a log entry is reported as everything at the second look, even if others follow`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        func reported() async throws -> SQLiteChangeSet? { try await mine.checkForCommits() }
        #expect(try await reported() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        for hasNext in [false, true] {
            try await other.core.lanes.perform(.write) { connection, _ in
                try connection.run("INSERT INTO b VALUES (\(hasNext ? 2 : 1), 'x')")
            }
            #expect(try await reported() == nil)
            if hasNext { try await other.execute("INSERT INTO a VALUES (2)") }
            #expect(try await reported() == SQLiteChangeSet(.otherProcess, [.everything]))
            #expect(try await reported() == nil)
        }
        await mine.close()
        await other.close()
    }

    @Test func `D6 a restarted log reports only the commit that follows`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        func reported() async throws -> SQLiteChangeSet? { try await mine.checkForCommits() }
        #expect(try await reported() != nil)
        try await other.checkpoint()
        #expect(try await reported() == nil)
        try await other.execute("INSERT INTO a VALUES (2)")
        #expect(try await reported() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [2])]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 of ANALYZE only the table that it creates is reported to other processes, and of REINDEX nothing`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        func reported() async throws -> SQLiteChangeSet? { try await mine.checkForCommits() }
        #expect(try await reported() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        try await other.execute("ANALYZE")
        #expect(try await reported()?.regions == [SQLiteRegion(table: "sqlite_schema")])
        for _ in 0..<2 {
            try await other.execute("ANALYZE")
            #expect(try await reported() == nil)
            try await other.execute("REINDEX")
            #expect(try await reported() == nil)
            try await other.acknowledgeRecoveries()
            #expect(try await reported() == nil)
        }
        await mine.close()
        await other.close()
    }

    @Test func `D6 of two demands that arrive out of order the one with the higher number counts`() async throws {
        let folder = try TemporaryFolder()
        let database = try await open(folder)
        let watch = database.core.watch
        watch.setDemand(ChangeFeed.Demand(number: 3, isWanted: true))
        watch.setDemand(ChangeFeed.Demand(number: 2, isWanted: false))
        #expect(watch.isWatching)
        watch.setDemand(ChangeFeed.Demand(number: 4, isWanted: false))
        #expect(!watch.isWatching)
        await database.close()
        watch.setDemand(ChangeFeed.Demand(number: 5, isWanted: true))
        #expect(!watch.isWatching)
    }

    @Test func `D6 a reader is notified of every commit`() async throws {
        let folder = try TemporaryFolder()
        let writer = try await open(folder)
        let reader = try await SQLiteReader.open(folder.file())
        var changes = reader.changes.makeAsyncIterator()
        try await writer.execute("INSERT INTO a VALUES (1)")
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        await reader.close()
        await writer.close()
    }

    @Test func `D6 the file is not watched while no one observes changes`() async throws {
        let folder = try TemporaryFolder()
        let database = try await open(folder)
        #expect(!database.core.watch.isWatching)
        let subscription = database.core.feed.subscribe { _ in }
        #expect(database.core.watch.isWatching)
        subscription.cancel()
        #expect(!database.core.watch.isWatching)
        await database.close()
    }
}
