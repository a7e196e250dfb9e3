import Testing

@testable import QueryKit

/// When triggers start runs (R20, R31).
struct LedgerTriggerTests {
    private let bell = QueryTrigger("bell") { _, _ in QuerySubscription {} }
    private var test = TestLedger()
    private let entry: Entry

    init() {
        test.pass(0)
        entry = test.entry(1)
    }

    private mutating func observe(at entry: Entry? = nil, ttl: Nanoseconds = .zero, _ triggers: [QueryTrigger]) -> Observer {
        test.observe(entry ?? self.entry, Settings(ttl: ttl, triggers: triggers))
    }

    private mutating func ring(_ observer: Observer) {
        guard let active = test.ledger[observer].triggers else { return }
        test.event { $0.fire(active, "bell") }
    }

    /// The number of runs so far. Those under way end now.
    private mutating func runs(_ entry: Entry? = nil) -> Int32 {
        let entry = entry ?? self.entry
        while test.run(entry) != nil { test.finish(entry, 1) }
        return test.ledger[entry].lastRun
    }

    private mutating func setOnline(_ isOnline: Bool) { test.event { $0.setOnline(isOnline) } }

    // MARK: Observers

    @Test mutating func `R20 a trigger starts a run while its observer is there, the value is stale and no run answers it`() {
        let observer = observe(ttl: Nanoseconds(.seconds(60)), [bell])
        ring(observer)
        #expect(runs() == 1)
        ring(observer)
        #expect(runs() == 1)
        test.pass(61)
        ring(observer)
        #expect(test.ledger[entry].record.cause == .trigger("bell"))
        test.pass(61)
        ring(observer)
        #expect(runs() == 2)
        let active = test.ledger[observer].triggers!
        test.event { [entry] in $0.unsubscribe(entry, observer) }
        _ = observe([])
        #expect(runs() == 3)
        test.event { $0.fire(active, "bell") }
        #expect(runs() == 3)
    }

    @Test mutating func `R20 a trigger that fires often causes one run at once, and one after the pause`() {
        let observer = observe([bell])
        _ = runs()
        for _ in 0..<1_000 {
            ring(observer)
            _ = runs()
        }
        #expect(runs() == 2)
        test.pass(milliseconds: 99)
        #expect(runs() == 2)
        test.pass(milliseconds: 1)
        #expect(runs() == 3)
        test.pass(10)
        #expect(runs() == 3)
    }

    @Test mutating func `R20 a run under way answers a trigger, and nothing follows after the pause`() {
        let observer = observe([bell])
        _ = runs()
        ring(observer)
        ring(observer)
        #expect(runs() == 2)
        test.pass(1)
        #expect(runs() == 2)
    }

    @Test mutating func `R20 one event causes one run, even if that ends before the next observer's trigger fires`() {
        let (early, late) = (observe([bell]), observe([bell]))
        _ = runs()
        ring(early)
        #expect(runs() == 2)
        ring(late)
        #expect(runs() == 2)
        test.pass(milliseconds: 100)
        ring(late)
        #expect(runs() == 3)
        // Its second event is another one.
        ring(late)
        test.pass(milliseconds: 100)
        #expect(runs() == 4)
    }

    @Test mutating func `R20 a run answers no other observer's trigger after an invalidation, and none once its own observer has left`() {
        var (early, late) = (observe([bell]), observe([bell]))
        _ = runs()
        ring(early)
        _ = runs()
        test.event { [entry] in $0.invalidate(.entries([entry]), .manual, refetch: .none) }
        ring(late)
        #expect(runs() == 3)
        test.pass(1)
        ring(early)
        _ = runs()
        test.event { [entry] in $0.unsubscribe(entry, early) }
        ring(late)
        #expect(runs() == 5)
        early = late
    }

    // MARK: Polling

    @Test mutating func `R20 the shortest interval counts, at its multiples, until its observer leaves`() {
        test.pass(3)
        _ = observe([.every(.seconds(10))])
        let short = observe([.every(.seconds(30)), .every(.seconds(4))])
        #expect(runs() == 1)
        test.pass(1)
        #expect(test.ledger[entry].record.cause == .trigger("every 4.0 seconds"))
        #expect(runs() == 2)
        test.pass(4)
        #expect(runs() == 3)
        test.event { [entry] in $0.unsubscribe(entry, short) }
        test.pass(1)
        #expect(runs() == 3)
        test.pass(1)
        #expect(runs() == 4)
        test.event { [entry] in $0.unsubscribe(entry, $0[entry].observers[0]) }
        test.pass(1_000)
        #expect(test.ledger[entry].lastRun == 4)
    }

    @Test mutating func `R20 an interval of zero or less never fires, one of centuries does no harm, and a short one has pauses`() {
        let intervals: [Duration] = [.zero, .seconds(-5), .infinity, .milliseconds(1)]
        let entries = intervals.indices.map { test.entry($0 + 10) }
        for (entry, interval) in zip(entries, intervals) {
            _ = observe(at: entry, [.every(interval)])
            _ = runs(entry)
        }
        for _ in 0..<1_000 {
            test.pass(milliseconds: 1)
            for entry in entries { _ = runs(entry) }
        }
        #expect(entries.map { test.ledger[$0].lastRun } == [1, 1, 1, 11])
    }

    @Test mutating func `R20 an observer that polls and fetches seldom keeps no deadlines of those that have left`() {
        for _ in 0..<10_000 {
            let observer = observe([.every(.seconds(3_600))])
            test.event { [entry] in $0.unsubscribe(entry, observer) }
        }
        #expect(test.ledger.deadlines.count < 1_000)
    }

    // MARK: Reconnecting

    @Test(arguments: [true, false])
    mutating func `R31 when the network is back, all observers or those that ask for it are served`(_ isDefault: Bool) {
        test.ledger.defaults.coversReconnect = isDefault
        let (other, fresh) = (test.entry(2), test.entry(3))
        _ = observe([.reconnect])
        _ = observe(at: other, [])
        _ = observe(at: fresh, ttl: .infinity, [.reconnect])
        for entry in [entry, other, fresh] { _ = runs(entry) }
        for round in 1...3 as ClosedRange<Int32> {
            setOnline(false)
            setOnline(true)
            #expect(test.ledger[entry].record.cause == .trigger("reconnect"))
            test.pass(1)
            #expect(runs() == 1 + round && runs(other) == (isDefault ? 1 + round : 1) && runs(fresh) == 1)
            test.pass(1)
            #expect(runs() == 1 + round)
        }
    }

    @Test(arguments: [true, false], [1, 128])
    mutating func `R12 R31 each paused run continues once when the network is back`(_ isDefault: Bool, _ part: Int) {
        test = TestLedger()
        test.pass(0)
        test.ledger.limits.part = part
        test.ledger.defaults.coversReconnect = isDefault
        let entries = (1...5).map { test.entry($0) }
        for entry in entries {
            _ = test.observe(entry, Settings(networkMode: .online, triggers: [.reconnect]))
            _ = runs(entry)
        }
        setOnline(false)
        for entry in entries { test.event { $0.invalidate(.entries([entry]), .manual) } }
        setOnline(true)
        for entry in entries { #expect(runs(entry) == 3) }
        while test.event({ $0.followers.isEmpty ? false : $0.followNext() }) {}
        test.pass(1)
        // The number of a run that was paused counts twice: before it has read anything, and from then on.
        for entry in entries { #expect(runs(entry) == 3) }
    }

    // MARK: Triggers of the client

    @Test mutating func `R31 a trigger of the client counts if the value is stale for one of the observers`() {
        _ = observe(ttl: Nanoseconds(.seconds(60)), [])
        let short = observe(ttl: Nanoseconds(.seconds(1)), [])
        _ = runs()
        test.pass(10)
        test.event { $0.fireDefault("app active") }
        #expect(runs() == 2)
        test.event { [entry] in $0.unsubscribe(entry, short) }
        test.pass(10)
        test.event { $0.fireDefault("app active") }
        #expect(runs() == 2)
    }

    @Test mutating func `R31 R20 triggers of the client cause one run at once, and one after the pause`() {
        _ = observe([])
        _ = runs()
        for _ in 0..<20 {
            test.event { $0.fireDefault("app active") }
            _ = runs()
        }
        #expect(runs() == 2)
        test.pass(milliseconds: 100)
        #expect(runs() == 3)
        test.pass(milliseconds: 100)
        #expect(runs() == 3)
        test.event { $0.fireDefault("app active") }
        // This one is answered by the run of the first.
        test.event { $0.fireDefault("reconnect") }
        #expect(runs() == 4)
        test.pass(1)
        #expect(runs() == 4)
    }

    @Test mutating func `R31 a trigger of the client doesn't fetch again what was read after it has fired`() {
        test.ledger.limits.part = 1
        let other = test.entry(2)
        for entry in [entry, other] {
            _ = observe(at: entry, [])
            _ = runs(entry)
        }
        test.event { $0.fireDefault("app active") }
        let caller = Caller(Settings())
        test.event { $0.fetch(other, caller, ttl: .zero) }
        #expect(runs(other) == 2)
        while test.event({ $0.followNext() }) {}
        #expect(runs() == 2 && runs(other) == 2)
        // Nor after the pause.
        test.event { $0.fireDefault("app active") }
        let next = Caller(Settings())
        test.event { $0.fetch(other, next, ttl: .zero) }
        #expect(runs(other) == 3)
        test.pass(milliseconds: 100)
        while test.event({ $0.followNext() }) {}
        #expect(runs() == 3 && runs(other) == 3)
    }

    // MARK: Sessions

    @Test mutating func `R20 triggers of a session end with it, and begin again with the settings of the next one`() {
        let observer = observe([bell, .every(.seconds(10))])
        _ = runs()
        let former = test.ledger[observer].triggers!
        test.event { $0.clear(.session) }
        #expect(test.effects.contains { if case .endTriggers(let ended) = $0 { ended === former } else { false } })
        test.event { $0.fire(former, "bell") }
        test.pass(100)
        #expect(test.run(entry) == nil)
        let settings = Settings(session: test.ledger.epoch, triggers: [bell, .every(.seconds(10))])
        test.event { [entry] in $0.exchange(entry, [(observer, settings)]) }
        _ = runs()
        let count = test.ledger[entry].lastRun
        ring(observer)
        #expect(runs() == count + 1)
        test.pass(10)
        #expect(runs() == count + 2)
        test.event { $0.close() }
        #expect(test.ledger[observer].triggers == nil && test.ledger[entry].polling == nil)
    }

    // MARK: Invalidations

    @Test mutating func `R20 R29 an invalidation that repeats itself marks at once, and lets runs follow after the pause as one change`() {
        let other = test.entry(2)
        for entry in [entry, other] {
            _ = observe(at: entry, ttl: .infinity, [])
            _ = runs(entry)
        }
        let standing = ActiveTriggers(.invalidation([.path(["item", 1]), .path(["item", 2]), "item/*"]), [bell], nil)
        test.event { $0.beginStanding(standing) }
        test.event { $0.fire(standing, "bell") }
        #expect(runs() == 2 && runs(other) == 2)
        test.event { $0.fire(standing, "bell") }
        #expect(test.ledger[entry].isInvalidated && test.ledger[other].isInvalidated)
        #expect(test.run(entry) == nil)
        // It is fresh when the pause is over.
        test.write(other, 5)
        test.pass(milliseconds: 100)
        #expect(runs() == 3 && runs(other) == 2)
        // It ends during a pause.
        test.event { $0.fire(standing, "bell") }
        test.event { $0.endStanding(standing) }
        #expect(runs() == 4)
        test.pass(1)
        test.event { $0.fire(standing, "bell") }
        #expect(runs() == 4)
        #expect(test.ledger.standing.isEmpty)
    }
}
