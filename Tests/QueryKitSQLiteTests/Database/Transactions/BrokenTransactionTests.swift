import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Transactions that are ended by a statement or an error, or used after their end.
struct BrokenTransactionTests {
    private static let schema: StaticString = """
        CREATE TABLE t (a UNIQUE);
        CREATE TABLE strict (a);
        CREATE TRIGGER refuses BEFORE INSERT ON strict BEGIN SELECT RAISE(ROLLBACK, 'refused'); END;
        """

    @Test(arguments: ["INSERT OR ROLLBACK INTO t VALUES (1)", "INSERT INTO strict VALUES (1)"] as [StaticString])
    func `D4 if a statement ends the transaction, later ones fail even if the error is caught`(_ statement: StaticString) async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let received = Lock(0)
        let subscription = database.core.feed.subscribe { _ in received.withLock { $0 += 1 } }
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                let insert = try db.prepare("INSERT INTO t VALUES (?)")
                try insert.run(1)
                _ = try? db.execute(SQL(stringLiteral: statement))
                _ = try? insert.run(2)
                _ = try? db.execute("INSERT INTO t VALUES (3)")
                _ = try? db.savepoint { try db.execute("INSERT INTO t VALUES (4)") }
            }
        }
        #expect(error?.code == .constraint)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        #expect(received.withLock { $0 } == 0)
        subscription.cancel()
    }

    @Test func `D4 a write whose commit does nothing fails, and its changes are rolled back`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        try await database.core.lanes.perform(.write) { connection, _ in
            connection.commit = try connection.prepare("SELECT 1", for: .engine)
        }
        let error = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO t VALUES (1)") }
        #expect(error == SQLiteError(.error, "The commit did not end the transaction."))
        try await database.core.lanes.perform(.write) { connection, _ in connection.commit = nil }
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        try await database.execute("INSERT INTO t VALUES (1)")
    }

    @Test func `D11 a shared snapshot whose transaction has ended is an error`() throws {
        let connection = try Connection.make()
        #expect(throws: SQLiteError(.error, "A statement ended the snapshot.")) { try connection.checkSnapshot() }
        try connection.run(.begin)
        try connection.checkSnapshot()
    }

    @Test func `D4 a write whose transaction has ended without an error fails, and says how to roll back`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                // An app can't execute this statement.
                try db.connection.run("ROLLBACK")
            }
        }
        #expect(
            error?.message
                == "A statement ended the transaction, and its changes were rolled back. Throw an error instead of ROLLBACK in SQL."
        )
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
    }

    @Test func `D4 a savepoint whose transaction has ended throws the error that ended it`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                try db.savepoint { _ = try db.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
            }
        }
        #expect(error?.constraint == .unique)
        try await database.execute("INSERT INTO t VALUES (1)")
    }

    @Test func `D4 after a full disk a prepared statement writes nothing either`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a BLOB)") { $0.maxPageCount = 40 }
        let blob = Data(repeating: 1, count: 400_000)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                let insert = try db.prepare("INSERT INTO t VALUES (?)")
                _ = try? insert.run(blob)
                #expect(throws: SQLiteError.self) { try insert.run(1) }
            }
        }
        #expect(error?.code == .full)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
    }

    @Test func `D8 a migration that catches a full-disk error is still undone`() async throws {
        let folder = try TemporaryFolder()
        var configuration = SQLiteDatabase.Configuration()
        configuration.maxPageCount = 40
        let migration = SQLiteMigration("fills", "CREATE TABLE t (a BLOB)", revision: 1) { db in
            _ = try? db.execute("INSERT INTO t VALUES (\(Data(repeating: 1, count: 400_000)))")
        }
        let error = await #expect(throws: SQLiteError.self) {
            try await SQLiteDatabase.open(.file(folder.file()), migrations: [migration], configuration: configuration)
        }
        #expect(error?.code == .full)
        let reader = try await SQLiteReader.open(folder.file())
        #expect(try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 't'") } == 0)
        await reader.close()
    }

    // Invariant: written before the transaction ends, read after it.
    private final class Kept: @unchecked Sendable {
        var transaction: SQLiteWriteTransaction?
    }

    @Test func `D4 a transaction kept beyond its closure does nothing`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let kept = Kept()
        try await database.write { db in kept.transaction = db }
        let transaction = try #require(kept.transaction)
        let errors = [
            #expect(throws: SQLiteError.self) { try transaction.execute("INSERT INTO t VALUES (1)") },
            #expect(throws: SQLiteError.self) { try transaction.savepoint {} },
            #expect(throws: SQLiteError.self) { _ = try transaction.prepare("INSERT INTO t VALUES (?)") },
        ]
        #expect(errors.allSatisfy { $0 == SQLiteError(.misuse, "The transaction has ended. Use it only within its closure.") })
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
    }

    @Test func `D4 a prepared statement needs as many values as it has parameters`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a, b)")
        try await database.write { db in
            let insert = try db.prepare("INSERT INTO t VALUES (?, ?)")
            try insert.run(1, 2)
            #expect(throws: SQLiteError.self) { try insert.run(3) }
            #expect(throws: SQLiteError.self) { try insert.run(4, 5, 6) }
        }
        #expect(try await database.count("SELECT sum(a) FROM t") == 1)
    }

    @Test func `D4 a write takes its lock at once, and its error says how long it waited for another connection`() async throws {
        let folder = try TemporaryFolder()
        let other = try await SQLiteDatabase.make(.file(folder.file()), Self.schema)
        let mine = try await SQLiteDatabase.make(.file(folder.file()), Self.schema) { $0.busyTimeout = .milliseconds(20) }
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let writing: Void = other.write { _ in
            began.signal()
            goOn.wait()
        }
        await onThread { began.wait() }
        let error = await #expect(throws: SQLiteError.self) {
            try await mine.write { _ in Issue.record("The write began without the lock.") }
        }
        #expect(error?.code == .busy)
        #expect(
            error?.message
                == "Another connection has kept the database locked for 20 ms. Try again, or allow a longer busyTimeout."
        )
        goOn.signal()
        try await writing
        await mine.close()
        await other.close()
    }

    @Test func `D4 a long statement of a write completes even if its task is cancelled`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, Self.schema)
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let task = Task {
            try await database.write { db in
                began.signal()
                goOn.wait()
                try db.execute("INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n")
            }
        }
        await onThread { began.wait() }
        task.cancel()
        goOn.signal()
        try await task.value
        #expect(try await database.count("SELECT count(*) FROM t") == 20_000)
    }

    @Test func `D4 a cancelled queued write returns at once and is not executed later`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, Self.schema)
        await database.suspend()
        let task = Task { try await database.execute("INSERT INTO t VALUES (1)") }
        while database.core.lanes.waitingCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        database.resume()
        try await database.execute("INSERT INTO t VALUES (2)")
        #expect(try await database.read { db in try db.values(Int.self, "SELECT a FROM t") } == [2])
    }

    @Test func `a connection whose transaction could not be ended is not reused`() throws {
        let lane = Lane(0, label: "test") { try Connection.make() }
        let first = try lane.connected()
        #expect(try lane.connected() === first)
        first.isBroken = true
        #expect(try lane.connected() !== first)
    }
}
