import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct SettledTimerTests {
    /// Records how much work its client counts when a timer is set.
    private final class WatchingClock: QueryClock {
        let clock = ManualClock()
        let client = Lock<QueryClient?>(nil)
        let counts = Lock<[Int]>([])

        var now: QueryInstant { clock.now }
        var date: Date { clock.date }

        func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
            if let count = client.withLock({ $0 })?.core.work.count { counts.withLock { $0.append(count) } }
            return clock.schedule(at: deadline, action)
        }
    }

    /// Tests that await `settled()` and then advance the clock rely on this.
    @Test func `R33 R15 a store counts as working until the timer for its retention is set`() async throws {
        let (clock, gate) = (WatchingClock(), Gate())
        var context = QueryContext()
        context.clock = clock
        context.backend = Backend { call in
            try await gate.pass()
            return call.number
        }
        let client = QueryClient(context: context, configuration: .isolated)
        let caller = client.store(for: Number()).fetchTask().start()
        await gate.arrived()
        // The shorter retention counts from the end of the run.
        let store = client.store(for: Number().keep(for: .seconds(5)))
        clock.client.withLock { $0 = client }
        gate.open()
        _ = try await caller.value
        await client.settled()
        clock.client.withLock { $0 = nil }
        #expect(clock.counts.withLock { $0 } == [1])
        clock.clock.advance(by: .seconds(5))
        #expect(client.storeCount == 0)
        withExtendedLifetime(store) {}
    }
}
