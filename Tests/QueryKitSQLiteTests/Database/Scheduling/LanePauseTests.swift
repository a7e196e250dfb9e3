import Testing

@testable import QueryKitSQLite

/// When no job may begin, and which lane works after a database has moved into memory.
struct LanePauseTests {
    @Test func `a schedule paused for two reasons continues when both have ended`() {
        var schedule = LaneSchedule<String>(readerCount: 1)
        schedule.pause(.recovery)
        schedule.pause(.suspension)
        let lane = schedule.add("read", .read)
        #expect(lane == nil)
        let early = schedule.resume(.suspension)
        #expect(early.isEmpty && schedule.isPaused)
        let starts = schedule.resume(.recovery)
        #expect(starts.map(\.job) == ["read"])
        #expect(!schedule.isPaused)
    }

    @Test func `after a move into memory the writer's lane does all waiting and new jobs`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        schedule.pause(.recovery)
        for (job, kind) in [("read 1", .read), ("write", .write), ("read 2", .read)] as [(String, LaneSchedule<String>.Kind)] {
            let lane = schedule.add(job, kind)
            #expect(lane == nil)
        }
        schedule.useWriterOnly()
        let starts = schedule.resume(.recovery)
        #expect(starts.map(\.lane) == [0])
        #expect(starts.map(\.job) == ["write"])
        let waiting = schedule.add("read 3", .read)
        #expect(waiting == nil)
        let jobs = (0..<4).map { _ in schedule.next(on: 0) }
        #expect(jobs == ["read 1", "read 2", "read 3", nil])
        let lane = schedule.add("read 4", .read)
        #expect(lane == 0)
    }
}
