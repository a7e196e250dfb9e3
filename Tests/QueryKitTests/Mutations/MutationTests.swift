import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

extension MutationRun.Status {
    /// A short text for the status of a call.
    fileprivate var glance: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        case .succeeded(let value): "\(value)"
        case .failed(let error): "failed(\(error))"
        case .cancelled: "cancelled"
        }
    }
}

struct MutationTests {
    @Test func `R21 a call returns its value, and the history shows its course`() async throws {
        let bench = MutationBench()
        let seen = Recorder<String>()
        let subscription = bench.changes.subscribe(
            with: QueryEventHandler { state, _ in
                seen.note(
                    "\(state.status.success ?? -1) \(state.history.map { "\($0.arguments.amount):\($0.status.glance)" }.joined(separator: " "))"
                )
            }
        )
        #expect(bench.changes.status.isIdle)
        #expect(try await bench.client.mutate(Change(), with: Change.Step(5)) == 5)
        #expect(bench.changes.value == 5)
        #expect(bench.changes.status == .result(.success(5)))
        #expect(bench.changes.history.map(\.submittedAt) == [bench.clock.date])
        #expect(seen.all == ["-1 ", "-1 5:running", "5 5:5"])
        subscription.cancel()
    }

    @Test func `R29 all that a call invalidates is stale before the first observer hears of it`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number > 2 { try await gate.pass() }
            return call.number
        }
        let others = Recorder<Bool>()
        let stores = [1, 2].map { bench.client.store(for: Number($0).ttl(.infinity)) }
        let subscriptions = [(stores[0], stores[1]), (stores[1], stores[0])].map { store, other in
            store.subscribe(with: QueryEventHandler { state, _ in if state.value != nil, state.isFetching { others.note(other.isStale) } })
        }
        await bench.client.settled()
        let change = InlineMutation<Int, Int>("change") { amount, _ in amount }.invalidates { _, _ in [["number", 1], ["number", 2]] }
        #expect(try await bench.client.mutate(change, with: 1) == 1)
        await bench.client.settled()
        #expect(others.all == [true, true])
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.fetched.count == 4)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R21 fetching a mutation throws an error that says how to call it`() async throws {
        let bench = MutationBench()
        let error = await #expect(throws: QueryError.self) { try await bench.client.fetch(Change()) }
        #expect(error?.code == .invalidParameters && error?.path == Change().path)
        #expect(error?.message == "A mutation needs arguments: call mutate(with:).")
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test func `R21 a failed call throws without a retry and does not affect later calls`() async throws {
        let bench = MutationBench { call in
            if call.number == 1 { throw TestError() }
        }
        await #expect(throws: TestError.self) { try await bench.client.mutate(Change(), with: Change.Step(5)) }
        #expect(bench.accounts.calls.count == 1)
        #expect(bench.changes.status.failure is TestError)
        #expect(try await bench.client.mutate(Change(), with: Change.Step(2)) == 2)
        #expect(bench.changes.history.map { $0.status.glance } == ["failed(broken)", "2"])
        #expect(bench.changes.status == .result(.success(2)))
    }

    @Test func `R21 a mutation is retried if its request allows it, with the same id`() async throws {
        let bench = MutationBench { call in
            if call.number < 3 { throw TestError() }
        }
        #expect(try await bench.client.store(for: Change().retry(limit: 2, backoff: .none)).mutate(with: Change.Step(1)) == 1)
        #expect(Set(bench.accounts.keys).count == 1)
        #expect(bench.accounts.keys.count == 3)
        #expect(bench.accounts.keys[0] == bench.changes.history[0].id)
    }

    @Test func `R21 calls without a scope run concurrently`() async throws {
        let gate = Gate()
        let bench = MutationBench { _ in try await gate.pass() }
        async let one = bench.client.mutate(Change(), with: Change.Step(1))
        async let two = bench.client.mutate(Change(), with: Change.Step(2))
        await gate.arrived(2)
        gate.open()
        #expect(try await Set([one, two]).isSubset(of: [1, 2, 3]))
    }

    @Test func `R21 calls of one scope run in order, and the next one runs after a failure`() async throws {
        let gate = Gate()
        let bench = MutationBench { call in
            try await gate.pass()
            if call.step.amount == 2 { throw TestError() }
        }
        let store = bench.client.store(for: Change(scope: "s"))
        let ids = try (1...4).map { try store.submit(Change.Step($0)).id }
        for number in 1...4 {
            await gate.arrived(number)
            #expect(bench.accounts.calls.map(\.amount) == Array(1...number))
            #expect(store.history.filter { $0.status.glance == "waiting" }.map(\.id) == Array(ids[number...]))
            gate.letThrough()
        }
        await bench.client.settled()
        #expect(store.history.map { $0.status.glance } == ["1", "failed(broken)", "4", "8"])
    }

    @Test func `R21 a scope is shared by all requests that name it, and calls of different scopes don't wait for each other`() async throws
    {
        let gate = Gate()
        let bench = MutationBench { call in
            if call.step.amount == 1 { try await gate.pass() }
        }
        let first = bench.client.store(for: Change(scope: "s"))
        let other = bench.client.store(for: Change(scope: "t"))
        try first.submit(Change.Step(1))
        try bench.client.store(for: Change(scope: "s").retry(limit: 0)).submit(Change.Step(2))
        #expect(try await other.mutate(with: Change.Step(3)) == 3)
        #expect(bench.accounts.calls.map(\.amount).contains(2) == false)
        gate.open()
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 3)
    }

    @Test func `R21 a queued call can be cancelled, and later calls continue`() async throws {
        let gate = Gate()
        let bench = MutationBench { call in
            if call.step.amount == 1 { try await gate.pass() }
        }
        let store = bench.client.store(for: Change(scope: "s"))
        try store.submit(Change.Step(1))
        let waiting = try store.submit(Change.Step(2)).id
        try store.submit(Change.Step(3))
        await gate.arrived()
        store.cancelMutation(waiting)
        await bench.wait(for: Change(scope: "s")) { $0.history[1].isPending == false }
        gate.open()
        await bench.client.settled()
        #expect(store.history.map { $0.status.glance } == ["1", "cancelled", "4"])
    }

    @Test func `R21 cancelling a caller cancels only its own call`() async throws {
        let gate = Gate()
        let bench = MutationBench { _ in try await gate.pass() }
        let store = bench.changes
        let caller = Task { try await store.mutate(with: Change.Step(1)) }
        await gate.arrived()
        try store.submit(Change.Step(2))
        await gate.arrived(2)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        gate.open()
        await bench.client.settled()
        #expect(store.history.map { $0.status.glance } == ["cancelled", "2"])
    }

    @Test func `R21 all calls matching a pattern can be cancelled, and the client settles`() async throws {
        let gate = Gate()
        let bench = MutationBench { _ in try await gate.pass() }
        let store = bench.client.store(for: Change(scope: "s"))
        for amount in 1...3 { try store.submit(Change.Step(amount)) }
        await gate.arrived()
        bench.client.cancelMutations("elsewhere/**")
        bench.client.cancelMutations("change/**")
        await bench.client.settled()
        #expect(store.history.map { $0.status.glance } == ["cancelled", "cancelled", "cancelled"])
        #expect(bench.accounts.calls.count == 1)
        #expect(bench.client.runningCount() == 0)
    }

    @Test func `R21 the history keeps calls under way and the latest twenty that ended`() async throws {
        let gate = Gate()
        let bench = MutationBench { call in
            if call.step.amount == 0 { try await gate.pass() }
        }
        try bench.changes.submit(Change.Step(0))
        for _ in 0..<30 { _ = try await bench.client.mutate(Change(), with: Change.Step(1)) }
        #expect(bench.changes.history.count == 21)
        #expect(bench.changes.history.first?.arguments.amount == 0)
        gate.open()
        await bench.client.settled()
    }

    @Test func `R21 a mutation runs only when it is called`() async throws {
        let bench = MutationBench()
        _ = try await bench.client.mutate(Change(), with: Change.Step(1))
        let subscription = bench.changes.subscribe(with: QueryEventHandler())
        bench.client.invalidate(.all)
        bench.client.refetch(.all)
        await bench.client.settled()
        #expect(bench.accounts.calls.count == 1)
        await #expect { try await bench.changes.fetch() } throws: { ($0 as? QueryError)?.code == .invalidParameters }
        subscription.cancel()
    }

    @Test func `R26 an invalid call is refused before it has any effect`() async {
        let bench = MutationBench()
        let store = bench.client.store(for: Change(scope: "invalid"))
        await #expect(throws: QueryError.self) { try await store.mutate(with: Change.Step(1)) }
        #expect(store.history.isEmpty)
        #expect(bench.accounts.calls.isEmpty)
    }

    @Test func `R23 a mutation invalidates its patterns after a success, not after a failure`() async throws {
        let bench = MutationBench { call in
            if call.number == 1 { throw TestError() }
        }
        let store = bench.client.store(for: Number(1).ttl(.infinity))
        let other = bench.client.store(for: Number(2).ttl(.infinity))
        _ = try await store.fetch()
        _ = try await other.fetch()
        _ = try? await bench.client.mutate(Change(), with: Change.Step(1))
        #expect(!store.isStale)
        _ = try await bench.client.mutate(Change(), with: Change.Step(1))
        #expect(store.isStale)
        #expect(!other.isStale)
    }

    @Test func `settled waits for queued calls and for the runs they cause`() async throws {
        let bench = MutationBench()
        let shown = bench.client.store(for: Number())
        let subscription = shown.record(Recorder())
        await bench.client.settled()
        let store = bench.client.store(for: Change(scope: "s"))
        for _ in 0..<50 { try store.submit(Change.Step(1)) }
        await bench.client.settled()
        #expect(bench.accounts[1] == 50)
        #expect(shown.value == 50)
        #expect(!shown.isOptimistic)
        subscription.cancel()
    }
}
