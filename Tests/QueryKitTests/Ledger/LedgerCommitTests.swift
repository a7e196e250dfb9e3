import TestSupport
import Testing

@testable import QueryKit

/// How layers go, step by step. Found by ``LedgerLifeTests``.
@Suite(.timeLimit(.minutes(1))) struct LedgerCommitTests {
    private func layered(_ test: inout TestLedger, _ entry: Entry) -> CallEntry {
        let apply: @Sendable (AnyValue?) -> AnyValue? = { $0.map { AnyValue($0.unboxed(as: Int.self) + 5) } }
        let call = CallEntry(1, layers: [(entry, apply)])
        test.event { $0.submit(call) }
        test.answer()
        return call
    }

    /// A ledger with an observed entry that has a value.
    private func observed(_ value: Int) -> (TestLedger, Entry, Observer) {
        var test = TestLedger()
        let entry = test.entry(1)
        test.write(entry, value)
        let observer = test.observe(entry, Settings())
        test.finish(entry, value)
        return (test, entry, observer)
    }

    @Test func `R22 a run that ends before the question about a layer that has gone shows no layer`() throws {
        let (made, entry, observer) = observed(1)
        var test = made
        let call = layered(&test, entry)
        _ = test.event { $0.update(entry, Layer { _ in AnyValue(3) }) }
        let updated = test.effects
        test.event { $0.callEnded(call, attempt: 1, .failure(TestError())) }
        let removed = test.effects
        test.effects = updated
        test.answer()
        #expect(test.ledger.state(entry).record.flags.contains(.optimistic))
        test.event { $0.invalidate(.entries([entry]), .manual) }
        test.finish(entry, 2)
        test.effects = removed
        test.answer()
        #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 2)
        #expect(!test.ledger.state(entry).record.flags.contains(.optimistic))
        withExtendedLifetime(observer) {}
    }

    @Test func `R22 a layer stays until a value includes all commits of its call`() throws {
        let (made, entry, observer) = observed(0)
        var test = made
        let call = layered(&test, entry)
        for (name, isSeen) in [("a", false), ("b", true)] {
            test.event { $0.changed([QueryRegion(source: "s", name: name)], .regionChanged, of: call) }
            if test.run(entry) == nil { test.event { $0.invalidate(.entries([entry]), .manual) } }
            let run = try #require(test.run(entry))
            test.event { $0.note([QueryRegion(source: "s", name: "b")], Scope(run)) }
            test.finish(entry, isSeen ? 5 : 0)
            test.answer()
            #expect(test.ledger.state(entry).current?.unboxed(as: Int.self) == 5)
            #expect(test.ledger.state(entry).record.flags.contains(.optimistic) == !isSeen)
        }
        withExtendedLifetime(observer) {}
    }
}
