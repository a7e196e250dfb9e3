import Dispatch
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(5))) struct BackgroundReadTests {
    @Test func `D1 however much is read in the background, others read at once`() async throws {
        let database = try await SQLiteDatabase.make(.temporary) { $0.readerCount = 2 }
        let (hold, done) = (DispatchSemaphore(value: 0), 4)
        let tasks = (0..<done).map { _ in
            Task(priority: .background) { try await database.read { _ in hold.wait() } }
        }
        // One has begun and waits on its thread; all others stand in line.
        while database.core.lanes.waitingCount < done - 1 { await Task.yield() }
        #expect(try await database.count("SELECT 1") == 1)
        #expect(database.core.lanes.waitingCount == done - 1)
        for _ in tasks { hold.signal() }
        for task in tasks { try await task.value }
        await database.close()
    }
}
