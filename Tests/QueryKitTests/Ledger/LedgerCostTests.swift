import Foundation
import TestSupport
import Testing

@testable import QueryKit

/// What an event costs beside many entries that it doesn't concern. Compared with the same event beside few, so the machine doesn't matter.
@Suite(.timeLimit(.minutes(2)), .serialized) struct LedgerCostTests {
    /// The CPU time of this thread, so that other tests don't count.
    private func cpuTime(_ body: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        body()
        return now() - start
    }

    /// The shortest of some attempts.
    private func time(_ body: () -> Void) -> Duration { (0..<3).map { _ in cpuTime(body) }.min()! }

    private func makeRunning(_ count: Int) -> (TestLedger, Run) {
        var test = TestLedger()
        let settings = Settings(ttl: .infinity)
        for number in 0..<count {
            let entry = test.entry(number)
            test.event { $0.fetch(entry, Caller(settings), ttl: .infinity) }
        }
        return (test, test.ledger[test.entry(0)].run!)
    }

    @Test func `R18 a change by a run costs the same beside 10 runs and beside 5,000`() {
        let times = [10, 5_000].map { count in
            var (test, writer) = makeRunning(count)
            let region = QueryRegion(source: "source", name: "table")
            return time { for _ in 0..<200 { test.event { $0.changed([region], .manual, by: writer) } } }
        }
        #expect(times[1] < times[0] * 10 + .milliseconds(2), "\(times)")
    }

    @Test func `R29 each entry of a large change costs the same in a change of 2,000 and of 40,000`() {
        let times = [2_000, 40_000].map { count in
            var limits = Ledger.Limits()
            limits.part = 4
            var test = TestLedger(limits)
            for number in 0..<count { _ = test.entry(number) }
            test.event { $0.invalidate(.pattern("**"), .manual) }
            return cpuTime { while test.event({ $0.followNext() }) {} }
        }
        // Twenty times is right; a change that walks its rest at each part takes four hundred times.
        #expect(times[1] < times[0] * 100, "\(times)")
    }

    @Test func `R29 R16 marking and clearing 10,000 observed entries costs for each what it costs beside 1,000`() {
        let times = [1_000, 10_000].map { count in
            var test = TestLedger()
            let settings = Settings(ttl: .infinity)
            let observers = (0..<count).map { number in
                let entry = test.entry(number)
                defer { test.finish(entry, number) }
                return test.observe(entry, settings)
            }
            let mark = cpuTime { test.event { $0.invalidate(.pattern("**"), .manual) } }
            let clear = cpuTime { test.event { $0.clear(.session) } }
            withExtendedLifetime(observers) {}
            return (mark, clear)
        }
        #expect(times[1].0 < times[0].0 * 40 + .milliseconds(2) && times[1].1 < times[0].1 * 40 + .milliseconds(2), "\(times)")
    }

    @Test func `R29 an event costs the same beside 10 refetches and beside 5,000`() {
        let times = [10, 5_000].map { count in
            var test = TestLedger()
            let settings = Settings()
            let observers = (0..<count).map { number in
                let entry = test.entry(number)
                defer { test.finish(entry, number) }
                return test.observe(entry, settings)
            }
            test.event { $0.invalidate(.pattern("**"), .manual, Refetches()) }
            while test.event({ $0.followNext() }) {}
            let other = test.entry(count)
            defer { withExtendedLifetime(observers) {} }
            return time { for value in 0..<200 { test.write(other, value) } }
        }
        #expect(times[1] < times[0] * 10 + .milliseconds(2), "\(times)")
    }
}
