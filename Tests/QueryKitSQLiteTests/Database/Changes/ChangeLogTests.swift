import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// The log of changes in a file, and the processes that may have written to it.
struct ChangeLogTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY);
        CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED);
        """

    private func open(_ folder: TemporaryFolder) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.file(folder.file()), Self.schema)
    }

    @Test func `D6 a failed commit does not hide another database's commit`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        await #expect(throws: SQLiteError.self) { try await mine.execute("INSERT INTO b VALUES (7)") }
        try await mine.write { _ in }
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(try await mine.readChangeLog() == [SQLiteRegion(table: "a")])
        await mine.close()
        await other.close()
    }

    @Test func `D6 commits from before a database was opened are not reported`() async throws {
        let folder = try TemporaryFolder()
        let other = try await open(folder)
        try await other.execute("INSERT INTO a VALUES (1)")
        let mine = try await open(folder)
        try await other.execute("INSERT INTO b VALUES (1)")
        #expect(try await mine.readChangeLog() == [SQLiteRegion(table: "b")])
        await mine.close()
        await other.close()
    }

    @Test func `R18 a commit that a check has found stays unreported until the report, and is then reported once`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        let (log, watch, feed) = (mine.core.log, mine.core.watch, mine.core.feed)
        func unreported() async throws -> ChangeLog.ForeignCommits? {
            try await mine.core.lanes.value(.read) { try log.unreportedCommits(on: $0) }
        }
        #expect(try await unreported() == nil)
        try await other.execute("INSERT INTO a VALUES (1)")
        _ = try await mine.core.lanes.value(.write) { try log.commitsSinceCheck(on: $0) }
        try await mine.execute("INSERT INTO b VALUES (1)")
        let commits = try #require(try await unreported())
        #expect(commits.regions == [SQLiteRegion(table: "a")])
        let before = feed.number
        watch.report(commits, in: feed)()
        #expect(feed.number == before + 1)
        #expect(try await unreported() == nil)
        // The next check finds the same commit in the log, so it doesn't take it for a commit of a program without a log.
        for _ in 0..<2 {
            let change = try await mine.checkForCommits()
            #expect(change == nil)
        }
        #expect(feed.number == before + 1)
        try await other.execute("INSERT INTO b VALUES (1)")
        let next = try await mine.checkForCommits()
        #expect(next == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "b")], [TableChange("b", [2])]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 a log that was dropped after a snapshot has read it contains no commits, and a new log is read again`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        let log = mine.core.log
        func unreported() async throws -> ChangeLog.ForeignCommits? {
            try await mine.core.lanes.value(.read) { try log.unreportedCommits(on: $0) }
        }
        #expect(try await unreported() == nil)
        try await other.core.lanes.perform(.write) { connection, _ in try connection.run("DROP TABLE querykit_changes") }
        for _ in 0..<2 { #expect(try await unreported() == nil) }
        try await other.core.lanes.perform(.write) { connection, _ in try log.install(on: connection) }
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(try await unreported()?.regions == [SQLiteRegion(table: "a")])
        await mine.close()
        await other.close()
    }

    @Test func `D1 a snapshot with a deadline does not read a long log to its end`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        try await mine.core.lanes.perform(.read) { [log = mine.core.log] connection, _ in
            // One row is too little work for SQLite to notice the deadline.
            connection.interruption.begin(deadline: 1)
            defer { connection.interruption.deadline = 0 }
            let error = #expect(throws: SQLiteError.self) { try log.unreportedCommits(on: connection) }
            #expect(error?.code == .interrupted && connection.interruption.isOverdue)
        }
        await mine.close()
        await other.close()
    }

    @Test func `D9 D6 commits of other processes are reported although a recovered file numbers them from the beginning`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        for number in 1...9 { try await mine.execute("INSERT INTO a VALUES (\(number))") }
        // As in a new file, whose log could not be copied.
        try await other.core.lanes.perform(.write) { connection, _ in try connection.run("DELETE FROM querykit_changes") }
        try await mine.core.lanes.perform(.write) { [log = mine.core.log] connection, _ in try log.begin(on: connection, isNewFile: true) }
        try await other.execute("INSERT INTO b VALUES (1)")
        let log = mine.core.log
        let commits = try await mine.core.lanes.value(.read) { try log.unreportedCommits(on: $0) }
        #expect(commits?.regions == [SQLiteRegion(table: "b")])
        await mine.close()
        await other.close()
    }

    @Test(arguments: [.max, .max - 1, 1 << 62 + 1] as [Int64])
    func `D6 D9 a damaged number that a snapshot has read hides no commit after the numbers were restarted`(_ number: Int64) async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        try await other.damageNewestNumber(number)
        // A snapshot reads the log, and its report follows only after the next commit.
        let commits = try await mine.core.lanes.value(.read) { [log = mine.core.log] in try log.unreportedCommits(on: $0) }
        try await other.execute("INSERT INTO a VALUES (2)")
        if let commits { mine.core.watch.report(commits, in: mine.core.feed)() }
        #expect(try await mine.checkForCommits()?.regions == [.everything])
        try await other.execute("INSERT INTO b VALUES (1)")
        #expect(try await mine.checkForCommits()?.regions == [SQLiteRegion(table: "b")])
        try await mine.execute("INSERT INTO a VALUES (3)")
        try await other.execute("INSERT INTO b VALUES (2)")
        #expect(try await mine.checkForCommits()?.regions == [SQLiteRegion(table: "b")])
        await mine.close()
        await other.close()
    }

    @Test func `D6 D9 a commit is reported although the log has lost all numbers that this process knows`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        for number in 1...9 { try await other.execute("INSERT INTO a VALUES (\(number))") }
        #expect(try await mine.checkForCommits()?.regions == [SQLiteRegion(table: "a")])
        let third = try await open(folder)
        try await third.core.lanes.perform(.write) { connection, _ in try connection.run("DELETE FROM querykit_changes") }
        await third.close()
        let fourth = try await open(folder)
        try await fourth.execute("INSERT INTO a VALUES (10)")
        #expect(try await mine.checkForCommits()?.regions == [.everything])
        try await fourth.execute("INSERT INTO b VALUES (1)")
        #expect(try await mine.checkForCommits()?.regions == [SQLiteRegion(table: "b")])
        for database in [mine, other, fourth] { await database.close() }
    }

    @Test func `D9 a damaged number is reported by each check until the next commit, and never by a snapshot`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        #expect(try await mine.checkForCommits()?.regions == [SQLiteRegion(table: "a")])
        try await other.damageNewestNumber(.max)
        for _ in 1...2 {
            let commits = try await mine.core.lanes.value(.read) { [log = mine.core.log] in try log.unreportedCommits(on: $0) }
            #expect(commits == nil)
        }
        #expect(try await mine.checkForCommits()?.regions == [.everything])
        #expect(try await mine.checkForCommits() == nil)
        // The own commit restarts the numbers, behind those that the other database knows.
        try await mine.execute("INSERT INTO b VALUES (1)")
        #expect(try await other.checkForCommits()?.regions == [.everything])
        try await mine.execute("INSERT INTO b VALUES (1)")
        #expect(try await other.checkForCommits()?.regions == [SQLiteRegion(table: "b")])
        await mine.close()
        await other.close()
    }

    @Test func `D6 after a suspension changes are reported once`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        var changes = mine.changes.makeAsyncIterator()
        await mine.suspend()
        try await other.execute("INSERT INTO a VALUES (1)")
        mine.resume()
        #expect(await changes.next() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")], [TableChange("a", [1])]))
        for number in 2...30 {
            try await mine.execute("INSERT INTO a VALUES (\(number))")
            #expect(await changes.next() == SQLiteChangeSet(.local, [SQLiteRegion(table: "a")], [TableChange("a", [Int64(number)])]))
        }
        await mine.close()
        await other.close()
    }

    @Test func `D6 many commits of another process are each reported once, with their tables`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        var changes = mine.changes.makeAsyncIterator()
        async let writing: Void = {
            for number in 1...300 { try await other.execute("INSERT INTO a VALUES (\(number))") }
            try await other.execute("INSERT INTO b VALUES (1)")
        }()
        var last: Set<SQLiteRegion> = []
        while !last.contains(SQLiteRegion(table: "b")) {
            last = try #require(await changes.next()).regions
            #expect(!last.contains(.everything))
            if last.contains(.everything) { break }
        }
        try await writing
        await mine.close()
        await other.close()
    }

    @Test func `D6 the rows and columns of several commits of another process are merged`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO b VALUES (NULL), (NULL), (NULL)")
        _ = try await mine.readChangeLog()
        try await other.execute("UPDATE b SET a = NULL WHERE rowid = 1")
        try await other.execute("UPDATE b SET a = NULL WHERE rowid = 3")
        #expect(
            try await mine.checkForCommits()
                == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "b")], [TableChange("b", [1, 3], RegionColumns([0]))])
        )
        // The rows of this commit are unknown, so those of the other one don't matter.
        try await other.execute("UPDATE b SET a = NULL WHERE rowid = 1")
        try await other.execute("REPLACE INTO b (rowid, a) VALUES (3, NULL)")
        #expect(try await mine.checkForCommits() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "b")]))
        await mine.close()
        await other.close()
    }

    @Test func `D6 commits of an older version, which writes no rows, count as changes of the table`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = (try await open(folder), try await open(folder))
        try await other.execute("INSERT INTO a VALUES (1)")
        try await other.core.lanes.perform(.write) { connection, _ in
            try connection.run("INSERT INTO querykit_changes (regions) VALUES ('a')")
        }
        #expect(try await mine.checkForCommits() == SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "a")]))
        await mine.close()
        await other.close()
    }

    @Test func `changes of other processes and own ones are not merged`() async {
        let mailbox = ChangeMailbox()
        let own = SQLiteChangeSet(.local, [SQLiteRegion(table: "a")])
        let foreign = SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "b")])
        for _ in 0..<70 { mailbox.put(own) }
        for _ in 0..<2 { mailbox.put(foreign) }
        for _ in 0..<64 { #expect(await mailbox.take() == own) }
        #expect(await mailbox.take() == foreign)
    }

    @Test func `the changes of a closed database end at once`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        await database.close()
        var changes = database.changes.makeAsyncIterator()
        #expect(await changes.next() == nil)
    }
}

extension SQLiteDatabase {
    /// Changes the number of the newest commit in the log, as damage of the file would.
    fileprivate func damageNewestNumber(_ number: Int64) async throws {
        try await core.lanes.perform(.write) { connection, _ in
            let newest = "SELECT max(number) FROM querykit_changes"
            try connection.run("UPDATE querykit_changes SET number = ? WHERE number = (\(newest))", [.integer(number)])
        }
    }

    /// Checks for commits of other processes, as ``ForeignWatch`` does now and then. Returns what it has reported.
    func checkForCommits() async throws -> SQLiteChangeSet? {
        try await core.lanes.value(.write) { [watch = core.watch] in watch.reportCommits(on: $0) }
    }

    /// Reads the log of changes and counts its commits as reported. Returns what other processes have changed.
    func readChangeLog() async throws -> Set<SQLiteRegion>? {
        try await core.lanes.value(.write) { [log = core.log] connection in
            let commits = try log.commitsSinceCheck(on: connection)
            _ = log.noteReport(of: commits)
            return commits.regions
        }
    }
}
