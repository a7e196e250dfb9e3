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

    @Test func `R25 a page that was fetched beside a refetch of all pages doesn't replace their new values`() throws {
        var test = TestLedger()
        let entry = test.entry(1)
        let observer = test.observe(entry, Settings())
        test.finish(entry, 1)
        test.event { $0.invalidate(.entries([entry]), .manual) }
        test.event { $0.fetch(entry, Caller(Settings(isDeduplicated: false), aim: .next), ttl: .zero) }
        let page = try #require(test.ledger[entry].privateRuns.first)
        test.finish(entry, 2)
        test.event { $0.finish(page, attempt: 1, .success(AnyValue(11))) }
        #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 2)
        test.event { $0.fetch(entry, Caller(Settings(isDeduplicated: false), aim: .next), ttl: .zero) }
        let next = try #require(test.ledger[entry].privateRuns.first)
        test.event { $0.finish(next, attempt: 1, .success(AnyValue(12))) }
        #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 12)
        withExtendedLifetime(observer) {}
    }

    @Test func `R17 what a private run has missed doesn't concern the run beside it`() throws {
        var test = TestLedger()
        let entry = test.entry(1)
        let observer = test.observe(entry, Settings(ttl: .infinity))
        test.event { $0.fetch(entry, Caller(Settings(isDeduplicated: false)), ttl: .zero) }
        let alone = try #require(test.ledger[entry].privateRuns.first)
        test.event { $0.outdate(alone, by: []) }
        test.finish(entry, 1)
        #expect(!test.ledger.state(entry).record.flags.contains(.invalidated))
        test.event { $0.finish(alone, attempt: 1, .success(AnyValue(2))) }
        #expect(test.ledger.state(entry).record.flags.contains(.invalidated))
        #expect(test.run(entry) != nil)
        withExtendedLifetime(observer) {}
    }
}
