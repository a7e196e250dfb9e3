import Dispatch
import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct BackgroundReadTests {
    @Test func `D1 reads are not delayed by any number of background reads`() async throws {
        let database = try await SQLiteDatabase.make(.temporary) { $0.readerCount = 2 }
        let (hold, done) = (DispatchSemaphore(value: 0), 4)
        let tasks = (0..<done).map { _ in
            Task(priority: .background) { try await database.read { _ in hold.wait() } }
        }
        // One has begun and waits on its thread; all others are queued.
        while database.core.lanes.waitingCount < done - 1 { await Task.yield() }
        #expect(try await database.count("SELECT 1") == 1)
        #expect(database.core.lanes.waitingCount == done - 1)
        for _ in tasks { hold.signal() }
        for task in tasks { try await task.value }
        await database.close()
    }

    @Test func `D1 long reads wait behind short ones and leave one connection to them`() async throws {
        let database = try await SQLiteDatabase.make(.temporary) {
            $0.readerCount = 2
            $0.callersThreadLimit = .zero
        }
        @Sendable func count(to limit: Int) async throws -> Int? {
            try await database.count(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(limit)) SELECT max(i) FROM n"
            )
        }
        // Now it is known to be long.
        #expect(try await count(to: 1_000_000) == 1_000_000)
        let ended = Recorder<Int>()
        let tasks = (0..<4).map { number in
            Task {
                defer { ended.note(number) }
                // It never ends on its own, however slow the machine is.
                return try await count(to: 1 << 50)
            }
        }
        while database.core.lanes.waitingCount < 3 { await Task.yield() }
        for number in 0..<50 { #expect(try await database.count("SELECT \(number)") == number) }
        #expect(ended.count == 0)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await database.close()
    }

    /// Stops a thread, as the system does on a busy machine.
    @Test func `D1 a long read whose thread was stopped before its first statement also leaves a connection free`() async throws {
        let database = try await SQLiteDatabase.make(.temporary) {
            $0.readerCount = 2
            $0.callersThreadLimit = .zero
        }
        @Sendable func count(to limit: Int, pausing: TimeInterval) async throws -> Int? {
            try await database.read { db in
                if pausing > 0 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pausing) }
                return try db.value(
                    Int.self,
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(limit)) SELECT max(i) FROM n"
                )
            }
        }
        for _ in 0..<2 { _ = try await count(to: 1_000_000, pausing: 0) }
        let tasks = (0..<4).map { _ in Task { try await count(to: 1 << 50, pausing: 0.02) } }
        let deadline = ContinuousClock.now + .seconds(20)
        while database.core.lanes.waitingCount < 3, ContinuousClock.now < deadline { await Task.yield() }
        #expect(database.core.lanes.waitingCount == 3)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await database.close()
    }
}
