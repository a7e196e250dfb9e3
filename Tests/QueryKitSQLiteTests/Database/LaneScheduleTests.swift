import Testing

@testable import QueryKitSQLite

@Suite(.timeLimit(.minutes(1)))
struct LaneScheduleTests {
    @Test func `D1 one lane writes and the others read, each one job at a time`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.add("w1", .write) == 0)
        #expect(schedule.add("w2", .write) == nil)
        #expect(schedule.add("r1", .read) == 1)
        #expect(schedule.add("r2", .read) == 2)
        #expect(schedule.add("r3", .read) == nil)
        #expect(schedule.add("r4", .read) == nil)
        #expect(schedule.waitingCount == 3)
        #expect(schedule.next(on: 2) == "r3")
        #expect(schedule.next(on: 0) == "w2")
        #expect(schedule.next(on: 1) == "r4")
        #expect(schedule.next(on: 1) == nil)
        #expect(schedule.next(on: 2) == nil)
        #expect(schedule.add("r5", .read) == 1)
        #expect(!schedule.isIdle)
    }

    @Test func `D1 where no lane reads, the writer does it in turn`() {
        var schedule = LaneSchedule<String>(readerCount: 0)
        #expect(schedule.add("r1", .read) == 0)
        #expect(schedule.add("w1", .write) == nil)
        #expect(schedule.add("r2", .read) == nil)
        #expect(schedule.next(on: 0) == "w1")
        #expect(schedule.next(on: 0) == "r2")
        #expect(schedule.next(on: 0) == nil)
        #expect(schedule.isIdle)
    }

    @Test func `while it is held nothing begins, and then all that has room`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.add("r1", .read) == 1)
        schedule.hold()
        #expect(schedule.add("w1", .write) == nil)
        #expect(schedule.add("w2", .write) == nil)
        for job in ["r2", "r3", "r4"] { #expect(schedule.add(job, .read) == nil) }
        #expect(!schedule.isIdle)
        #expect(schedule.next(on: 1) == nil)
        #expect(schedule.isIdle)
        let starts = schedule.release()
        #expect(starts.map(\.lane) == [0, 1, 2])
        #expect(starts.map(\.job) == ["w1", "r2", "r3"])
        #expect(schedule.removeAll() == ["w2", "r4"])
        #expect(schedule.waitingCount == 0)
    }

    @Test func `order holds over many jobs`() {
        var schedule = LaneSchedule<Int>(readerCount: 1)
        _ = schedule.add(0, .write)
        var seen: [Int] = []
        for job in 1...500 { _ = schedule.add(job, .write) }
        for job in 501...600 {
            if let next = schedule.next(on: 0) { seen.append(next) }
            _ = schedule.add(job, .write)
        }
        while let next = schedule.next(on: 0) { seen.append(next) }
        #expect(seen == Array(1...600))
    }
}
