import Testing

@testable import QueryKit

/// All events in all relevant states, row by row, followed by sequences of several events.
struct RunMachineTests {
    @Test(arguments: MachineTable.idle) func `the events in a store without a run have the effects in the table`(_ table: MachineTable) {
        table.check()
    }

    @Test(arguments: MachineTable.running) func `the events during an undisturbed run have the effects in the table`(_ table: MachineTable)
    { table.check() }

    @Test(arguments: MachineTable.progressing) func `the events during a run that already shows something have the effects in the table`(
        _ table: MachineTable
    ) { table.check() }

    @Test(arguments: MachineTable.overtaken) func `the events during an overtaken run have the effects in the table`(_ table: MachineTable)
    { table.check() }

    @Test(arguments: MachineTable.waiting) func `the events during a waiting run have the effects in the table`(_ table: MachineTable) {
        table.check()
    }

    @Test(arguments: MachineTable.privateRuns) func `the events during a private run have the effects in the table`(_ table: MachineTable) {
        table.check()
    }

    @Test(arguments: MachineTable.pages) func `the events during a page fetch have the effects in the table`(_ table: MachineTable) {
        table.check()
    }

    @Test func `R17 a run paused after its first fetch is outdated and overtaken like any other`() {
        var situation = Situation(after: [.subscribe, .pause(1), .invalidate(.active), .write()])
        #expect(situation.machine.run?.isOutdated == true)
        #expect(situation.machine.run?.isSuperseded == true)
        #expect(situation.send(.end(1, .success)).next != nil)
    }

    @Test func `R6 a thousand callers join one run`() {
        var situation = Situation()
        #expect(situation.send(.fetch).starts?.number == 1)
        for _ in 1..<1_000 { #expect(situation.send(.fetch) == RunMachine.Effects(joined: 1)) }
        #expect(situation.machine.run?.waiters == 1_000)
        #expect(situation.send(.end(1, .success)).settles == .waiters(of: 1))
    }

    @Test func `R7 the run is cancelled only when the last waiter or subscriber leaves`() {
        var situation = Situation(after: [.subscribe, .fetch, .fetch, .look])
        for event in [MachineEvent.leave(1), .unsubscribe(), .leave(1)] { #expect(situation.send(event) == RunMachine.Effects()) }
        #expect(situation.send(.unsubscribe()) == RunMachine.Effects(cancels: 1, value: .restore))
        #expect(situation.machine.isIdle)
    }

    @Test func `R7 an abandoned run that should finish is cancelled by the next subscriber that leaves with cancel`() {
        var situation = Situation(after: [.fetch, .leave(1, .finish)])
        #expect(situation.machine.run?.number == 1)
        _ = situation.send(.subscribe)
        #expect(situation.send(.unsubscribe()).cancels == 1)
    }

    @Test func `R10 events of a cancelled run are ignored`() {
        let ends: [[MachineEvent]] = [[.cancel], [.reset()], [.leave(1)], [.end(1, .success)], [.cancel, .fetch], [.reset(), .fetch]]
        for end in ends {
            let situation = Situation(after: [.fetch] + end)
            let reports = [.yield(1), .attemptFailed(1)] + MachineEvent.Outcome.allCases.map { MachineEvent.end(1, $0) }
            for report in reports {
                var after = situation
                #expect(after.send(report) == RunMachine.Effects(isIgnored: true), "\(end) \(report)")
                #expect(after.machine == situation.machine)
                #expect(after.record.looksLike(situation.record))
                #expect(after.record.valueCount == situation.record.valueCount)
            }
        }
    }

    @Test func `R17 any number of invalidations during a run are followed by one run`() throws {
        var situation = Situation(after: [.subscribe])
        for _ in 0..<5 { #expect(situation.send(.invalidate(.active)) == RunMachine.Effects()) }
        try #require(situation.send(.end(1, .success)).next != nil)
        #expect(situation.record.isStale(at: Situation.time.instant, ttl: .infinity))
        #expect(situation.follow().starts == RunStart(number: 2, cause: .invalidated("a"), origin: .library))
        let end = situation.send(.end(2, .success))
        #expect(end == RunMachine.Effects(value: .accept, settles: .waiters(of: 2)))
        #expect(!situation.record.isStale(at: Situation.time.instant, ttl: .infinity))
    }

    @Test func `R17 a caller that comes after the invalidation waits for the trailing run and not longer`() throws {
        var situation = Situation(after: [.fetch, .invalidate(.none)])
        #expect(situation.send(.fetch).joined == RunMachine.following)
        try #require(situation.send(.end(1, .success)).next != nil)
        #expect(situation.follow().starts == RunStart(number: 2, cause: .manual, origin: .caller))
        #expect(situation.machine.run?.waiters == 1)
        #expect(situation.send(.fetch).joined == 2)
        #expect(situation.send(.end(2, .success)).next == nil)
    }

    @Test func `R17 the first cause of a trailing run is the one reported`() {
        var situation = Situation(after: [.subscribe, .invalidate(.active), .write(), .refresh])
        #expect(situation.send(.end(1, .success)).next?.cause == .invalidated("a"))
        situation = Situation(after: [.subscribe, .write(), .invalidate(.active)])
        #expect(situation.send(.end(1, .success)).next?.cause == .written)
    }

    @Test func `R19 a written value is kept when an older run yields or ends, and one run follows`() {
        for outcome in [MachineEvent.Outcome.success, .failure] {
            var situation = Situation(after: [.subscribe, .write(), .write()])
            #expect(situation.send(.yield(1)).isIgnored)
            let effects = situation.send(.end(1, outcome))
            #expect(effects.isIgnored)
            #expect(effects.value == .keep)
            #expect(effects.next == .start(.written, .library, waiters: 0))
            #expect(situation.record.valueCount == 2)
            #expect(situation.record.flags == [.succeeded, .hasValue])
        }
    }

    @Test func `R10 the value of a private run is shown unless a later private run has already ended`() {
        var situation = Situation(after: [.beginPrivate, .beginPrivate, .beginPrivate])
        #expect(situation.send(.endPrivate(2, .success)).value == .accept)
        #expect(situation.send(.endPrivate(1, .success)) == RunMachine.Effects(isIgnored: true))
        #expect(situation.record.flags.contains(.fetching))
        #expect(situation.send(.endPrivate(3, .success)).value == .accept)
        #expect(situation.record.valueCount == 2)
        #expect(situation.machine.isIdle)
        #expect(!situation.record.flags.contains(.fetching))
    }

    @Test(arguments: [.write(), .writeFailure, .cancel, .reset()] as [MachineEvent])
    func `R10 R19 the value of a private run that began earlier is not shown`(_ event: MachineEvent) {
        var situation = Situation(after: [.beginPrivate, event])
        #expect(situation.send(.endPrivate(1, .success)) == RunMachine.Effects(isIgnored: true))
        #expect(situation.send(.beginPrivate).joined == 2)
        #expect(situation.send(.endPrivate(2, .success)).value == .accept)
    }

    @Test(arguments: [[.subscribe, .holdBack(1)], [.subscribe, .stream(1)]] as [[MachineEvent]])
    func `R19 a write outlives private runs that began before it, but not a run that has yet to fetch or stream`(_ run: [MachineEvent]) {
        for events in [run + [.beginPrivate, .write()], run + [.beginPrivate, .beginPrivate, .endPrivate(3, .cancelled), .write()]] {
            var situation = Situation(after: events)
            #expect(situation.send(.endPrivate(2, .success)) == RunMachine.Effects(isIgnored: true))
            if situation.machine.run?.isHeldBack == true {
                _ = situation.send(.goOn(1))
                #expect(situation.send(.end(1, .success)).value == .accept)
            } else {
                #expect(situation.send(.stream(1)).value == .accept)
            }
        }
        var older = Situation(after: [.beginPrivate, .subscribe, .holdBack(2), .write()])
        #expect(older.send(.endPrivate(1, .success)) == RunMachine.Effects(isIgnored: true))
    }

    @Test func `R17 a caller that is too late for an opening stream gets the next one, also without observers`() {
        var situation = Situation(after: [.fetch, .invalidate(.active), .fetch])
        #expect(situation.machine.run?.waiters == 1 && situation.machine.run?.nextWaiters == 1)
        #expect(situation.send(.stream(1)).settles == .waiters(of: 1))
        #expect(situation.follow().starts?.number == 2)
        #expect(situation.machine.run?.waiters == 1)
    }

    @Test func `R2 the end of a stream doesn't hide the failure of a private run`() {
        let live = Situation(after: [.subscribe, .stream(1), .beginPrivate, .endPrivate(2, .failure)])
        var ended = live
        #expect(live.record.error != nil && live.record.failures == 1)
        _ = ended.send(.end(1, .success))
        #expect(ended.machine.isIdle)
        #expect(ended.record.error != nil && ended.record.failures == 1)
    }

    @Test func `a private run ends a simulation`() {
        var situation = Situation()
        situation.record.flags.insert(.simulated)
        _ = situation.send(.beginPrivate)
        #expect(!situation.record.flags.contains(.simulated))
    }

    @Test func `R10 a stream element of an older run is ignored`() throws {
        var situation = Situation(after: [.subscribe, .stream(1), .invalidate(.active)])
        try #require(situation.follow().starts?.number == 2)
        let before = situation
        #expect(situation.send(.stream(1)) == RunMachine.Effects(isIgnored: true))
        #expect(situation.machine == before.machine)
        #expect(situation.record.valueCount == before.record.valueCount)
    }

    @Test func `R22 a run held back for the network does not count as begun, but earlier runs do`() {
        var situation = Situation(after: [.beginPrivate, .subscribe, .holdBack(2)])
        #expect(situation.machine.lastBegunNumber == 1)
        _ = situation.send(.goOn(2))
        #expect(situation.machine.lastBegunNumber == 2)
    }

    @Test func `R10 a younger private run overtakes a run, whose waiters still get its result`() {
        var situation = Situation(after: [.fetch, .beginPrivate])
        #expect(situation.send(.endPrivate(2, .success)) == RunMachine.Effects(value: .accept, rebases: true))
        let effects = situation.send(.end(1, .success))
        #expect(effects == RunMachine.Effects(settles: .waiters(of: 1), isIgnored: true))
        #expect(situation.record.valueCount == 1)
    }

    @Test func `R10 a value yielded by an older run after a younger private run was shown is ignored`() {
        var situation = Situation(after: [.fetch, .beginPrivate, .endPrivate(2, .success)])
        #expect(situation.send(.yield(1)) == RunMachine.Effects(isIgnored: true))
        _ = situation.send(.end(1, .success))
        #expect(situation.record.flags == [.succeeded, .hasValue])
        #expect(!situation.record.isStale(at: Situation.time.instant, ttl: .infinity))
    }

    @Test func `R17 an invalidation is satisfied by a private run that began after it, but not by one that began before`() {
        var situation = Situation(after: [.beginPrivate, .invalidate(.active), .beginPrivate])
        #expect(situation.send(.endPrivate(1, .success)).value == .accept)
        #expect(situation.record.isStale(at: Situation.time.instant, ttl: .infinity))
        #expect(situation.send(.endPrivate(2, .success)).value == .accept)
        #expect(!situation.record.isStale(at: Situation.time.instant, ttl: .infinity))
    }

    @Test func `R11 failed attempts are counted across yields`() {
        var situation = Situation(after: [.fetch, .attemptFailed(1), .yield(1), .attemptFailed(1), .yield(1)])
        #expect(situation.record.failures == 2)
        _ = situation.send(.end(1, .failure))
        #expect(situation.record.failures == 3)
    }

    @Test func `R19 a stream element is shown over the value of a private run that has ended`() {
        let live = Situation(after: [.subscribe, .stream(1), .beginPrivate, .endPrivate(2, .success), .stream(1)])
        #expect(live.record.valueCount == 3)
        let opening = Situation(after: [.subscribe, .beginPrivate, .endPrivate(2, .success), .stream(1), .stream(1)])
        #expect(opening.record.valueCount == 3)
    }

    @Test func `R11 a failed private run counts as one failure`() {
        let situation = Situation(after: [.beginPrivate, .endPrivate(1, .failure)])
        #expect(situation.record.failures == 1)
    }

    @Test func `R11 R19 attempts that fail after a write do not count as failures of the written value`() {
        var situation = Situation(after: [.refresh, .write(), .attemptFailed(1)])
        #expect(situation.record.failures == 1)
        _ = situation.send(.end(1, .failure))
        #expect(situation.record.failures == 0)
    }

    @Test func `R4 a reset keeps the state's revision and clears everything else`() {
        var situation = Situation(after: [.subscribe, .yield(1), .end(1, .failure)])
        situation.record.revision = 12
        situation.record.flags.insert(.placeholder)
        _ = situation.send(.reset(refetches: true))
        #expect(situation.record.revision == 12)
        #expect(situation.record.flags == [])
        #expect(situation.record.looksLike(QueryRecord()))
        #expect(situation.record.cause == .reset)
        #expect(situation.machine.subscribers == 1)
    }

    @Test func `the first value replaces a placeholder, and a failure keeps it`() {
        var situation = Situation()
        situation.record.flags = [.placeholder]
        _ = situation.send(.fetch)
        var failed = situation
        _ = failed.send(.end(1, .failure))
        #expect(failed.record.flags == [.placeholder, .failed])
        _ = situation.send(.yield(1))
        #expect(situation.record.flags == [.fetching, .succeeded, .hasValue, .partial])
    }

    @Test func `R7 abandoning after a cancelled caller cancels that caller's run, but no later one`() throws {
        var (machine, record) = (RunMachine(), QueryRecord())
        _ = machine.fetch(&record)
        let forgotten = machine.forgetWaiter(of: machine.lastNumber)
        let left = try #require(forgotten)
        _ = machine.reset(refetches: false, &record)
        _ = machine.refresh(.manual, &record)
        #expect(machine.abandon(left, .cancel, &record) == RunMachine.Effects())
        #expect(machine.run?.number == 2)
        #expect(machine.abandon(2, .cancel, &record).cancels == 2)
        #expect(machine.run == nil)
    }
}
