import Testing

@testable import QueryKitSQLite

/// Which run may read a shared snapshot.
struct SnapshotTurnsTests {
    @Test func `one run reads at a time, and the end of its turn resumes one that waits`() {
        var turns = SnapshotTurns<Int>()
        #expect(turns.begin() == true)
        #expect(turns.begin() == nil)
        #expect(turns.wait(1) == true)
        #expect(turns.wait(2) == true)
        #expect(turns.end() == [1])
        #expect(turns.begin() == true)
        #expect(turns.end() == [2])
        #expect(turns.begin() == true)
        #expect(turns.end() == [])
    }

    @Test func `a free snapshot goes to the first run that asks, not to one that was resumed`() {
        var turns = SnapshotTurns<Int>()
        _ = turns.begin()
        _ = turns.wait(1)
        #expect(turns.end() == [1])
        #expect(turns.begin() == true)
        // The resumed run asks too late, and waits again.
        #expect(turns.begin() == nil)
        #expect(turns.wait(1) == true)
        #expect(turns.end() == [1])
    }

    @Test func `one run waits in a loop, and the others are resumed nevertheless`() {
        var turns = SnapshotTurns<Int>()
        _ = turns.begin()
        #expect(turns.enterLoop() == true)
        #expect(turns.enterLoop() == false)
        _ = turns.wait(1)
        #expect(turns.end() == [1])
        #expect(turns.begin() == true)
        turns.leaveLoop()
        #expect(turns.enterLoop() == true)
    }

    @Test func `no run waits for a turn that ended while it was about to be suspended`() {
        var turns = SnapshotTurns<Int>()
        _ = turns.begin()
        _ = turns.enterLoop()
        #expect(turns.begin() == nil)
        #expect(turns.end() == [])
        turns.leaveLoop()
        #expect(turns.wait(1) == false)
        #expect(turns.begin() == true)
    }

    @Test func `once the snapshot is over, all waiting runs are resumed and none begins`() {
        var turns = SnapshotTurns<Int>()
        _ = turns.begin()
        _ = turns.wait(1)
        _ = turns.wait(2)
        #expect(turns.finish() == [1, 2])
        #expect(turns.isFree == false)
        #expect(turns.wait(3) == false)
        #expect(turns.begin() == false)
        #expect(turns.end() == [])
        #expect(turns.isFree)
        #expect(turns.begin() == false)
    }
}
