import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct SimulationTests {
    private let bench = TestBench()
    private var store: QueryStore<QueryState<Int?, Int>> { bench.client.store(for: Number().ttl(.infinity)) }

    private func id(of path: String = "number/1") throws -> Int {
        let inspection = bench.client.inspection
        return try #require(inspection.rows(inspection.marks().map(\.id)).first { $0.path == path }?.id)
    }

    private func perform(_ action: InspectionAction) -> Int { bench.client.inspection.perform(action) }

    /// Subscribes after the first value, and records states and revisions.
    private func watched() async throws -> (subscription: QuerySubscription, states: Recorder<String>, revisions: Recorder<Int>) {
        _ = try await store.fetch()
        let (states, revisions) = (Recorder<String>(), Recorder<Int>())
        let subscription = store.subscribe(
            with: QueryEventHandler { state, _ in
                states.note(StateSummary(state).description)
                revisions.note(state.revision)
            }
        )
        return (subscription, states, revisions)
    }

    @Test(arguments: [
        (Simulation.loading, "loading"), (.failure, "failed(The inspector simulates a failure.) had 1 1x"), (.stale, "1 invalidated"),
    ])
    func `R4 a simulation and its end are one state each, with the next revisions`(_ simulation: Simulation, _ text: String) async throws {
        let (subscription, states, revisions) = try await watched()
        let id = try id()
        #expect(perform(.simulate(simulation, store: id)) == 1)
        // The same again is no change.
        #expect(perform(.simulate(simulation, store: id)) == 1)
        #expect(StateSummary(store.state).description == text)
        #expect(store.state.cause == .simulated)
        #expect(perform(.restore(store: id)) == 1)
        #expect(perform(.restore(store: id)) == 0)
        #expect(states.all == ["1", text, "1"])
        #expect(revisions.all == [2, 3, 4])
        #expect(store.state.cause == .manual)
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `R1 a simulated load shows no value and that work is running, and the next simulation replaces it`() async throws {
        let (subscription, states, revisions) = try await watched()
        let id = try id()
        _ = perform(.simulate(.loading, store: id))
        #expect(store.state.isFetching && store.state.isLoading)
        #expect(store.state.value == nil && store.state.valueUpdatedAt == nil)
        // Callers get the real value, which is fresh.
        #expect(try await bench.client.fetch(Number().ttl(.infinity)) == 1)
        _ = perform(.simulate(.failure, store: id))
        _ = perform(.simulate(.loading, store: id))
        #expect(states.all.map { $0.prefix(6) } == ["1", "loadin", "failed", "loadin"])
        #expect(revisions.all == [2, 3, 4, 5])
        subscription.cancel()
    }

    @Test(arguments: Simulation.allCases)
    func `a run ends the simulation when it begins`(_ simulation: Simulation) async throws {
        let (subscription, states, revisions) = try await watched()
        _ = perform(.simulate(simulation, store: try id()))
        _ = try await store.fetch()
        #expect(states.all.suffix(2) == ["1 fetching", "2"])
        #expect(revisions.all == [2, 3, 4, 5])
        #expect(perform(.restore(store: try id())) == 0)
        subscription.cancel()
    }

    @Test(arguments: Simulation.allCases)
    func `a write and a reset end the simulation`(_ simulation: Simulation) async throws {
        let (subscription, states, _) = try await watched()
        let id = try id()
        _ = perform(.simulate(simulation, store: id))
        store.setValue(7)
        #expect(states.last == "7")
        // An equal value ends it, too.
        _ = perform(.simulate(simulation, store: id))
        store.setValue(7)
        #expect(states.last == "7")
        _ = perform(.simulate(simulation, store: id))
        store.reset()
        await bench.client.settled()
        #expect(states.all.suffix(2) == ["loading", "2"])
        subscription.cancel()
    }

    @Test func `a run without observers, and one that is cancelled, end the simulation`() async throws {
        _ = try await store.fetch()
        let id = try id()
        _ = perform(.simulate(.failure, store: id))
        _ = try await store.fetch()
        #expect(StateSummary(store.state).description == "2")
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        _ = perform(.simulate(.failure, store: id))
        let task = Task { try await store.fetch() }
        await gate.arrived()
        store.cancel()
        _ = await task.result
        #expect(StateSummary(store.state).description == "2")
    }

    @Test func `a store that is stale on purpose is fetched by the next subscriber, and by no other means`() async throws {
        let (subscription, states, _) = try await watched()
        _ = perform(.simulate(.stale, store: try id()))
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        #expect(store.isStale)
        let second = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(states.all == ["1", "1 invalidated", "1 fetching", "2"])
        subscription.cancel()
        second.cancel()
    }

    @Test func `a real invalidation during simulated staleness stays when the simulation is ended`() async throws {
        _ = try await store.fetch()
        let id = try id()
        _ = perform(.simulate(.stale, store: id))
        bench.client.invalidate(["number", 1])
        #expect(perform(.restore(store: id)) == 0)
        #expect(store.state.isInvalidated)
    }

    @Test func `a simulation in a batch is published at its end`() async throws {
        let (subscription, states, revisions) = try await watched()
        let id = try id()
        bench.client.batch {
            store.setValue(5)
            _ = perform(.simulate(.loading, store: id))
            #expect(states.all == ["1"])
        }
        #expect(states.all == ["1", "loading"])
        #expect(revisions.all == [2, 3])
        subscription.cancel()
    }

    @Test func `the store of a mutation and an unknown store can't be simulated`() async throws {
        struct Act: MutationRequest {
            var path: QueryPath { "act" }
            func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { id }
        }
        _ = try await bench.client.mutate(Act(), with: 1)
        #expect(perform(.simulate(.loading, store: try id(of: "act"))) == 0)
        #expect(perform(.simulate(.loading, store: 99)) == 0)
    }
}
