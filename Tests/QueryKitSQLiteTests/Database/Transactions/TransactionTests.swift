import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct TransactionTests {
    private struct Undo: Error {}

    static let locations: [SQLiteDatabase.Location] = [.inMemory, .temporary]

    @Test(arguments: locations)
    func `D4 an error undoes the whole write`(_ location: SQLiteDatabase.Location) async throws {
        let database = try await SQLiteDatabase.make(location, "CREATE TABLE t (a UNIQUE)")
        await #expect(throws: Undo.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                throw Undo()
            }
        }
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.constraint == .unique)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        try await database.execute("INSERT INTO t VALUES (2)")
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
    }

    @Test func `D4 a caught error undoes only its statement`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a UNIQUE)")
        try await database.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO t VALUES (2), (1)") }
            try db.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try await database.read { db in try db.values(Int.self, "SELECT a FROM t ORDER BY a") } == [1, 3])
    }

    @Test func `D4 after a full disk nothing is committed, even if the error is caught`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a BLOB)") { $0.maxPageCount = 40 }
        let blob = Data(repeating: 1, count: 400_000)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (x'00')")
                _ = try? db.execute("INSERT INTO t VALUES (\(blob))")
                _ = try? db.execute("INSERT INTO t VALUES (x'01')")
            }
        }
        #expect(error?.code == .full)
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        try await database.execute("INSERT INTO t VALUES (x'02')")
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
    }

    @Test func `D4 a foreign key violated at the commit undoes the write`() async throws {
        let database = try await SQLiteDatabase.make(
            .inMemory,
            "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)"
        )
        let error = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO b VALUES (1)") }
        #expect(error?.constraint == .foreignKey)
        #expect(try await database.count("SELECT count(*) FROM b") == 0)
        try await database.execute("INSERT INTO a VALUES (1)")
    }

    @Test func `D4 a savepoint that throws undoes only its own part`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (a)")
        try await database.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            #expect(throws: Undo.self) {
                try db.savepoint {
                    try db.execute("INSERT INTO t VALUES (2)")
                    try db.savepoint { _ = try db.execute("INSERT INTO t VALUES (3)") }
                    throw Undo()
                }
            }
            #expect(try db.savepoint { try db.value(Int.self, "SELECT count(*) FROM t") } == 1)
        }
        #expect(try await database.count("SELECT sum(a) FROM t") == 1)
    }

    @Test(arguments: locations)
    func `D4 a read can't write`(_ location: SQLiteDatabase.Location) async throws {
        let database = try await SQLiteDatabase.make(location, "CREATE TABLE t (a)")
        // Prepared earlier by the writer, which shares its connection in memory.
        try await database.execute("DELETE FROM t")
        let error = await #expect(throws: SQLiteError.self) { try await database.read { db in try db.values(Int.self, "DELETE FROM t") } }
        #expect(error?.code == .misuse)
        #expect(error?.message == "A read can't write; use write instead.")
        try await database.execute("INSERT INTO t VALUES (1)")
    }

    @Test func `D1 a read sees one snapshot, even if a write is committed during it`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a)")
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let counts = database.read { db in
            let first = try db.value(Int.self, "SELECT count(*) FROM t")
            began.signal()
            goOn.wait()
            return [first, try db.value(Int.self, "SELECT count(*) FROM t")]
        }
        await onThread { began.wait() }
        try await database.execute("INSERT INTO t VALUES (1)")
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
        goOn.signal()
        #expect(try await counts == [0, 0])
    }

    @Test func `D1 writes run one after the other`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a); INSERT INTO t VALUES (0)")
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { db in
                        let value = try db.value(Int.self, "SELECT a FROM t") ?? 0
                        try db.execute("UPDATE t SET a = \(value + 1)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.count("SELECT a FROM t") == 50)
    }

    @Test func `D4 a queued write can be cancelled, but one that has begun can't`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a)")
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Task {
            try await database.write { db in
                began.signal()
                goOn.wait()
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        await onThread { began.wait() }
        let second = Task { try await database.execute("INSERT INTO t VALUES (2)") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.cancel()
        goOn.signal()
        try await first.value
        #expect(try await database.read { db in try db.values(Int.self, "SELECT a FROM t") } == [1])
    }

    @Test func `D4 a read whose task is cancelled is stopped`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        let began = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.read { db in
                began.signal()
                return try db.value(Int.self, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
            }
        }
        await onThread { began.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.count("SELECT 1") == 1)
    }

    @Test func `rows that a write inserted have keys`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        let (id, changed) = try await database.write { db in
            let changed = try db.execute("INSERT INTO t (a) VALUES (1), (2)")
            return (db.lastInsertedRowID, changed)
        }
        #expect(id == 2)
        #expect(changed == 2)
        #expect(try await database.write { db in try db.execute("UPDATE t SET a = 0 WHERE 0") } == 0)
    }
}
