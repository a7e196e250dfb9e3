import TestSupport
import Testing

@testable import QueryKit

/// When the library opens a stream.
@Suite(.timeLimit(.minutes(1))) struct LedgerStreamTests {
    private let settings = Settings(ttl: .infinity, isStream: true)

    /// A stream whose only caller has received its first element, so that it was closed.
    private func makeClosed() -> (TestLedger, Entry) {
        var test = TestLedger()
        let entry = test.entry(1)
        let caller = Caller(settings)
        test.event { $0.fetch(entry, caller, ttl: .infinity) }
        let run = test.ledger[entry].run!
        _ = test.event { $0.stream(run, attempt: 1, AnyValue(1)) }
        #expect(test.ledger[entry].run == nil)
        return (test, entry)
    }

    @Test func `R14 an observer opens a stream that was closed, even if its latest element is fresh`() {
        var (test, entry) = makeClosed()
        _ = test.observe(entry, settings)
        #expect(test.started.count == 1)
    }

    @Test func `R14 an observer opens a stream whose value was written while it was closed`() {
        var (test, entry) = makeClosed()
        test.write(entry, 5)
        _ = test.observe(entry, settings)
        #expect(test.started.count == 1)
    }

    @Test func `R20 a trigger opens a stream that was cancelled by hand`() {
        var (test, entry) = makeClosed()
        _ = test.observe(entry, settings)
        test.event { $0.cancel(entry) }
        #expect(test.ledger[entry].run == nil)
        test.event { $0.fireDefault("activation") }
        #expect(test.started.count == 1)
    }

    @Test func `R14 the last element of a stream that has ended by itself is fresh like any value`() {
        var (test, entry) = makeClosed()
        let observer = test.observe(entry, settings)
        let run = test.ledger[entry].run!
        _ = test.event { $0.stream(run, attempt: 1, AnyValue(2)) }
        test.finish(entry, 2)
        test.event { $0.unsubscribe(entry, observer) }
        _ = test.observe(entry, settings)
        #expect(test.started.isEmpty)
    }
}
