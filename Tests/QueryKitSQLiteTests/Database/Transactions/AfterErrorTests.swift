import CSQLite
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// The state after an error, and what may be done then.
struct AfterErrorTests {
    @Test func `D4 if SQLite has ended the transaction itself, later statements are not committed`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a UNIQUE)")
        try await database.execute("INSERT INTO t VALUES (1)")
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                #expect(throws: SQLiteError.self) { try db.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
                // Without a transaction this would be committed at once.
                _ = try? db.execute("INSERT INTO t VALUES (3)")
            }
        }
        #expect(error?.constraint == .unique)
        #expect(try await database.read { db in try db.values(Int.self, "SELECT a FROM t") } == [1])
        try await database.execute("INSERT INTO t VALUES (4)")
    }

    @Test func `D5 rows that remain after a failed statement are reported`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a UNIQUE); CREATE TABLE u (a)")
        var changes = database.changes.makeAsyncIterator()
        try await database.write { db in
            let insert = try db.prepare("INSERT OR FAIL INTO t VALUES (?), (?)")
            #expect(throws: SQLiteError.self) { try insert.run(1, 1) }
        }
        #expect(await changes.next()?.regions == [SQLiteRegion(table: "t")])
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
    }

    /// How an app executes a statement and catches its error.
    enum Use: CaseIterable {
        case execute, returning, prepared, savepoint, afterSuccess
    }

    private static let tables: StaticString =
        """
        CREATE TABLE plain (a INTEGER) STRICT;
        CREATE TABLE strict (id INTEGER PRIMARY KEY, a INTEGER) STRICT;
        CREATE TABLE keyed (id INTEGER PRIMARY KEY, b TEXT);
        CREATE TABLE noted (k TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE log (k TEXT);
        CREATE TRIGGER noting AFTER INSERT ON noted BEGIN INSERT INTO log VALUES (NEW.k); END;
        CREATE TRIGGER refusing AFTER INSERT ON noted WHEN NEW.k = 'refused' BEGIN SELECT RAISE(FAIL, 'refused'); END;
        INSERT INTO strict VALUES (1, 1), (2, 2);
        INSERT INTO noted VALUES ('x'), ('y');
        """

    /// SQLite 3.40 keeps the first row of each statement. It counts only some of these rows.
    @Test(
        arguments: [
            ("INSERT INTO plain VALUES (1), ('x')", "plain"), ("UPDATE strict SET a = iif(id = 1, 7, 'x')", "strict"),
            ("INSERT OR IGNORE INTO keyed VALUES (5, 'a'), ('x', 'b')", "keyed"),
            ("INSERT OR FAIL INTO keyed VALUES (5, 'a'), (5, 'b')", "keyed"),
            ("INSERT OR FAIL INTO noted VALUES ('a'), ('a')", "noted"), ("INSERT INTO noted VALUES ('a'), ('refused')", "noted"),
            ("UPDATE OR FAIL noted SET k = 'z'", "noted"),
        ] as [(StaticString, String)],
        Use.allCases
    )
    func `D5 D6 what a failed statement may have written is reported if the error is caught`(
        _ statement: (text: StaticString, table: String),
        _ use: Use
    ) async throws {
        let (text, table) = statement
        let database = try await SQLiteDatabase.make(.temporary, Self.tables) {
            $0.partitions = [SQLitePartition(table: "keyed", column: "b"), SQLitePartition(table: "noted", column: "k")]
        }
        let received = Lock<[SQLiteChangeSet]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change) } }
        try await database.write { db in
            if use == .afterSuccess {
                let insert = try db.prepare("INSERT INTO keyed VALUES (?, ?), (?, ?)")
                try insert.run(11, "m", 12, "n")
                try? insert.run(13, "o", 13, "p")
            }
            #expect(throws: SQLiteError.self) {
                switch use {
                case .execute, .afterSuccess: try db.execute(SQL(stringLiteral: text))
                case .returning: try db.forEach("\(SQL(stringLiteral: text)) RETURNING 1") { _ in }
                case .prepared: try db.prepare(text).run()
                case .savepoint: try db.savepoint { try db.execute(SQL(stringLiteral: text)) }
                }
            }
        }
        let change = try #require(received.withLock { $0 }.first)
        #expect(change.regions.contains(SQLiteRegion(table: table)))
        #expect(change.rowIDs(of: table) == nil)
        let logged = try await database.core.lanes.value(.read) { connection in
            try connection.value(String.self, "SELECT regions FROM querykit_changes ORDER BY number DESC") ?? ""
        }
        #expect(RegionText.change(logged).regions == change.regions && RegionText.change(logged).rowIDs(of: table) == nil)
        subscription.cancel()
        await database.close()
    }

    @Test(
        arguments: [
            ("INSERT INTO plain VALUES (1), ('x')", "SELECT CAST(a AS TEXT) FROM plain WHERE rowid = 1"),
            ("UPDATE strict SET a = iif(id = 1, 7, 'x')", "SELECT CAST(a AS TEXT) FROM strict WHERE id = 1"),
            ("INSERT OR IGNORE INTO keyed VALUES (5, 'a'), ('x', 'b')", "SELECT b FROM keyed WHERE id = 5"),
            ("INSERT INTO noted VALUES ('a'), ('refused')", "SELECT k FROM noted WHERE k = 'refused'"),
        ] as [(SQL, SQL)]
    )
    func `R18 D5 a query runs again if a failed statement has left a row that it reads`(_ write: SQL, _ read: SQL) async throws {
        let database = try await SQLiteDatabase.make(.temporary, Self.tables)
        let followed = await FollowedQuery(database, read)
        let before = followed.runs.all
        let runs = try await followed.runs { try await database.write { db in _ = try? db.execute(write) } }
        let now = try await database.read { db in try db.values(String.self, read).joined(separator: ",") }
        #expect(now != before.last)
        #expect(runs == before + [now])
        await database.close()
    }

    struct Stop: Error {}

    @Test(arguments: [CancellationError(), Stop()] as [any Error])
    func `D5 what a statement has written is reported although the reader of its rows throws half-way`(_ error: any Error) async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE u (a)")
        var changes = database.changes.makeAsyncIterator()
        try await database.write { db in
            #expect(throws: (any Error).self) { try db.forEach("INSERT INTO t VALUES (1), (2), (3) RETURNING id") { _ in throw error } }
        }
        let change = await changes.next()
        #expect(change?.regions == [SQLiteRegion(table: "t")] && change?.rowIDs(of: "t") == [1, 2, 3])
        #expect(try await database.count("SELECT count(*) FROM t") == 3)
        await database.close()
    }

    @Test func `D4 D5 a write with an interrupted statement is rolled back and reports nothing, even if the error is caught`() async throws
    {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE u (a)")
        let received = Lock<[SQLiteChangeSet]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change) } }
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1), (2)")
                try db.forEach("SELECT id FROM t") { _ in
                    sqlite3_interrupt(db.connection.handle)
                    _ = try? db.execute("INSERT INTO u VALUES (1), (2)")
                }
            }
        }
        #expect(error?.code == .interrupted)
        #expect(received.withLock { $0 }.isEmpty)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        subscription.cancel()
        await database.close()
    }

    @Test(arguments: ["ROLLBACK", "SAVEPOINT querykit", "RELEASE querykit", "ROLLBACK TO querykit", "PRAGMA foreign_keys = 0"] as [SQL])
    func `D7 an app can't use the engine's own statements, even those already prepared`(_ sql: SQL) async throws {
        struct Undo: Error {}
        // The migration and these writes have made the engine use all of them.
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a)")
        await #expect(throws: Undo.self) { try await database.write { _ in throw Undo() } }
        try await database.write { db in
            try db.savepoint {}
            #expect(throws: Undo.self) { try db.savepoint { throw Undo() } }
        }
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                try db.execute(sql)
            }
        }
        #expect(error?.code == .notAuthorized)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        // The engine still can.
        await #expect(throws: Undo.self) { try await database.write { db in try db.savepoint { throw Undo() } } }
    }
}

struct SharedOpeningTests {
    @Test func `concurrent openings that create one file all get that file`() async throws {
        let folder = try TemporaryFolder()
        let databases = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, database) in databases.enumerated() { try await database.execute("INSERT INTO t VALUES (\(number))") }
        for database in databases { #expect(try await database.count("SELECT count(*) FROM t") == 8) }
    }

    @Test func `D8 a database that needs no migration can be opened during another connection's write`() async throws {
        let folder = try TemporaryFolder()
        await (try SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)")).close()
        let other = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
        try other.run("BEGIN IMMEDIATE")
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)") { $0.busyTimeout = .zero }
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        try other.run("COMMIT")
    }
}
