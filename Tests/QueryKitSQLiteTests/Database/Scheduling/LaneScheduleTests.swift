import Testing

@testable import QueryKitSQLite

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

    @Test func `D1 without lanes for reads the writer's lane reads too`() {
        var schedule = LaneSchedule<String>(readerCount: 0)
        #expect(schedule.add("r1", .read) == 0)
        #expect(schedule.add("w1", .write) == nil)
        #expect(schedule.add("r2", .read) == nil)
        #expect(schedule.next(on: 0) == "w1")
        #expect(schedule.next(on: 0) == "r2")
        #expect(schedule.next(on: 0) == nil)
        #expect(schedule.isIdle)
    }

    @Test func `D1 background reads queue behind all others and leave a lane to them`() {
        var schedule = LaneSchedule<String>(readerCount: 3)
        #expect(schedule.add("b1", .background) == 1)
        #expect(schedule.add("b2", .background) == 2)
        #expect(schedule.add("b3", .background) == nil)
        #expect(schedule.add("r1", .read) == 3)
        #expect(schedule.add("r2", .read) == nil)
        #expect(schedule.waitingCount == 2)
        #expect(schedule.next(on: 1) == "r2")
        #expect(schedule.next(on: 3) == "b3")
        #expect(schedule.add("b4", .background) == nil)
        #expect(schedule.next(on: 1) == nil)
        #expect(schedule.add("b5", .background) == nil)
        #expect(schedule.next(on: 2) == "b4")
        #expect(schedule.next(on: 2) == "b5")
        #expect(schedule.next(on: 2) == nil)
        #expect(schedule.next(on: 3) == nil)
        #expect(schedule.isIdle)
    }

    @Test func `D1 a single lane for reads serves background reads when no others wait`() {
        var schedule = LaneSchedule<String>(readerCount: 1)
        #expect(schedule.add("b1", .background) == 1)
        #expect(schedule.add("b2", .background) == nil)
        #expect(schedule.add("r1", .read) == nil)
        #expect(schedule.next(on: 1) == "r1")
        #expect(schedule.next(on: 1) == "b2")
        schedule.pause()
        #expect(schedule.add("b3", .background) == nil)
        #expect(schedule.next(on: 1) == nil)
        #expect(schedule.resume().map(\.job) == ["b3"])
        #expect(schedule.add("b4", .background) == nil)
        #expect(schedule.next(on: 1) == "b4")
        #expect(schedule.add("b5", .background) == nil)
        #expect(schedule.removeAll() == ["b5"])
        // Without lanes for reads the writer's lane takes them in order.
        var alone = LaneSchedule<String>(readerCount: 0)
        #expect(alone.add("b1", .background) == 0)
        #expect(alone.add("w1", .write) == nil)
        #expect(alone.add("b2", .background) == nil)
        #expect(alone.next(on: 0) == "w1")
        #expect(alone.next(on: 0) == "b2")
    }

    @Test func `D1 a lane can be acquired while one is free, but not while the schedule is paused`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.acquire(.read) == 1)
        #expect(schedule.add("r1", .read) == 2)
        #expect(schedule.acquire(.read) == nil)
        #expect(schedule.add("r2", .read) == nil)
        #expect(!schedule.isIdle)
        #expect(schedule.next(on: 1) == "r2")
        #expect(schedule.next(on: 1) == nil)
        schedule.pause()
        #expect(schedule.acquire(.read) == nil)
        _ = schedule.resume()
        #expect(schedule.acquire(.write) == 0)
        #expect(schedule.acquire(.write) == nil)
        #expect(schedule.add("w1", .write) == nil)
        #expect(schedule.next(on: 0) == "w1")
        var alone = LaneSchedule<String>(readerCount: 0)
        #expect(alone.acquire(.read) == nil)
        #expect(alone.acquire(.write) == nil)
    }

    @Test func `D1 a read that moves to the background waits behind the others and leaves a lane free`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.add("b1", .background) == 1)
        #expect(schedule.add("long", .read) == 2)
        #expect(schedule.add("r1", .read) == nil)
        #expect(schedule.next(on: 2, moved: "long") == "r1")
        #expect(schedule.next(on: 2) == nil)
        #expect(schedule.acquire(.read) == 2)
        #expect(schedule.next(on: 1) == "long")
        // Without lanes for reads it waits for the writer.
        var alone = LaneSchedule<String>(readerCount: 0)
        #expect(alone.add("long", .read) == 0)
        #expect(alone.add("w1", .write) == nil)
        #expect(alone.next(on: 0, moved: "long") == "w1")
        #expect(alone.next(on: 0) == "long")
    }

    @Test func `D1 a background read is overtaken by a limited number of others`() {
        var schedule = LaneSchedule<Int>(readerCount: 1)
        #expect(schedule.add(0, .read) == 1)
        #expect(schedule.add(-1, .background) == nil)
        var overtakes = 0
        for job in 1...1_000 {
            #expect(schedule.add(job, .read) == nil)
            guard let next = schedule.next(on: 1), next != -1 else { break }
            overtakes += 1
        }
        #expect(overtakes == LaneSchedule<Int>.overtakeLimit)
    }

    @Test func `no job begins while the schedule is paused, and then as many as there are lanes`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.add("r1", .read) == 1)
        schedule.pause()
        #expect(schedule.add("w1", .write) == nil)
        #expect(schedule.add("w2", .write) == nil)
        for job in ["r2", "r3", "r4"] { #expect(schedule.add(job, .read) == nil) }
        #expect(!schedule.isIdle)
        #expect(schedule.next(on: 1) == nil)
        #expect(schedule.isIdle)
        let starts = schedule.resume()
        #expect(starts.map(\.lane) == [0, 1, 2])
        #expect(starts.map(\.job) == ["w1", "r2", "r3"])
        #expect(schedule.removeAll() == ["w2", "r4"])
        #expect(schedule.waitingCount == 0)
    }

    @Test func `jobs keep their order over many jobs`() {
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

    @Test func `D1 a snapshot takes no lane from the reads, unless another snapshot is held`() {
        var schedule = LaneSchedule<String>(readerCount: 2)
        #expect(schedule.acquire(.snapshot) == 3)
        #expect(schedule.add("b1", .background) == 1)
        #expect(schedule.add("b2", .background) == nil)
        #expect(schedule.acquire(.snapshot) == 2)
        #expect(schedule.add("r1", .read) == nil)
        #expect(schedule.acquire(.snapshot) == nil)
        // The lane for snapshots performs no other job.
        #expect(schedule.next(on: 3) == nil)
        #expect(schedule.acquire(.snapshot) == 3)
        #expect(schedule.next(on: 2) == "r1")
        schedule.pause()
        #expect(schedule.next(on: 3) == nil)
        #expect(schedule.acquire(.snapshot) == nil)
        #expect(schedule.resume().isEmpty)
        #expect(schedule.next(on: 1) == "b2")
        #expect(!schedule.isIdle)
    }

    @Test func `D1 a waiting snapshot takes the first lane that becomes free, before the reads`() {
        for freed in [1, 2] {
            var schedule = LaneSchedule<String>(readerCount: 1)
            #expect(schedule.acquire(.snapshot) == 2)
            #expect(schedule.add("b1", .background) == 1)
            #expect(schedule.add("r1", .read) == nil)
            #expect(schedule.add("s1", .snapshot) == nil)
            #expect(schedule.add("s2", .snapshot) == nil)
            #expect(schedule.waitingCount == 3)
            #expect(schedule.next(on: freed) == "s1")
            schedule.pause()
            #expect(schedule.next(on: freed) == nil)
            #expect(schedule.resume().map(\.job) == ["s2"])
            #expect(schedule.next(on: 1) == "r1")
        }
    }

    @Test func `D1 snapshots that wait are moved to the only lane, and removed when the database closes`() {
        var schedule = LaneSchedule<String>(readerCount: 1)
        schedule.pause()
        #expect(schedule.add("s1", .snapshot) == nil)
        schedule.useWriterOnly()
        #expect(schedule.add("s2", .snapshot) == nil)
        #expect(schedule.removeAll() == ["s1", "s2"])
    }

    @Test func `D1 a database with one connection has no lane for snapshots`() {
        var schedule = LaneSchedule<String>(readerCount: 0)
        #expect(schedule.acquire(.snapshot) == nil)
        var file = LaneSchedule<String>(readerCount: 2)
        file.useWriterOnly()
        #expect(file.acquire(.snapshot) == nil)
        #expect(file.isIdle)
    }

    @Test func `D1 a lane whose connection is being closed runs no job until it is released`() {
        var schedule = LaneSchedule<String>(readerCount: 1)
        schedule.pause()
        #expect(schedule.acquireForClosing(1) == true)
        #expect(schedule.acquireForClosing(1) == false)
        #expect(!schedule.isIdle)
        #expect(schedule.add("r1", .read) == nil)
        #expect(schedule.resume().isEmpty)
        #expect(schedule.acquire(.read) == nil)
        #expect(schedule.next(on: 1) == "r1")
        #expect(schedule.acquireForClosing(1) == false)
        #expect(schedule.next(on: 1) == nil)
        schedule.useWriterOnly()
        #expect(schedule.acquireForClosing(2) == true)
        #expect(schedule.next(on: 2) == nil)
        #expect(schedule.isIdle)
    }
}
