import TestSupport
import Testing

@testable import QueryKit

/// What a run leaves, whatever else was under way. Found by ``LedgerLifeTests``.
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
}
