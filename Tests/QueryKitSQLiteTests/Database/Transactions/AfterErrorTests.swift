import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// The state after an error, and what may be done then.
@Suite(.timeLimit(.minutes(5)))
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

@Suite(.timeLimit(.minutes(5)))
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
