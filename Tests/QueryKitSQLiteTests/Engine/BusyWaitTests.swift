import TestSupport
import Testing

@testable import QueryKitSQLite

struct BusyWaitTests {
    private final class Gone: Interruptible {
        let isCancelled = true
    }

    /// How often the wait tries again for one lock; a hundred times at most.
    private func tries(_ wait: BusyWait) -> Int32 { (0..<100).first { !wait.wait($0) } ?? 100 }

    @Test func `D4 the wait for a lock has a limit, which starts over for the next lock`() {
        let wait = BusyWait(limit: 30, interruption: Interruption())
        let first = tries(wait)
        #expect(first == 9)
        #expect(tries(wait) == first)
    }

    @Test func `D4 a lock is not waited for if the work that needs it was deallocated`() {
        let interruption = Interruption()
        let gone = Gone()
        interruption.work = gone
        #expect(tries(BusyWait(limit: 1_000, interruption: interruption)) == 0)
    }

    @Test func `D4 changing the journal mode waits for a reader no longer than the limit`() throws {
        let folder = try TemporaryFolder()
        var settings = ConnectionSettings(mode: .readWrite)
        settings.usesWriteAheadLog = false
        let reader = try Connection(path: folder.path(), settings: settings)
        try reader.run("CREATE TABLE t (a)")
        try reader.run("BEGIN")
        #expect(try reader.value(Int.self, "SELECT count(*) FROM t") == 0)
        settings.usesWriteAheadLog = true
        settings.busyMilliseconds = 500
        let start = ContinuousClock.now
        let error = #expect(throws: SQLiteError.self) { try Connection(path: folder.path(), settings: settings) }
        #expect(error?.code == .busy)
        // If each attempt counted as 5 ms, there would be a hundred of half a second.
        #expect(ContinuousClock.now - start < .seconds(15))
        reader.rollBack()
    }
}
