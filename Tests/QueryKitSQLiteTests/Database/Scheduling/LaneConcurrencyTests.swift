import Dispatch
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Jobs on lanes never use a thread of the cooperative pool, regardless of the amount of work.
struct LaneConcurrencyTests {
    private static let count = 64

    @Test func `D1 tasks run while many reads are active and queued, and cancelled queued reads return at once`() async throws {
        let database = try await SQLiteDatabase.make(.temporary) { $0.readerCount = 2 }
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let underWay = Recorder<Int>()
        let reads = (0..<Self.count).map { number in
            Task {
                try await database.read { db in
                    underWay.note(number)
                    began.signal()
                    goOn.wait()
                    return try db.value(Int.self, "SELECT 1")
                }
            }
        }
        await onThread { for _ in 0..<2 { began.wait() } }
        #expect(await sumOfTasks() == 4_950)
        let busy = Set(underWay.all)
        for (number, read) in reads.enumerated() where !busy.contains(number) { read.cancel() }
        // No read can continue before all of these have returned.
        for (number, read) in reads.enumerated() where !busy.contains(number) {
            await #expect(throws: CancellationError.self) { try await read.value }
        }
        #expect(busy.count == 2)
        for _ in busy { goOn.signal() }
        for number in busy { #expect(try await reads[number].value == 1) }
        #expect(underWay.count == 2)
    }

    @Test func `D1 tasks run while many writes wait behind a slow one, and cancelled waiting writes return at once`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a INTEGER)")
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow = Task {
            try await database.write { db in
                began.signal()
                goOn.wait()
                try db.execute("INSERT INTO t VALUES (-1)")
            }
        }
        await onThread { began.wait() }
        let writes = (0..<Self.count).map { number in Task { try await database.execute("INSERT INTO t VALUES (\(number))") } }
        #expect(await sumOfTasks() == 4_950)
        // The slow write does not delay reads.
        #expect(try await database.count("SELECT count(*) FROM t") == 0)
        for (number, write) in writes.enumerated() where number % 2 == 0 { write.cancel() }
        for (number, write) in writes.enumerated() where number % 2 == 0 {
            await #expect(throws: CancellationError.self) { try await write.value }
        }
        goOn.signal()
        try await slow.value
        for (number, write) in writes.enumerated() where number % 2 != 0 { try await write.value }
        let rows = try await database.read { db in try db.values(Int.self, "SELECT a FROM t ORDER BY a") }
        #expect(rows == [-1] + stride(from: 1, to: Self.count, by: 2))
    }

    @Test func `D1 tasks run while writes wait for a lock of another connection`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a INTEGER)") { $0.busyTimeout = .seconds(600) }
        let other = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
        try other.run("BEGIN IMMEDIATE")
        let writes = (0..<Self.count).map { number in Task { try await database.execute("INSERT INTO t VALUES (\(number))") } }
        #expect(await sumOfTasks() == 4_950)
        for write in writes { write.cancel() }
        for write in writes { await #expect(throws: CancellationError.self) { try await write.value } }
        try other.run("COMMIT")
        try await database.execute("INSERT INTO t VALUES (0)")
        #expect(try await database.count("SELECT count(*) FROM t") == 1)
    }

    /// The sum computed by a hundred tasks that don't use a database.
    private func sumOfTasks() async -> Int {
        await withTaskGroup { group in
            for number in 0..<100 { group.addTask { number } }
            return await group.reduce(0, +)
        }
    }
}
