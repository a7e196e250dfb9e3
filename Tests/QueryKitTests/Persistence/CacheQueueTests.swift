import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The outstanding changes that a client keeps for a cache, and those that it drops.
struct CacheQueueTests {
    private let stale = ["idle", "loading", "1 fetching invalidated", "99"]

    private func request(_ id: Int = 1, in cache: SpyCache) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(id).ttl(.infinity).persisted(in: cache)
    }

    @Test func `R28 R17 values that a cache failed to mark are not fresh while the mark is retried`() async throws {
        let gate = Gate()
        let cache = SpyCache(gates: ["invalidate": gate])
        try await Launch().fetch(request(in: cache))
        let launch = Launch { _ in 99 }
        launch.client.connect(to: cache)
        cache.fail("invalidate")
        launch.client.invalidate(.all)
        await gate.arrived()
        gate.letThrough()
        await launch.client.settled()
        cache.fail()
        // The next write makes the queue retry the mark.
        launch.client.setValue(5, for: request(2, in: cache))
        await gate.arrived(2)
        let seen = Recorder<String>()
        let store = launch.client.store(for: request(in: cache))
        let subscription = store.record(seen)
        for await isFetching in store.select(\.isFetching) where !isFetching { break }
        #expect(seen.all == stale)
        gate.open()
        await launch.client.settled()
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R29 R28 another client waits for a pending invalidation of the shared cache before it reads`(isGone: Bool) async throws {
        let gate = Gate()
        let cache = SpyCache(gates: ["invalidate": gate])
        var first: Launch? = Launch()
        try await first?.fetch(request(in: cache))
        first?.client.invalidate("number/*")
        await gate.arrived()
        if isGone { first = nil }
        let next = Launch { _ in 99 }
        let value = Task { try await next.client.fetch(request(in: cache)) }
        // Long enough for a client that does not wait.
        try? await next.client.settled(timeout: .milliseconds(100))
        gate.open()
        #expect(try await value.value == 99)
        await next.client.settled()
        await first?.client.settled()
    }

    @Test func `R28 R17 a value read just before the cache applied an outstanding mark is not fresh afterwards`() async throws {
        let (got, set) = (Gate(), Gate())
        let cache = SpyCache(gates: ["got": got, "set": set])
        let first = Launch()
        first.client.setValue(1, for: request(in: cache))
        await set.arrived()
        set.letThrough()
        // The write continues after the gate: without this wait the next launch may look before the entry exists.
        await first.client.settled()
        let launch = Launch { _ in 99 }
        launch.client.connect(to: cache)
        cache.fail("invalidate")
        launch.client.invalidate(.all)
        await launch.client.settled()
        cache.fail()
        let seen = Recorder<String>()
        let subscription = launch.client.store(for: request(in: cache)).record(seen)
        await got.arrived()
        launch.client.setValue(5, for: request(2, in: cache))
        // Outstanding marks come before writes.
        await set.arrived(2)
        set.open()
        got.open()
        await launch.client.settled()
        #expect(seen.all == stale)
        #expect(cache.log.filter { $0 == "invalidate" }.count == 2)
        subscription.cancel()
    }

    @Test func `R28 a written or replaced value may use the cache's queue in its deinit`() async throws {
        let gate = Gate()
        let client = Launch().client
        let cache = SpyCache(gates: ["set": gate])
        let queue = client.queue(to: cache)
        let ends = Recorder<Int>()
        let persistence = QueryPersistence(
            version: 1,
            encode: { _ in Data() },
            decode: { _ in AnyValue(0) }
        )
        let (key, other) = (QueryCacheKey(path: ["a"], type: "a"), QueryCacheKey(path: ["b"], type: "b"))
        func keep(_ number: Int) {
            // If the lock were held, this call would never return.
            let value = DeinitObserver { [weak queue] in
                queue?.keep(.forgotten, other, ttl: .infinity, persistence)
                ends.note(number)
            }
            let stored = StoredValue(value: AnyValue(value), date: Launch.day, isInvalidated: false)
            queue.keep(.value(stored), key, ttl: .infinity, persistence)
        }
        keep(1)
        await gate.arrived()
        for number in 2...4 { keep(number) }
        queue.keep(.forgotten, key, ttl: .infinity, persistence)
        #expect(ends.all == [2, 3, 4])
        keep(5)
        gate.open()
        await client.settled()
        #expect(ends.all == [2, 3, 4, 1, 5])
        #expect(cache.count == 1)
    }
}
