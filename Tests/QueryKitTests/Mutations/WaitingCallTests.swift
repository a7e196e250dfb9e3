import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The store of queued calls, which has no run that would keep it alive.
struct WaitingCallTests {
    @Test func `R15 R24 a store with queued calls keeps its history for as long as they wait`() async throws {
        let gate = Gate()
        let bench = MutationBench { call in
            if call.step.amount == 1 { try await gate.pass() }
        }
        // A call of another mutation in the same scope is ahead of it.
        let first = try bench.client.submit(Change(scope: "s"), with: Change.Step(1))
        await gate.arrived()
        let second = try bench.client.submit(Late(), with: 2)
        await bench.client.settled()
        bench.clock.advance(by: .seconds(3_600))
        bench.client.releaseMemory(.critical)
        await bench.client.settled()
        #expect(second.run?.isPending == true)
        #expect(bench.client.store(for: Late()).history.map(\.id) == [second.id])
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(second.run?.isPending == false)
    }
}

private struct Late: MutationRequest {
    var scope: String? { "s" }

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { amount }
}
