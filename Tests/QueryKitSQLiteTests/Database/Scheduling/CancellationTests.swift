import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// SQLite asks regularly whether to continue. Here it asks at each step, and a test stops it at each of them.
struct CancellationTests {
    /// Work that is cancelled at the nth query.
    private final class CancelledWork: Interruptible {
        private let limit: Int
        private(set) var checkCount = 0

        init(_ limit: Int = .max) { self.limit = limit }

        var isCancelled: Bool {
            checkCount += 1
            return checkCount >= limit
        }
    }

    private static let table = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
        INSERT INTO t (a) VALUES (5), (3), (9), (1), (7), (2), (8), (4), (6);
        """

    private let folder: TemporaryFolder
    private let feed = ChangeFeed { _ in }

    init() throws { folder = try TemporaryFolder() }

    private func connect(_ path: String?, _ mode: ConnectionSettings.Mode) throws -> Connection {
        var settings = ConnectionSettings(mode: mode)
        settings.interruptionInterval = 1
        settings.busyMilliseconds = 60_000
        return try Connection(path: path, settings: settings)
    }

    private func values(_ connection: Connection, _ work: CancelledWork) throws -> [Int] {
        var found: [Int] = []
        var reads: ObservedReads?
        _ = try connection.read(work, &reads, feed, on: .longLane) { db in
            found = try db.values(Int.self, "SELECT t.a FROM t JOIN t AS u ON u.id = t.id WHERE u.a > 2 ORDER BY t.a DESC")
        }
        return found
    }

    @Test func `D4 a rollback ends the transaction although the deadline of the work has passed`() throws {
        let connection = try connect(nil, .readWrite)
        try connection.run(.begin)
        connection.interruption.begin(deadline: 1)
        connection.rollBack()
        #expect(connection.isOutsideTransaction && !connection.isBroken)
    }

    @Test(arguments: [false, true])
    func `D4 a read can be cancelled at each step, and the next read is correct`(_ isInMemory: Bool) throws {
        let writer = try connect(isInMemory ? nil : folder.path(), .readWrite)
        _ = try writer.script(Self.table, for: .writer)
        let reader = isInMemory ? writer : try connect(folder.path(), .readOnly)
        let wanted = [9, 8, 7, 6, 5, 4, 3]
        #expect(try values(reader, CancelledWork()) == wanted)
        var cancelledCount = 0
        for limit in 1... {
            let work = CancelledWork(limit)
            let found = Result { try values(reader, work) }
            try #require(!reader.isBroken && reader.isOutsideTransaction, "after query \(limit)")
            if case .failure(let error) = found {
                try #require(error is CancellationError, "after query \(limit): \(error)")
                cancelledCount += 1
            }
            try #require(try values(reader, CancelledWork()) == wanted, "after query \(limit)")
            // A connection lent to a reader writes again.
            try writer.run("UPDATE t SET a = a")
            if case .success(let values) = found {
                #expect(values == wanted)
                break
            }
        }
        #expect(cancelledCount > 100)
    }

    @Test(arguments: [false, true])
    func `D4 a write can be cancelled until it has begun, and not afterwards`(_ isInMemory: Bool) throws {
        let connection = try connect(isInMemory ? nil : folder.path(), .readWrite)
        _ = try connection.script(Self.table, for: .writer)
        var cancelledCount = 0
        for limit in 1... {
            let work = CancelledWork(limit)
            var hasBegun = false
            let result = Result {
                try connection.write(work, collectingReads: false, log: nil) { db in
                    hasBegun = true
                    for _ in 0..<20 { try db.execute("UPDATE t SET a = a + 1") }
                }
            }
            try #require(!connection.isBroken && connection.isOutsideTransaction, "after query \(limit)")
            let sum = try connection.value(Int.self, "SELECT sum(a) FROM t")
            if case .failure(let error) = result {
                #expect(error is CancellationError)
                #expect(!hasBegun)
                #expect(sum == 45)
                cancelledCount += 1
            } else {
                #expect(sum == 45 + 20 * 9)
                #expect(work.checkCount < limit)
                break
            }
        }
        #expect(cancelledCount > 0)
    }

    @Test func `D4 a write can be cancelled each time it asks for a lock held by another connection`() throws {
        let other = try connect(folder.path(), .readWrite)
        _ = try other.script(Self.table, for: .writer)
        let connection = try connect(folder.path(), .readWrite)
        try other.run("BEGIN IMMEDIATE")
        for limit in 1...12 {
            let work = CancelledWork(limit)
            #expect(throws: CancellationError.self) {
                try connection.write(work, collectingReads: false, log: nil) { _ in Issue.record("The write began without the lock.") }
            }
            #expect(connection.isOutsideTransaction)
        }
        try other.run("COMMIT")
        _ = try connection.write(CancelledWork(), collectingReads: false, log: nil) { db in _ = try db.execute("DELETE FROM t") }
        #expect(try connection.value(Int.self, "SELECT count(*) FROM t") == 0)
    }
}
