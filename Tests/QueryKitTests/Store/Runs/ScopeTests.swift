import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What belongs to a run and what only began during it.
@Suite(.timeLimit(.minutes(5))) struct ScopeTests {
    private let tasks = Recorder<Task<Int, any Error>>()

    @Test func `R4 a handler that hears of a yield may fetch the same request`() async throws {
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

    @Test func `R4 a handler that hears of a write inside a fetch may fetch the request that wrote`() async throws {
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

    @Test func `a task that a fetch left behind may fetch the same request once the run is over`() async throws {
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

    @Test func `what waited for each other once may do so the other way round later`() async throws {
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
