import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What one client owes a cache, and what it lets go.
@Suite(.timeLimit(.minutes(5))) struct CacheLineTests {
    private let stale = ["idle", "loading", "1 fetching invalidated", "99"]

    private func request(_ id: Int = 1, in cache: SpyCache) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(id).ttl(.infinity).persisted(in: cache)
    }

    @Test func `R28 R17 what a cache failed to mark is not taken for fresh while it is tried again`() async throws {
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
        // Whatever is written next makes the line try again.
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
    func `R29 R28 what one client has changed is not fresh for another one, before their cache has heard of it`(isGone: Bool) async throws {
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

    @Test func `R28 R17 what was read just before the cache made up for a change is not taken for fresh just after it`() async throws {
        let (got, set) = (Gate(), Gate())
        let cache = SpyCache(gates: ["got": got, "set": set])
        let first = Launch()
        first.client.setValue(1, for: request(in: cache))
        await set.arrived()
        set.letThrough()
        // The write goes on after the gate: without this wait the next launch may look before there is anything.
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
        // What is owed comes before what is written.
        await set.arrived(2)
        set.open()
        got.open()
        await launch.client.settled()
        #expect(seen.all == stale)
        #expect(cache.log.filter { $0 == "invalidate" }.count == 2)
        subscription.cancel()
    }

    @Test func `R28 a value that was written or need not be may use the cache's line when it ends`() async throws {
        let gate = Gate()
        let client = Launch().client
        let cache = SpyCache(gates: ["set": gate])
        let line = client.line(to: cache)
        let ends = Recorder<Int>()
        let persistence = QueryPersistence(version: 1, valueType: Mortal.self, encode: { _ in Data() }, decode: { _ in AnyValue(0) })
        let (key, other) = (QueryCacheKey(path: ["a"], type: "a"), QueryCacheKey(path: ["b"], type: "b"))
        func keep(_ number: Int) {
            // With the lock held this would never return.
            let value = Mortal { [weak line] in
                line?.keep(.forgotten, other, ttl: .infinity, persistence)
                ends.note(number)
            }
            line.keep(.value(StoredValue(value: AnyValue(value), date: Launch.day, isInvalidated: false)), key, ttl: .infinity, persistence)
        }
        keep(1)
        await gate.arrived()
        for number in 2...4 { keep(number) }
        line.keep(.forgotten, key, ttl: .infinity, persistence)
        #expect(ends.all == [2, 3, 4])
        keep(5)
        gate.open()
        await client.settled()
        #expect(ends.all == [2, 3, 4, 1, 5])
        #expect(cache.count == 1)
    }
}
