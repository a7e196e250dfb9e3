import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct RetentionTests {
    private let bench = TestBench()
    private var client: QueryClient { bench.client }

    @Test func `R15 a store is kept for five minutes from the moment its last subscriber left`() async throws {
        let store = client.store(for: Number())
        let subscription = store.record(Recorder())
        await client.settled()
        bench.clock.advance(by: .seconds(1000))
        subscription.cancel()
        bench.clock.advance(by: .seconds(300) - .nanoseconds(1))
        #expect(client.value(for: Number()) == 1)
        bench.clock.advance(by: .nanoseconds(1))
        #expect(client.value(for: Number()) == nil)
        #expect(client.storeCount == 0)
    }

    @Test func `R15 a store is kept for five minutes from the end of its run, if that is later`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        let task = Task { try await client.fetch(Number()) }
        await gate.arrived()
        bench.clock.advance(by: .seconds(1000))
        #expect(client.storeCount == 1)
        gate.open()
        _ = try await task.value
        bench.clock.advance(by: .seconds(299))
        #expect(client.value(for: Number()) == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(client.storeCount == 0)
    }

    @Test func `R15 retention also begins when a run that the last subscriber left behind ends`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        let subscription = client.store(for: Number().whenAbandoned(.finish)).record(Recorder())
        await gate.arrived()
        subscription.cancel()
        bench.clock.advance(by: .seconds(1000))
        gate.open()
        await client.settled()
        #expect(client.value(for: Number()) == 1)
        bench.clock.advance(by: .seconds(300))
        #expect(client.storeCount == 0)
    }

    @MainActor @Test func `R15 a mirror that shows the same store with another retention applies that retention`() async throws {
        let kept = client.store(for: Number().ttl(.infinity).keep(for: .seconds(1000)))
        // When the first observer subscribes, only the retention of its own handle counts.
        var mirror: QueryMirror<Number.State>? = QueryMirror(client.store(for: Number().ttl(.infinity)))
        await client.settled()
        mirror?.show(kept)
        mirror = nil
        bench.clock.advance(by: .seconds(999))
        #expect(client.value(for: Number()) == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(client.storeCount == 0)
    }

    @Test func `R15 the longest retention wins, and the default counts only if no request sets one`() async throws {
        _ = try await client.fetch(Number(1).keep(for: .seconds(1000)))
        _ = try await client.fetch(Number(1).keep(for: .seconds(10)))
        _ = try await client.fetch(Number(2).keep(for: .seconds(10)))
        bench.clock.advance(by: .seconds(10))
        #expect(client.value(for: Number(1)) != nil)
        #expect(client.value(for: Number(2)) == nil)
        bench.clock.advance(by: .seconds(989))
        #expect(client.value(for: Number(1)) != nil)
        bench.clock.advance(by: .seconds(1))
        #expect(client.value(for: Number(1)) == nil)
    }

    @Test func `R15 a longer retention applies as soon as it is requested, even to an idle store`() {
        client.setValue(1, for: Number())
        _ = client.store(for: Number().keep(for: .seconds(3600)))
        bench.clock.advance(by: .seconds(3599))
        #expect(client.value(for: Number()) == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(client.value(for: Number()) == nil)
    }

    @Test func `R15 a retention shorter than the default applies if no other was requested`() async throws {
        client.setValue(1, for: Number())
        _ = try await client.fetch(Number().keep(for: .seconds(10)))
        bench.clock.advance(by: .seconds(10))
        #expect(client.value(for: Number()) == nil)
    }

    @Test func `R15 a shorter retention requested later does not replace a longer one, even after the store was used`() {
        let store = client.store(for: Number().keep(for: .seconds(1000)))
        _ = client.store(for: Number().keep(for: .seconds(10)))
        store.setValue(1)
        bench.clock.advance(by: .seconds(999))
        #expect(client.storeCount == 1)
    }

    @Test func `R15 a store with infinite retention is kept, and one with a negative retention is released at once`() async throws {
        _ = try await client.fetch(Number(1).keep(for: .infinity))
        _ = try await client.fetch(Number(2).keep(for: .seconds(-1)))
        bench.clock.advance(by: .seconds(1_000_000_000))
        #expect(client.value(for: Number(1)) == 1)
        #expect(client.value(for: Number(2)) == nil)
    }

    @Test func `R15 reading a value counts as use when the store limit evicts the oldest`() async throws {
        let limited = TestBench(configuration: QueryClient.Configuration(storeLimit: 3)).client
        for id in 1...3 { _ = try await limited.fetch(Number(id)) }
        _ = limited.value(for: Number(1))
        _ = try await limited.fetch(Number(4))
        #expect(limited.value(for: Number(2)) == nil)
        #expect(limited.value(for: Number(1)) != nil)
        #expect(limited.storeCount == 3)
    }

    @Test func `R15 the store limit never evicts stores that are observed or running`() async throws {
        let bench = TestBench(configuration: QueryClient.Configuration(storeLimit: 2))
        var subscriptions: Set<QuerySubscription> = []
        for id in 1...4 { bench.client.store(for: Number(id)).record(Recorder()).store(in: &subscriptions) }
        await bench.client.settled()
        #expect(bench.client.storeCount == 4)
        subscriptions = []
        #expect(bench.client.storeCount == 2)
    }

    @Test func `R15 the byte limit evicts the least recently used stores`() async throws {
        struct Bytes: QueryRequest {
            let id: Int
            func fetch(in context: QueryContext, with continuation: QueryContinuation<[UInt8]>) async throws -> [UInt8] {
                [UInt8](repeating: 0, count: 10_000)
            }
        }
        let client = TestBench(configuration: QueryClient.Configuration(byteLimit: 35_000)).client
        for id in 1...5 { _ = try await client.fetch(Bytes(id: id)) }
        #expect(client.byteCount <= 35_000)
        #expect((1...5).map { client.value(for: Bytes(id: $0)) != nil } == [false, false, true, true, true])
    }

    @Test func `R15 memory pressure releases half of the unused stores, or all of them if it is critical`() async throws {
        let store = client.store(for: Number(0))
        let subscription = store.record(Recorder())
        await client.settled()
        for id in 1...10 { _ = try await client.fetch(Number(id)) }
        client.releaseMemory(.warning)
        #expect(client.storeCount < 8)
        #expect(client.value(for: Number(10)) != nil)
        client.releaseMemory(.critical)
        #expect(client.storeCount == 1)
        #expect(store.value == 1)
        subscription.cancel()
    }

    @Test func `R15 a store with infinite retention survives memory pressure and does not count toward the store limit`()
        async throws
    {
        let bench = TestBench(configuration: QueryClient.Configuration(storeLimit: 3))
        let client = bench.client
        for id in 1...4 { _ = try await client.fetch(Number(id).keep(for: .infinity)) }
        for id in 5...7 { _ = try await client.fetch(Number(id)) }
        // Neither creating nor observing such a store evicts another.
        _ = client.store(for: Number(0).keep(for: .infinity))
        let subscription = client.store(for: Number(1).keep(for: .infinity)).record(Recorder())
        await client.settled()
        #expect((1...7).filter { client.value(for: Number($0)) == nil } == [])
        _ = try await client.fetch(Number(8))
        #expect((1...8).filter { client.value(for: Number($0)) == nil } == [5])
        client.releaseMemory(.warning)
        #expect((1...8).filter { client.value(for: Number($0)) == nil } == [5, 6, 7])
        client.releaseMemory(.critical)
        subscription.cancel()
        client.releaseMemory(.critical)
        #expect((1...8).filter { client.value(for: Number($0)) == nil } == [5, 6, 7, 8])
        // Observed through a request without infinite retention, it gets the default.
        client.store(for: Number(1)).record(Recorder()).cancel()
        await client.settled()
        client.releaseMemory(.critical)
        #expect((1...4).filter { client.value(for: Number($0)) == nil } == [1])
        // They can still be removed.
        client.remove(.all)
        #expect(client.storeCount == 0)
    }

    @Test func `R15 a store with infinite retention does not count toward the byte limit`() async throws {
        struct Bytes: QueryRequest {
            let id: Int
            func fetch(in context: QueryContext, with continuation: QueryContinuation<[UInt8]>) async throws -> [UInt8] {
                [UInt8](repeating: 0, count: 10_000)
            }
        }
        let client = TestBench(configuration: QueryClient.Configuration(byteLimit: 25_000)).client
        for id in 1...3 { _ = try await client.fetch(Bytes(id: id).keep(for: .infinity)) }
        for id in 4...6 { _ = try await client.fetch(Bytes(id: id)) }
        #expect((1...6).map { client.value(for: Bytes(id: $0)) != nil } == [true, true, true, false, true, true])
        #expect(client.byteCount > 50_000)
        // If infinity is only the default retention, the limits apply.
        let patient = TestBench(configuration: QueryClient.Configuration(retention: .infinity, byteLimit: 25_000)).client
        for id in 1...3 { _ = try await patient.fetch(Bytes(id: id)) }
        #expect((1...3).map { patient.value(for: Bytes(id: $0)) != nil } == [false, true, true])
    }

    @Test func `R15 a thousand stores share one timer`() async throws {
        for id in 0..<1000 { _ = client.store(for: Number(id).keep(for: .seconds(id + 1))) }
        #expect(bench.clock.alarmCount == 1)
        bench.clock.advance(by: .seconds(500))
        #expect(client.storeCount == 500)
        #expect(bench.clock.alarmCount == 1)
        bench.clock.advance(by: .seconds(500))
        #expect(client.storeCount == 0)
        #expect(bench.clock.alarmCount == 0)
    }

    @Test func `R16 a released store that is still referenced returns to the client when it is used again`() async throws {
        let store = client.store(for: Number())
        _ = try await store.fetch()
        bench.clock.advance(by: .seconds(300))
        #expect(client.storeCount == 0)
        #expect(store.value == nil)
        #expect(client.store(for: Number()) == store)
        let subscription = store.record(Recorder())
        await client.settled()
        #expect(client.storeCount == 1)
        #expect(client.stores(matching: "number/**").count == 1)
        client.invalidate("number/**")
        await client.settled()
        #expect(store.value == 3)
        subscription.cancel()
    }

    @Test func `R16 writing to a released store returns it to the client`() {
        let store = client.store(for: Number())
        store.setValue(1)
        client.remove(.all)
        #expect(client.storeCount == 0)
        store.setValue(2)
        #expect(client.value(for: Number()) == 2)
        #expect(client.stores(matching: .all).count == 1)
    }

    @Test func `R16 remove and clear keep observed stores, reset them and refetch them`() async throws {
        let observed = client.store(for: Number(1))
        let seen = Recorder<String>()
        let subscription = observed.record(seen)
        await client.settled()
        _ = try await client.fetch(Number(2))
        _ = seen.take()
        client.clear()
        await client.settled()
        #expect(seen.all == ["idle", "loading", "3"])
        #expect(client.storeCount == 1)
        #expect(client.value(for: Number(2)) == nil)
        #expect(client.store(for: Number(1)) == observed)
        client.invalidate(.all)
        await client.settled()
        #expect(observed.value == 4)
        subscription.cancel()
    }

    @Test func `R16 clear during a run discards the run's result permanently`() async throws {
        let stubborn = Gate(ignoresCancellation: true)
        bench.backend.behave { call in
            if call.number == 1 { try await stubborn.pass() }
            return call.number
        }
        let store = client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await stubborn.arrived()
        client.clear()
        await client.settled()
        stubborn.open()
        #expect(seen.all == ["idle", "loading", "idle", "loading", "2"])
        subscription.cancel()
    }

    @Test func `R16 clear inside a handler also removes the value that was just fetched`() async throws {
        let store = client.store(for: Number())
        _ = try await store.fetch(
            handler: QueryEventHandler(onFetchingEnded: { [client] _ in client.clear() })
        )
        await client.settled()
        #expect(client.storeCount == 0)
        #expect(client.byteCount == 0)
        #expect(store.status.isIdle)
    }

    @Test func `R16 reset returns matching stores to their initial state`() async throws {
        _ = try await client.fetch(Number(1))
        client.reset("number/1")
        #expect(client.value(for: Number(1)) == 1)
        client.reset(["number", 1])
        let store = client.store(for: Number(1))
        #expect(store.status.isIdle)
        #expect(store.valueUpdateCount == 0)
        #expect(store.cause == .reset)
    }
}
