#if Postgres
import PostgresTestSupport
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKitPostgres

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct PostgresMutationTests {
    /// Adds food to the database, and invalidates nothing itself.
    private struct AddFood: MutationRequest {
        let diary: PostgresDiary
        let gate: Gate

        var path: QueryPath { ["add food"] }

        static func == (left: AddFood, right: AddFood) -> Bool { left.gate === right.gate }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }

        func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            for _ in 0..<amount { try await diary.addFood() }
            try await gate.pass()
            return amount
        }

        func optimistic(with amount: Int, in layers: inout QueryLayers) {
            layers.update(Number(PostgresDiary.Query.food.rawValue)) { $0 += amount }
        }
    }

    @Test func `R22 R18 a mutation's layers are removed by the refetch that its own commit causes`() async throws {
        let bench = try await PostgresBench.make()
        let seen = Recorder<Int?>()
        let store = bench.store(.food)
        let watched = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
        await bench.client.settled()
        let gate = Gate()
        async let added = bench.client.mutate(AddFood(diary: bench.diary, gate: gate), with: 1)
        await gate.arrived()
        // The refetch lands while the mutation is still running, and counts the food once.
        await bench.wait(.food) { !$0.isFetching && !$0.isOptimistic && $0.value == 1 }
        gate.open()
        #expect(try await added == 1)
        await bench.client.settled()
        #expect(bench.count(.food) == 2)
        let values = seen.all.compactMap(\.self)
        #expect(values == values.sorted() && values.first == 0 && values.last == 1)
        watched.cancel()
    }

    @Test func `R22 a value that is read during the commit of a mutation never counts it twice`() async throws {
        let bench = try await PostgresBench.make()
        let seen = Recorder<Int>()
        let store = bench.store(.food)
        let watched = store.subscribe(with: QueryEventHandler { state, _ in state.value.map(seen.note) })
        await bench.client.settled()
        for number in 1...20 {
            let gate = Gate()
            gate.open()
            async let read = bench.client.fetch(Number(PostgresDiary.Query.food.rawValue))
            async let added = bench.client.mutate(AddFood(diary: bench.diary, gate: gate), with: 1)
            _ = try await (read, added)
            await bench.client.settled()
            #expect(store.value == number)
        }
        let values = seen.take()
        #expect(values == values.sorted() && values.last == 20, "\(values)")
        watched.cancel()
    }
}
#endif
