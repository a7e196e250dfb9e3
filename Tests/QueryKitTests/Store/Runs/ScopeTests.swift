import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Which fetches belong to a run, and which only began during it.
struct ScopeTests {
    private let tasks = Recorder<Task<Int, any Error>>()

    @Test func `R4 a handler that receives a yielded value can fetch the same request`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            call.continuation.yield(10)
            try await gate.pass()
            return 20
        }
        let store = bench.client.store(for: Number())
        let subscription = store.subscribe(
            with: QueryEventHandler { [tasks] state, _ in
                if state.value == 10 { tasks.note(Task { try await store.fetch() }) }
            }
        )
        await gate.arrived()
        gate.open()
        #expect(try await #require(tasks.all.first).value >= 20)
        subscription.cancel()
    }

    @Test func `R4 a handler that receives a write made inside a fetch can fetch the request that wrote`() async throws {
        let bench = TestBench { call in
            if call.id == 1, call.number == 1 { call.context.queryClient?.setValue(7, for: Number(2)) }
            return call.number
        }
        let one = bench.client.store(for: Number(1))
        let subscription = bench.client.store(for: Number(2).enabled(false)).subscribe(
            with: QueryEventHandler { [tasks] state, _ in
                if state.value == 7 { tasks.note(Task { try await one.fetch() }) }
            }
        )
        _ = try await one.fetch()
        #expect(try await #require(tasks.all.first).value >= 1)
        subscription.cancel()
    }

    @Test func `a task left behind by a fetch can fetch the same request after the run has ended`() async throws {
        let gate = Gate()
        let bench = TestBench { [tasks] call in
            if call.number == 1 {
                let client = try #require(call.context.queryClient)
                tasks.note(
                    Task {
                        try await gate.pass()
                        return try await client.fetch(Number())
                    }
                )
            }
            return call.number
        }
        _ = try await bench.client.fetch(Number())
        gate.open()
        #expect(try await #require(tasks.all.first).value == 2)
    }

    @Test func `two requests that waited for each other in one order can later do so in the other`() async throws {
        let isReversed = Lock(false)
        let bench = TestBench { call in
            let reversed = isReversed.withLock { $0 }
            guard call.id == (reversed ? 2 : 1), let client = call.context.queryClient else { return call.id }
            return try await 10 * client.fetch(Number(reversed ? 1 : 2))
        }
        #expect(try await bench.client.fetch(Number(1)) == 20)
        isReversed.withLock { $0 = true }
        #expect(try await bench.client.fetch(Number(2)) == 10)
    }
}
