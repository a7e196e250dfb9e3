import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct DependentTests {
    /// Number 2 depends on number 1 and computes its value from it.
    private func bench(_ first: Gate? = nil) -> TestBench {
        TestBench { call in
            if call.id == 1 {
                try await first?.pass()
                return 100
            }
            return (call.context.queryClient?.value(for: Number(call.id - 1)) ?? 0) + 1
        }
    }

    private var two: some QueryRequest<Int, QueryState<Int?, Int>> { Number(2).ttl(.infinity).dependent(on: Number(1).ttl(.infinity)) }

    @Test func `observing a dependent request observes its dependency, and it runs once the dependency has a value`() async {
        let gate = Gate()
        let bench = bench(gate)
        let store = bench.client.store(for: two)
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        #expect(seen.all == ["idle"])
        #expect(bench.client.store(for: Number(1)).subscriberCount == 1)
        gate.open()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "101"])
        #expect(store.state.cause == .dependency)
        #expect(bench.backend.fetched == [1, 2])
        subscription.cancel()
        #expect(bench.client.store(for: Number(1)).subscriberCount == 0)
    }

    @Test func `a dependent request runs again when its dependency's value changes, but not when it stays equal`() async {
        let bench = bench()
        let store = bench.client.store(for: two)
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate(Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 1])
        #expect(!store.isStale)
        bench.client.setValue(200, for: Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 1, 2])
        #expect(store.value == 201)
        #expect(store.state.cause == .dependency)
        subscription.cancel()
    }

    @Test func `a change of the dependency marks an unobserved dependent request, and the next fetch gets a new value`() async throws {
        let bench = bench()
        #expect(try await bench.client.fetch(two) == 101)
        #expect(bench.backend.fetched == [1, 2])
        bench.client.setValue(300, for: Number(1))
        let store = bench.client.store(for: Number(2))
        #expect(store.isStale && store.state.cause == .dependency)
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2])
        #expect(try await bench.client.fetch(two) == 301)
        #expect(try await bench.client.fetch(two) == 301)
        #expect(bench.backend.fetched == [1, 2, 2])
    }

    @Test func `R17 changes of the dependency during a dependent run cause exactly one more run`() async {
        let gate = Gate()
        let bench = TestBench { call in
            let value = call.context.queryClient?.value(for: Number(1)) ?? 0
            if call.number == 1 { try await gate.pass() }
            return value
        }
        bench.client.setValue(1, for: Number(1))
        let store = bench.client.store(for: two)
        let subscription = store.record(Recorder())
        await gate.arrived()
        bench.client.setValue(2, for: Number(1))
        bench.client.setValue(3, for: Number(1))
        gate.open()
        await bench.client.settled()
        #expect(store.value == 3 && !store.isStale)
        #expect(bench.backend.fetched == [2, 2])
        subscription.cancel()
    }

    @Test func `a chain of dependent requests runs in order`() async {
        let bench = bench()
        let three = bench.client.store(for: Number(3).ttl(.infinity).dependent(on: two))
        let subscription = three.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 3])
        #expect(three.value == 102)
        bench.client.setValue(0, for: Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 3, 2, 3])
        #expect(three.value == 2)
        subscription.cancel()
        #expect((1...3).allSatisfy { bench.client.store(for: Number($0)).subscriberCount == 0 })
    }

    @Test func `fetching a dependent request fetches its dependency first and fails if that fails`() async throws {
        let bench = bench()
        let three = Number(3).ttl(.infinity).dependent(on: two)
        #expect(try await bench.client.fetch(three) == 102)
        #expect(bench.backend.fetched == [1, 2, 3])
        let broken = TestBench { _ in throw TestError() }
        await #expect(throws: TestError.self) { try await broken.client.fetch(two) }
        #expect(broken.backend.fetched == [1])
    }

    @Test func `a dependent request does not run while its dependency has no value, and runs once it has one again`() async {
        let bench = bench()
        bench.client.setValue(100, for: Number(1))
        let store = bench.client.store(for: Number(2).ttl(.infinity).dependent(on: Number(1).enabled(false)))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.store(for: Number(1)).reset()
        bench.client.invalidate(Number(2))
        await bench.client.settled()
        #expect(bench.backend.fetched == [2])
        #expect(store.value == 101 && store.isStale)
        bench.client.setValue(100, for: Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched == [2, 2])
        #expect(!store.isStale)
        subscription.cancel()
    }

    @Test func `a new value of a dependency counts as changed if its values can't be compared`() async {
        struct Opaque: Sendable { let number: Int }
        struct Thing: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Opaque>) async throws -> Opaque { Opaque(number: 1) }
        }
        let bench = TestBench()
        let store = bench.client.store(for: Number(2).ttl(.infinity).dependent(on: Thing().ttl(.infinity)))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 1)
        bench.client.invalidate(Thing())
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `a dependency cycle is reported as an error to observers and to callers of fetch`() async throws {
        let bench = bench()
        let circle = Number(1).dependent(on: Number(2).dependent(on: Number(1)))
        let store = bench.client.store(for: circle)
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let error = try #require(store.error as? QueryError)
        #expect(error.code == .cycle)
        #expect(
            error.message
                == "Requests depend on each other in a cycle: number/1 → number/2 → number/1. Remove one of the dependencies."
        )
        subscription.cancel()
        #expect(bench.client.store(for: Number(2)).subscriberCount == 0)
        await #expect(throws: QueryError.self) { try await bench.client.fetch(Number(3).dependent(on: Number(3))) }
        #expect(bench.backend.fetched == [])
    }

    @Test func `a dependency cycle that closes later leaks no store and leaves no subscriber`() async {
        weak var gone: StoreCore?
        do {
            let bench = bench()
            bench.client.setValue(1, for: Number(1))
            let store = bench.client.store(for: two)
            let other = bench.client.store(for: Number(1))
            gone = other.core
            let subscription = store.record(Recorder())
            await bench.client.settled()
            let closing = bench.client.store(for: Number(1).dependent(on: Number(2))).record(Recorder())
            await bench.client.settled()
            other.invalidate()
            await bench.client.settled()
            #expect((other.error as? QueryError)?.code == .cycle)
            closing.cancel()
            subscription.cancel()
            #expect(store.subscriberCount == 0 && other.subscriberCount == 0)
        }
        #expect(gone == nil)
    }

    @Test func `in a new session the dependency is fetched first, then the dependent request`() async {
        let bench = bench()
        let store = bench.client.store(for: two)
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.reset(session: "next")
        await bench.client.settled()
        #expect(store.value == 101)
        #expect(bench.backend.fetched == [1, 2, 1, 2])
        subscription.cancel()
        #expect(bench.client.store(for: Number(1)).subscriberCount == 0)
    }

    @Test func `R20 a dependent request runs in a session that begins in a batch, even if its dependency gets an equal value`() async {
        let bench = bench()
        let client = bench.client
        let store = client.store(for: two)
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(bench.backend.fetched == [1, 2])
        client.batch {
            client.setValue(1, for: Number(1))
            client.reset(session: "next")
            client.setValue(100, for: Number(1))
        }
        await client.settled()
        #expect(store.value == 101)
        subscription.cancel()
    }

    @Test func `R17 a dependent value first fetched in a new session is fresh`() async throws {
        let bench = TestBench { call in
            if call.id == 1 { return call.context.session == nil ? 100 : 200 }
            return (call.context.queryClient?.value(for: Number(1)) ?? 0) + 1
        }
        let handles = (bench.client.store(for: Number(1).ttl(.infinity)), bench.client.store(for: two))
        #expect(try await bench.client.fetch(two) == 101)
        bench.client.reset(session: "next")
        #expect(try await bench.client.fetch(two) == 201)
        await bench.client.settled()
        #expect(!handles.1.isStale)
        #expect(bench.backend.fetched == [1, 2, 1, 2])
        withExtendedLifetime(handles) {}
    }

    /// Numbers 2 and 3 depend on number 1, and each returns its value.
    private func pair(_ bench: TestBench) -> [QueryStore<QueryState<Int?, Int>>] {
        [2, 3].map { bench.client.store(for: Number($0).ttl(.infinity).dependent(on: Number(1).ttl(.infinity))) }
    }

    @Test func `R29 all requests that depend on a value are stale before the first of them hears of its change`() async {
        let bench = TestBench { call in call.id == 1 ? 1 : call.context.queryClient?.value(for: Number(1)) ?? 0 }
        let stores = pair(bench)
        let others = Recorder<Bool>()
        let subscriptions = [(stores[0], stores[1]), (stores[1], stores[0])].map { store, other in
            store.subscribe(with: QueryEventHandler { state, _ in if state.value == 1, state.isFetching { others.note(other.isStale) } })
        }
        await bench.client.settled()
        bench.client.setValue(2, for: Number(1))
        await bench.client.settled()
        #expect(others.all.first == true)
        #expect(stores.map(\.value) == [2, 2])
        #expect(bench.backend.fetched.sorted() == [1, 2, 2, 3, 3])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `a request that begins to depend on a value runs once, and again only when that value changes`() async throws {
        let bench = TestBench { call in call.id == 1 ? 1 : call.context.queryClient?.value(for: Number(1)) ?? 0 }
        let stores = pair(bench)
        let first = stores[0].record(Recorder())
        await bench.client.settled()
        let second = stores[1].record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 3])
        bench.client.setValue(1, for: Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched == [1, 2, 3])
        bench.client.setValue(5, for: Number(1))
        await bench.client.settled()
        #expect(bench.backend.fetched.sorted() == [1, 2, 2, 3, 3] && stores.map(\.value) == [5, 5])
        first.cancel()
        second.cancel()
    }

    @Test func `the client forgets a value on which no request depends any more, and follows it again for the next one`() async {
        let bench = TestBench { call in call.id == 1 ? 1 : call.context.queryClient?.value(for: Number(1)) ?? 0 }
        for value in 2...3 {
            do {
                let subscription = bench.client.store(for: two).record(Recorder())
                await bench.client.settled()
                #expect(bench.client.core.dependents.withLock { $0.count } == 1)
                bench.client.setValue(value, for: Number(1))
                await bench.client.settled()
                #expect(bench.client.value(for: Number(2)) == value)
                subscription.cancel()
            }
            bench.client.remove(["number", 2])
            #expect(bench.client.core.dependents.withLock { $0.isEmpty })
        }
    }
}
