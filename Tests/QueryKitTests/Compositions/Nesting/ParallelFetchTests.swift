import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A request that fetches several others at the same time.
    struct ParallelFetchTests {
        @Test func `R33 a fetch that awaits two others counts as waiting for time once one of them has ended`() async throws {
            let bench = TestBench { call in
                guard call.id == 1, let client = call.context.queryClient else {
                    if call.id == 3 { try await call.context.clock.sleep(for: .seconds(1)) }
                    return call.id
                }
                async let first = client.fetch(Number(2))
                async let second = client.fetch(Number(3))
                return try await first + second
            }
            let subscription = bench.client.store(for: Number(1)).record(Recorder())
            await reaches { bench.clock.alarmCount > 0 && bench.client.value(for: Number(2)) != nil }
            // The first of its tasks has ended, and the other one still waits.
            #expect(await ends { await bench.client.settled() })
            bench.clock.advance(by: .seconds(1))
            await bench.client.settled()
            #expect(bench.client.value(for: Number(1)) == 5)
            subscription.cancel()
        }
    }
}
