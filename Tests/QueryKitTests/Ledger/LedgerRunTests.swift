import TestSupport
import Testing

@testable import QueryKit

/// What a run leaves beside others that were under way. Found by ``LedgerLifeTests``.
@Suite(.timeLimit(.minutes(1))) struct LedgerRunTests {
    @Test func `R7 R19 an update that a run's yield has dropped is applied when the run is cancelled`() throws {
        var test = TestLedger()
        let entry = test.entry(1)
        test.write(entry, 5)
        let observer = test.observe(entry, Settings())
        // Its question stays open.
        _ = test.event { $0.update(entry, Layer { _ in AnyValue(6) }) }
        let run = try #require(test.run(entry))
        test.event { $0.cancel(entry) }
        #expect(!test.ledger.isCurrent(run))
        test.event { $0.invalidate(.pattern("**"), .manual) }
        let next = try #require(test.run(entry))
        #expect(test.event { $0.yield(next, attempt: 1, AnyValue(1)) })
        test.event { $0.unsubscribe(entry, observer) }
        test.answer()
        #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 6)
    }

    @Test func `R17 a run that is older than a private one that was shown as stale is followed by another one`() throws {
        var test = TestLedger()
        let entry = test.entry(1)
        _ = test.observe(entry, Settings(ttl: .infinity))
        test.event { $0.fetch(entry, Caller(Settings(isDeduplicated: false)), ttl: .zero) }
        let alone = try #require(test.ledger[entry].privateRuns.first)
        test.event { $0.outdate(alone, by: []) }
        test.event { $0.finish(alone, attempt: 1, .success(AnyValue(2))) }
        let former = try #require(test.run(entry))
        test.finish(entry, 1)
        #expect(test.run(entry) != nil && test.run(entry) !== former)
    }
}
