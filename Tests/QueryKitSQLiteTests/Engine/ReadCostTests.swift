import Testing

@testable import QueryKitSQLite

struct ReadCostTests {
    private let limit: UInt64 = 100_000
    private let slow: UInt64 = 100_001

    @Test func `D1 a place without measurements is neither quick nor long`() {
        let cost = ReadCost()
        #expect(!cost.isQuick(limit))
        #expect(!cost.isLong)
    }

    @Test func `D1 a longer time counts at once, and a shorter one with an eighth of the difference`() {
        var cost = ReadCost()
        cost.note(8_000, limit: limit, onCallersThread: false)
        #expect(cost.nanoseconds == 8_000)
        #expect(cost.isQuick(limit))
        cost.note(80_000, limit: limit, onCallersThread: false)
        #expect(cost.nanoseconds == 80_000)
        cost.note(0, limit: limit, onCallersThread: false)
        #expect(cost.nanoseconds == 70_001)
        for _ in 0..<2 { cost.note(ReadCost.long, limit: limit, onCallersThread: false) }
        #expect(cost.isLong)
        #expect(!cost.isQuick(limit))
        for _ in 0..<2 { cost.note(1, limit: limit, onCallersThread: false) }
        #expect(!cost.isLong)
        cost.note(.max, limit: limit, onCallersThread: false)
        cost.note(.max, limit: limit, onCallersThread: true)
        #expect(cost.nanoseconds == .max)
    }

    @Test func `D1 a place is tiny after many tiny reads, and a few longer ones among many more don't change that`() {
        let (tiny, required) = (ReadCost.tiny, Int(ReadCost.tinyCounts.required))
        var cost = ReadCost()
        for _ in 1..<required { cost.note(tiny, limit: limit, onCallersThread: false) }
        #expect(!cost.isTiny(limit))
        // A longer read on a lane changes nothing, because its thread had to be woken.
        cost.note(tiny + 1, limit: limit, onCallersThread: false)
        #expect(!cost.isTiny(limit))
        cost.note(tiny, limit: limit, onCallersThread: true)
        #expect(cost.isTiny(limit))
        // The limit of the database applies too.
        #expect(!cost.isTiny(1_000))
        // One longer read cancels four tiny ones.
        cost.note(tiny + 1, limit: limit, onCallersThread: true)
        for _ in 0..<3 { cost.note(1_000, limit: limit, onCallersThread: true) }
        #expect(!cost.isTiny(limit))
        #expect(cost.isQuick(limit))
        for _ in 0..<1_000 { cost.note(1_000, limit: limit, onCallersThread: true) }
        for _ in 0..<required / 4 { cost.note(tiny + 1, limit: limit, onCallersThread: true) }
        #expect(cost.isTiny(limit))
        cost.note(tiny + 1, limit: limit, onCallersThread: true)
        #expect(!cost.isTiny(limit))
    }

    @Test func `D1 after a failure that isn't forgiven, a place counts as tiny only after many tiny reads`() {
        var cost = ReadCost()
        for _ in 0..<20 { cost.note(1_000, limit: limit, onCallersThread: true) }
        for _ in 0..<200 { cost.note(1_000, limit: limit, onCallersThread: false) }
        #expect(cost.isTiny(limit))
        cost.note(slow, limit: limit, onCallersThread: true)
        #expect(wait(&cost) == 16)
        #expect(!cost.isTiny(limit))
    }

    @Test func `D1 quick reads on callers' threads forgive up to four later failures, which a busy system causes`() {
        var cost = ReadCost()
        cost.note(1_000, limit: limit, onCallersThread: false)
        for _ in 0..<31 { cost.note(1_000, limit: limit, onCallersThread: true) }
        #expect(failures(of: cost, slow) == 0)
        cost.note(1_000, limit: limit, onCallersThread: true)
        #expect(failures(of: cost, slow) == 1)
        for _ in 0..<320 { cost.note(1_000, limit: limit, onCallersThread: true) }
        #expect(failures(of: cost, slow) == 4)
        // Of failures that follow each other closely, only the first is forgiven.
        #expect(failures(of: cost, slow, after: 3) == 1)
        // A forgiven failure starts the count of quick reads over, and only reads on callers' threads count.
        for _ in 0..<4 {
            cost.note(slow, limit: limit, onCallersThread: true)
            for _ in 0..<4 { cost.note(1_000, limit: limit, onCallersThread: true) }
        }
        #expect(cost.isQuick(limit))
        for _ in 0..<27 { cost.note(1_000, limit: limit, onCallersThread: true) }
        for _ in 0..<31 { cost.note(1_000, limit: limit, onCallersThread: false) }
        #expect(failures(of: cost, slow) == 0)
    }

    @Test func `D1 a long read on a caller's thread is never forgiven, and uses up what would forgive others`() {
        var cost = ReadCost()
        cost.note(1_000, limit: limit, onCallersThread: false)
        for _ in 0..<320 { cost.note(1_000, limit: limit, onCallersThread: true) }
        cost.note(ReadCost.long, limit: limit, onCallersThread: true)
        #expect(!cost.isQuick(limit))
        var other = cost
        #expect(wait(&other) >= 16)
        cost.note(slow, limit: limit, onCallersThread: true)
        #expect(wait(&cost) >= 32)
    }

    /// The number of failures that are forgiven if a few quick reads on the caller's thread follow each of them.
    private func failures(of cost: ReadCost, _ time: UInt64, after quickReads: Int = 4) -> Int {
        var (cost, count) = (cost, 0)
        while true {
            cost.note(time, limit: limit, onCallersThread: true)
            guard cost.isQuick(limit) else { return count }
            count += 1
            for _ in 0..<quickReads { cost.note(1_000, limit: limit, onCallersThread: true) }
        }
    }

    @Test func `D1 a first read whose thread was stopped does not make its place long`() {
        let stopped = ReadTime(nanoseconds: 50_000_000, wasStopped: true)
        var cost = ReadCost()
        cost.note(stopped, limit: limit, onCallersThread: false)
        #expect(!cost.isLong)
        cost.note(8_000, limit: limit, onCallersThread: false)
        #expect(!cost.isLong)
        // A place that waits for the disk each time is long.
        var waiting = ReadCost()
        for _ in 0..<7 { waiting.note(stopped, limit: limit, onCallersThread: false) }
        #expect(!waiting.isLong)
        waiting.note(stopped, limit: limit, onCallersThread: false)
        #expect(waiting.isLong)
    }

    /// How many quick reads on lanes are needed before the next one may run on its caller's thread.
    private func wait(_ cost: inout ReadCost) -> Int {
        var count = 0
        while !cost.isQuick(limit) {
            cost.note(1_000, limit: limit, onCallersThread: false)
            count += 1
        }
        return count
    }

    @Test func `D1 after each failure on a caller's thread twice as many quick reads are needed`() {
        var cost = ReadCost()
        cost.note(1_000, limit: limit, onCallersThread: false)
        var waits: [Int] = []
        for _ in 0..<6 {
            cost.note(slow, limit: limit, onCallersThread: true)
            waits.append(wait(&cost))
        }
        #expect(waits == [16, 32, 64, 128, 256, 512])
        // A slow read on a lane starts the count over.
        cost.note(slow, limit: limit, onCallersThread: true)
        for _ in 0..<1_000 { cost.note(1_000, limit: limit, onCallersThread: false) }
        cost.note(slow, limit: limit, onCallersThread: false)
        #expect(wait(&cost) == 1_024)
    }

    @Test func `D1 a slow read on a lane alone needs no probation`() {
        var cost = ReadCost()
        cost.note(slow, limit: limit, onCallersThread: false)
        #expect(wait(&cost) == 1)
    }

    @Test func `D1 quick reads on callers' threads clear failures one by one`() {
        var cost = ReadCost()
        cost.note(1_000, limit: limit, onCallersThread: false)
        for _ in 0..<2 { cost.note(slow, limit: limit, onCallersThread: true) }
        #expect(wait(&cost) == 32)
        for _ in 0..<32 { cost.note(1_000, limit: limit, onCallersThread: true) }
        cost.note(slow, limit: limit, onCallersThread: true)
        #expect(wait(&cost) == 32)
        for _ in 0..<31 { cost.note(1_000, limit: limit, onCallersThread: true) }
        cost.note(slow, limit: limit, onCallersThread: true)
        #expect(wait(&cost) == 64)
    }

    @Test func `D1 two reads in a row are needed to change whether a place is long, so a pause of the system changes nothing`() {
        var cost = ReadCost()
        func note(_ milliseconds: UInt64) { cost.note(milliseconds * 1_000_000, limit: limit, onCallersThread: false) }
        note(1)
        note(20)
        #expect(!cost.isLong)
        note(1)
        note(20)
        #expect(!cost.isLong)
        note(20)
        #expect(cost.isLong)
        note(1)
        note(20)
        #expect(cost.isLong)
        // However long they were, the next short reads soon stop waiting behind long ones.
        note(2_000)
        for _ in 0..<2 { note(1) }
        #expect(!cost.isLong)
        cost = ReadCost()
        note(5)
        #expect(cost.isLong)
    }

    @Test func `D1 each place in the source has its own measurements, even after others were measured`() {
        var costs = ReadCosts()
        let sites = (0..<20).map { ReadSite("App/Trips.swift", UInt($0)) }
        for (number, site) in sites.enumerated() { costs[site].note(UInt64(number + 1), limit: limit, onCallersThread: false) }
        // Places that share a slot replace each other, and none gets another's time.
        for (number, site) in sites.enumerated() { #expect([0, UInt64(number + 1)].contains(costs[site].nanoseconds)) }
        #expect(sites.count { costs[$0].nanoseconds != 0 } >= 18)
        #expect(costs[ReadSite("App/Other.swift", 3)].nanoseconds == 0)
    }

    @Test func `D1 long statements are known to all connections, up to a limit`() {
        let statements = LongStatements()
        for number in 0..<256 { statements.insert("SELECT \(number)") }
        #expect(statements.contains("SELECT 0"))
        statements.insert("SELECT 256")
        #expect(statements.contains("SELECT 256"))
        #expect(!statements.contains("SELECT 0"))
    }
}
