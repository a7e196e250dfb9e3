import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Changes whose first half is entered under the lock of a source (D5).
@Suite(.timeLimit(.minutes(5))) struct EnteredChangeTests {
    private let engine = Engine(clock: ManualClock())

    private func observed(_ id: Int, _ seen: Lock<[Bool]>? = nil) -> (Coded, QuerySubscription) {
        let request = Coded(engine, id, ttl: .seconds(9)) { number in
            Scope.current?.note([region("t")])
            return number
        }
        let subscription = request.observe { publication in
            seen?.withLock { $0.append(publication.state.record.flags.contains(.invalidated)) }
        }
        return (request, subscription)
    }

    @Test func `D5 R29 whoever looks after the first half counts the change, and handlers and runs wait for the second`() async throws {
        let seen = Lock<[Bool]>([])
        let (request, subscription) = observed(1, seen)
        await engine.settled()
        let count = seen.withLock { $0.count }
        let settled = Lock(false)
        let change = engine.enter(changed: [region("t")], .regionChanged, in: nil)
        #expect(request.isStale && request.runs == 1 && seen.withLock { $0.count } == count)
        let waiting = Task { [engine] in
            await engine.settled()
            settled.withLock { $0 = true }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!settled.withLock { $0 })
        change.notify()
        await waiting.value
        #expect(request.value == 2 && !request.isStale)
        subscription.cancel()
    }

    @Test func `D5 R17 what was fetched between the halves isn't fetched again`() async throws {
        let (request, subscription) = observed(1)
        await engine.settled()
        let change = engine.enter(changed: [region("t")], .regionChanged, in: nil)
        #expect(try await request.fetch() == 2)
        change.notify()
        await engine.settled()
        #expect(request.runs == 2)
        subscription.cancel()
    }

    @Test func `R29 a large change returns after its first part, and the rest follows`() async throws {
        let all = (0..<2_000).map { observed($0) }
        await engine.settled()
        engine.changed([region("t")])
        let begun = all.count { $0.0.engine.enter { [entry = $0.0.entry] in $0[entry].run != nil || $0[entry].record.valueCount > 1 } }
        #expect(all.allSatisfy { $0.0.isStale || $0.0.value == 2 })
        #expect(begun < 2_000)
        await engine.settled()
        #expect(all.allSatisfy { $0.0.value == 2 })
        for (_, subscription) in all { subscription.cancel() }
    }
}
