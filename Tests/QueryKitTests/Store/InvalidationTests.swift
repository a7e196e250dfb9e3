import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct InvalidationTests {
    private let gate = Gate()

    /// The first fetch waits at the gate, later ones don't.
    private func firstGated() -> TestBench {
        TestBench { [gate] call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
    }

    @Test func `R17 an invalidation reruns observed stores and only marks the others`() async throws {
        let bench = TestBench()
        let active = bench.client.store(for: Number(1))
        let quiet = bench.client.store(for: Number(2))
        let subscription = active.record(Recorder())
        await bench.client.settled()
        _ = try await quiet.fetch()
        bench.client.invalidate("number/**")
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 1])
        #expect(quiet.isInvalidated)
        #expect(!active.isInvalidated)
        subscription.cancel()
    }

    @Test func `R17 an invalidation with refetch inactive reruns stores without observers and callers and only marks the others`()
        async throws
    {
        let bench = TestBench { [gate] call in
            if call.id == 4 { try await gate.pass() }
            return call.number
        }
        func store(_ id: Int) -> QueryStore<Number.State> { bench.client.store(for: Number(id).ttl(.infinity)) }
        let observed = store(1)
        let subscription = observed.record(Recorder())
        await bench.client.settled()
        _ = try await store(2).fetch()
        // Nothing has been fetched for it yet.
        let empty = store(3)
        let waiting = store(4)
        let caller = Task { try await waiting.fetch() }
        let disabled = bench.client.store(for: Number(5).enabled(false))
        await gate.arrived()
        #expect(bench.backend.fetched == [1, 2, 4])
        bench.client.invalidate("number/**", refetch: .inactive)
        await bench.client.settled()
        #expect(bench.backend.fetched.dropFirst(3).sorted() == [2, 3])
        #expect(observed.isInvalidated && disabled.isInvalidated)
        #expect(!store(2).isStale && !empty.isStale)
        gate.open()
        _ = try await caller.value
        await bench.client.settled()
        #expect(bench.backend.count == 5)
        #expect(waiting.isInvalidated)
        subscription.cancel()
    }

    @Test func `R17 an invalidation by pattern reaches each of thousands of stores`() async {
        let bench = TestBench()
        let stores = (0..<3_000).map { bench.client.store(for: Number($0).ttl(.infinity)) }
        for store in stores { store.setValue(1) }
        bench.client.invalidate("number/*")
        await bench.client.settled()
        #expect(stores.count { $0.isInvalidated } == stores.count)
    }

    @Test func `R14 an invalidation without subscribers only marks, and the next subscriber fetches once`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        for _ in 0..<3 { bench.client.invalidate("number/**") }
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        let one = store.record(Recorder())
        let two = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(!store.isStale)
        one.cancel()
        two.cancel()
    }

    @Test func `R17 an invalidation during the first fetch causes another run`() async {
        let bench = firstGated()
        let store = bench.client.store(for: Number().ttl(.infinity))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        bench.client.invalidate("number/**")
        gate.open()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "loading invalidated", "1 fetching invalidated", "2"])
        #expect(bench.backend.count == 2)
        #expect(!store.isStale)
        subscription.cancel()
    }

    @Test func `R17 any number of invalidations during a run cause exactly one more run`() async {
        let bench = firstGated()
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        for _ in 0..<10 { bench.client.invalidate("number/**") }
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(store.value == 2)
        subscription.cancel()
    }

    @Test func `R17 an invalidation during the trailing run causes another run`() async {
        let second = Gate()
        let bench = TestBench { [gate] call in
            if call.number == 1 { try await gate.pass() }
            if call.number == 2 { try await second.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        store.invalidate()
        gate.open()
        await second.arrived()
        store.invalidate()
        second.open()
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        #expect(store.value == 3)
        subscription.cancel()
    }

    @Test func `R17 an invalidation during a run causes a trailing run even if only a caller waits`() async throws {
        let bench = firstGated()
        let task = Task { try await bench.client.fetch(Number()) }
        await gate.arrived()
        bench.client.invalidate("number/**")
        gate.open()
        #expect(try await task.value == 1)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(bench.client.value(for: Number()) == 2)
    }

    @Test func `R17 a caller that comes after the invalidation waits for the trailing run`() async throws {
        let bench = firstGated()
        let store = bench.client.store(for: Number())
        let early = Task { try await store.fetch() }
        await gate.arrived()
        store.invalidate()
        let late = Task { try await store.fetch() }
        gate.open()
        #expect(try await early.value == 1)
        #expect(try await late.value == 2)
        await bench.client.settled()
        #expect(bench.backend.count <= 3)
    }

    @Test func `R17 a trailing run follows even if the invalidated run failed`() async {
        let bench = TestBench { [gate] call in
            if call.number == 1 {
                try await gate.pass()
                throw QueryError(.invalidParameters)
            }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        store.invalidate()
        gate.open()
        await bench.client.settled()
        #expect(store.status == .result(.success(2)))
        subscription.cancel()
    }

    @Test func `R17 an invalidation with refetch none only marks, even if the store is observed`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate(.all, refetch: .none)
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        #expect(store.isInvalidated)
        subscription.cancel()
    }

    @Test func `R17 an invalidation that refetches all requests also reruns unobserved stores, unless they are disabled`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1))
        _ = try await bench.client.fetch(Number(2).enabled(false))
        bench.client.invalidate("number/*", refetch: .all)
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 1])
    }

    @Test func `R17 a disabled store is marked and does not run`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let subscription = store.record(Recorder())
        store.setValue(1)
        bench.client.invalidate(.all)
        await bench.client.settled()
        #expect(bench.backend.count == 0)
        #expect(store.isInvalidated)
        subscription.cancel()
    }

    @Test func `R17 an invalidation by request affects only that request`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1))
        _ = try await bench.client.fetch(Number(2))
        bench.client.invalidate(Number(1))
        #expect(bench.client.store(for: Number(1)).isInvalidated)
        #expect(!bench.client.store(for: Number(2)).isInvalidated)
    }
}

struct WriteTests {
    private let gate = Gate()

    @Test func `R19 a write is published at once and is as fresh as a fetched value`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        store.invalidate()
        store.setValue(5)
        #expect(store.status == .result(.success(5)))
        #expect(!store.isStale)
        #expect(!store.isInvalidated)
        #expect(store.valueUpdatedAt == bench.clock.date)
        bench.clock.advance(by: .seconds(60))
        #expect(store.isStale)
    }

    @Test func `R19 a run that began before a write does not overwrite it, and one more run follows`() async {
        let bench = TestBench { [gate] call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        store.setValue(100)
        store.setValue(101)
        gate.open()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "100 fetching", "101 fetching", "2"])
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R19 a write during a run that fails is followed by another run, and the failure is not shown`() async {
        let bench = TestBench { [gate] call in
            if call.number == 1 {
                try await gate.pass()
                throw QueryError(.invalidParameters)
            }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let subscription = store.record(Recorder())
        await gate.arrived()
        store.setValue(100)
        gate.open()
        await bench.client.settled()
        #expect(store.status == .result(.success(2)))
        #expect(store.errorUpdateCount == 0)
        subscription.cancel()
    }

    @Test func `R19 a value yielded after a write is ignored`() async {
        let bench = TestBench { [gate] call in
            if call.number == 1 {
                try await gate.pass()
                call.continuation.yield(55)
            }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let values = Recorder<Int?>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in values.note(state.value) })
        await gate.arrived()
        store.setValue(100)
        gate.open()
        await bench.client.settled()
        #expect(!values.all.contains(55))
        #expect(store.value == 2)
        subscription.cancel()
    }

    @Test func `a failure that is set keeps the value, and updateValue needs an existing value`() {
        let client = TestBench().client
        let request = Number().enabled(false)
        #expect(!client.updateValue(for: request) { $0 += 1 })
        client.setValue(1, for: request)
        #expect(client.updateValue(for: request) { $0 += 1 })
        #expect(client.value(for: Number()) == 2)
        client.store(for: Number()).setResult(to: .failure(TestError()))
        #expect(client.value(for: Number()) == 2)
        #expect(client.store(for: Number()).error is TestError)
    }

    @Test func `if the closure of updateValue throws, the error is rethrown and nothing is written`() {
        let client = TestBench().client
        client.setValue(1, for: Number())
        #expect(throws: TestError.self) {
            try client.updateValue(for: Number()) { value in
                value = 9
                throw TestError()
            }
        }
        #expect(client.value(for: Number()) == 1)
    }

    @Test func `value(for:) creates no store and returns no placeholder`() {
        let client = TestBench().client
        #expect(client.value(for: Number()) == nil)
        #expect(client.storeCount == 0)
        let store = client.store(for: Number().placeholder(7))
        #expect(store.value == 7)
        #expect(client.value(for: Number()) == nil)
    }
}
