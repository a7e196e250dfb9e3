import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct RunTests {
    private let gate = Gate()

    private func gatedBench() -> TestBench {
        TestBench { [gate] call in
            try await gate.pass()
            return call.number
        }
    }

    @Test func `R6 a fetch during a run joins it`() async throws {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let first = store.fetchTask().start()
        await gate.arrived()
        let second = Task { try await bench.client.fetch(Number()) }
        let third = Task { try await store.fetch() }
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value <= 2)
        #expect(try await third.value <= 2)
    }

    @Test func `R6 equal requests share one store, with modifiers and without`() {
        let client = TestBench().client
        let store = client.store(for: Number(1))
        #expect(client.store(for: Number(1)) == store)
        #expect(client.store(for: Number(1).ttl(.seconds(5)).retry(limit: 2)) == store)
        #expect(client.store(for: Number(2)) != store)
        #expect(client.storeCount == 2)
    }

    @Test func `R6 requests of different types never share a store, even with the same path`() {
        struct Other: QueryRequest {
            var path: QueryPath { Number(1).path }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 0 }
        }
        let client = TestBench().client
        #expect(client.store(for: Number(1)) != client.store(for: Other()))
        #expect(client.stores(matching: .path(["number", 1])).count == 2)
    }

    @Test func `R7 a cancelled caller returns at once, and the others are not affected`() async throws {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let first = Task { try await store.fetch() }
        await gate.arrived()
        let subscription = store.record(Recorder())
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(store.isFetching)
        gate.open()
        await bench.client.settled()
        #expect(store.value == 1)
        #expect(bench.backend.count == 1)
        subscription.cancel()
    }

    @Test func `R7 a caller cancelled before it fetches starts nothing`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let ready = Gate()
        let task = Task {
            try? await ready.pass()
            return try await store.fetch()
        }
        await ready.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bench.backend.count == 0)
        #expect(store.status.isIdle)
    }

    @Test func `R7 the run is cancelled when its last caller leaves, and the state is as before`() async throws {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        store.setValue(50)
        let before = store.state
        let task = Task { try await store.fetch() }
        await gate.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await bench.client.settled()
        #expect(StateSummary(store.state) == StateSummary(before))
        #expect(store.errorUpdateCount == 0)
        #expect(store.valueUpdatedAt == before.valueUpdatedAt)
        #expect(!store.isFetching)
    }

    @Test func `R7 a request that ignores cancellation delays no one, and its late result is dropped`() async throws {
        let stubborn = Gate(ignoresCancellation: true)
        let bench = TestBench { call in
            if call.number == 1 { try await stubborn.pass() }
            return call.number
        }
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await stubborn.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(store.status.isIdle)
        #expect(try await store.fetch() == 2)
        stubborn.open()
        for await event in events where event.kind == .resultDropped { break }
        #expect(store.value == 2)
        #expect(store.revision == 4)
    }

    @Test func `R7 the run is cancelled when the last subscriber leaves`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let one = store.record(Recorder())
        let two = store.record(Recorder())
        await gate.arrived()
        one.cancel()
        #expect(store.isFetching)
        two.cancel()
        #expect(!store.isFetching)
        #expect(store.status.isIdle)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
    }

    @Test func `R7 with abandonment finish an abandoned run completes and its result is kept`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number().whenAbandoned(.finish))
        let subscription = store.record(Recorder())
        await gate.arrived()
        subscription.cancel()
        #expect(store.isFetching)
        gate.open()
        await bench.client.settled()
        #expect(store.value == 1)
    }

    @Test func `R7 a cancelled run keeps a value written during it`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        store.setValue(70)
        task.cancel()
        _ = await task.result
        #expect(store.value == 70)
        #expect(store.status == .result(.success(70)))
        #expect(!store.isFetching)
    }

    @Test func `R7 a cancelled run keeps an invalidation made during it`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        store.setValue(70)
        let task = Task { try await store.fetch() }
        await gate.arrived()
        store.invalidate()
        task.cancel()
        _ = await task.result
        #expect(store.value == 70)
        #expect(store.isInvalidated)
    }

    @Test func `R7 a fetch that throws CancellationError itself is not a failure and is not retried`() async {
        let bench = TestBench { _ in throw CancellationError() }
        let store = bench.client.store(for: Number().retry(limit: 3, backoff: .none))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "idle"])
        #expect(bench.backend.count == 1)
        await #expect(throws: CancellationError.self) { try await store.fetch() }
        #expect(store.errorUpdateCount == 0)
        subscription.cancel()
    }

    @Test func `R7 cancel ends the run for callers and subscribers, and no run starts automatically`() async {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        let task = Task {
            try await store.fetch(
                handler: QueryEventHandler { _, _ in
                    bench.client.cancel("number/**")
                }
            )
        }
        _ = await task.result
        bench.client.cancel("number/**")
        #expect(seen.all.prefix(3) == ["idle", "loading", "idle"])
        #expect(store.status.isIdle)
        subscription.cancel()
    }

    @Test func `R8 an observer that leaves does not cancel a fetch that a caller awaits`() async throws {
        let bench = gatedBench()
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await gate.arrived()
        let subscription = store.record(Recorder())
        subscription.cancel()
        #expect(store.isFetching)
        gate.open()
        #expect(try await task.value == 1)
    }

    @Test func `R9 yielded values are published while the run continues`() async throws {
        let bench = TestBench { call in
            call.continuation.yield(10)
            call.continuation.yield(20)
            return 30
        }
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "10 fetching", "20 fetching", "30"])
        subscription.cancel()
    }

    @Test func `R9 an intermediate value is stale until the run has ended`() async throws {
        let gate = self.gate
        let bench = TestBench { call in
            call.continuation.yield(10)
            try await gate.pass()
            return 30
        }
        let task = Task { try await bench.client.fetch(Number().ttl(.infinity)) }
        await gate.arrived()
        let store = bench.client.store(for: Number().ttl(.infinity))
        #expect(store.value == 10)
        #expect(store.isStale)
        gate.open()
        #expect(try await task.value == 30)
        #expect(!store.isStale)
    }

    @Test func `R9 cancelling a run discards its yielded values`() async {
        let gate = self.gate
        let bench = TestBench { call in
            call.continuation.yield(10)
            try await gate.pass()
            return 30
        }
        let store = bench.client.store(for: Number())
        store.setValue(5)
        let task = Task { try await store.fetch() }
        await gate.arrived()
        #expect(store.value == 10)
        task.cancel()
        _ = await task.result
        #expect(StateSummary(store.state).description == "5")
    }

    @Test func `R9 a value yielded after the end of the run is ignored and reported`() async throws {
        let kept = Lock<QueryContinuation<Int>?>(nil)
        let bench = TestBench { call in
            kept.withLock { $0 = call.continuation }
            return 1
        }
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        _ = try await store.fetch()
        let revision = store.revision
        kept.withLock { $0 }?.yield(99)
        for await event in events where event.kind == .resultDropped {
            #expect(event.path == ["number", 1])
            break
        }
        #expect(store.value == 1)
        #expect(store.revision == revision)
        kept.withLock { $0 = nil }
    }

    @Test func `R10 a result that arrives after a reset is dropped`() async throws {
        let stubborn = Gate(ignoresCancellation: true)
        let bench = TestBench { call in
            if call.number == 1 { try await stubborn.pass() }
            return call.number
        }
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        let task = Task { try await store.fetch() }
        await stubborn.arrived()
        store.reset()
        await #expect(throws: CancellationError.self) { try await task.value }
        stubborn.open()
        for await event in events where event.kind == .resultDropped { break }
        #expect(store.status.isIdle)
        #expect(store.value == nil)
    }
}
