import TestSupport
import Testing

@testable import QueryKit

/// What an event costs beside many entries that it doesn't concern. Compared with the same event beside few, so the machine doesn't matter.
@Suite(.timeLimit(.minutes(2)), .serialized) struct LedgerCostTests {
    private let clock = ContinuousClock()

    /// The shortest of some attempts.
    private func time(_ body: () -> Void) -> Duration { (0..<3).map { _ in clock.measure(body) }.min()! }

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
            return clock.measure { while test.event({ $0.followNext() }) {} }
        }
        #expect(times[1] < times[0] * 40, "\(times)")
    }
}
