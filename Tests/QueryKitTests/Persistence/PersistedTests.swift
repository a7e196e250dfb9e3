import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct PersistedTests {
    private let cache = SpyCache()

    private func request(_ ttl: Duration = .seconds(60), id: Int = 1) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        Number(id).ttl(ttl).persisted(in: cache)
    }

    @Test func `R28 R13 a stored value that is fresh in the next launch is shown with its age, and nothing is fetched`() async throws {
        try await Launch().fetch(request())
        let next = Launch(.seconds(59)) { _ in 99 }
        #expect(await next.watch(request()) == ["idle", "loading", "1"])
        #expect(try await next.fetch(request()) == 1)
        #expect(next.backend.count == 0)
        let store = next.client.store(for: request())
        #expect(store.valueUpdatedAt == Launch.day)
        #expect(store.valueUpdateCount == 1)
        next.clock.advance(by: .seconds(1))
        #expect(store.isStale)
        // A value from the cache is not written to it again.
        #expect(cache.log.filter { $0 == "set" }.count == 1)
    }

    @Test func `R28 R13 a stored value that is stale in the next launch is shown with its age until the result arrives`() async throws {
        try await Launch().fetch(request())
        let gate = Gate()
        let next = Launch(.seconds(60)) { _ in
            try await gate.pass()
            return 99
        }
        let seen = Recorder<String>()
        let store = next.client.store(for: request())
        let subscription = store.record(seen)
        await gate.arrived()
        #expect(store.value == 1)
        #expect(store.valueUpdatedAt == Launch.day)
        #expect(store.isStale)
        gate.open()
        await next.client.settled()
        #expect(seen.all == ["idle", "loading", "1 fetching", "99"])
        #expect(store.valueUpdatedAt == next.clock.date)
        subscription.cancel()
        #expect(await Launch(.seconds(61)).watch(request()) == ["idle", "loading", "99"])
    }

    @Test func `R28 R13 a stored value is stale if the wall clock was set back`() async throws {
        try await Launch(.seconds(7_200)).fetch(request(.seconds(86_400)))
        let next = Launch(.seconds(3_600)) { _ in 99 }
        #expect(await next.watch(request(.seconds(86_400))) == ["idle", "loading", "1 fetching", "99"])
    }

    @Test func `R28 a caller gets a fresh stored value, but waits for the result if it is stale`() async throws {
        try await Launch().fetch(request())
        #expect(try await Launch(.seconds(59)) { _ in 99 }.fetch(request()) == 1)
        #expect(try await Launch(.seconds(60)) { _ in 99 }.fetch(request()) == 99)
    }

    @Test func `R28 fetching through a store and refetching always run, and show the stored value until the result`() async throws {
        try await Launch().fetch(request())
        let next = Launch { _ in 99 }
        let seen = Recorder<String>()
        let store = next.client.store(for: request())
        // Only observes: a run of its own might end with the stored value before the fetch begins.
        let subscription = next.client.store(for: request().enabled(false)).subscribe(
            with: QueryEventHandler(onStateChanged: { state, _ in seen.note("\(StateSummary(state))") })
        )
        #expect(try await store.fetch() == 99)
        #expect(seen.all == ["idle", "loading", "1 fetching", "99"])
        subscription.cancel()

        let third = Launch { _ in 100 }
        _ = third.client.store(for: request())
        third.client.refetch(.all)
        await third.client.settled()
        #expect(third.client.value(for: Number()) == 100)
    }

    @Test func `R28 values are stored separately by session, app version and schema version`() async throws {
        try await Launch(session: "a").fetch(request())
        #expect(try await Launch(session: "b") { _ in 2 }.fetch(request()) == 2)
        #expect(try await Launch(session: nil) { _ in 3 }.fetch(request()) == 3)
        #expect(try await Launch(session: "a", appVersion: "1.1") { _ in 4 }.fetch(request()) == 4)
        let versioned = Number().ttl(.seconds(60)).persisted(in: cache, version: 2)
        #expect(try await Launch(session: "a") { _ in 5 }.fetch(versioned) == 5)
        #expect(try await Launch(session: "a") { _ in 6 }.fetch(request()) == 1)
    }

    @Test func `R28 a new session reads and writes under its own name`() async throws {
        let launch = Launch(session: "a")
        #expect(try await launch.fetch(request(.infinity)) == 1)
        launch.client.reset(session: "b")
        #expect(try await launch.fetch(request(.infinity)) == 2)
        launch.client.reset(session: "a")
        #expect(try await launch.fetch(request(.infinity)) == 1)
        #expect(launch.backend.count == 2)
        #expect(cache.count == 2)
    }

    @Test func `R28 a value is stored under what it depended on when it was fetched, and shown only for that`() async throws {
        let day = Lock("friday")
        func request(_ id: Int = 1) -> some QueryRequest<Int, QueryState<Int?, Int>> {
            Daily(id: id, day: day).ttl(.infinity).persisted(in: cache)
        }
        let launch = Launch { $0.id }
        try await launch.fetch(request(1))
        launch.client.setValue(20, for: request(2))
        let subscription = launch.client.store(for: request(3)).record(Recorder())
        await launch.client.settled()
        launch.client.store(for: request(3)).setValue(30)
        // It was fetched before it was persisted, so its day is unknown.
        try await launch.fetch(Daily(id: 4, day: day).ttl(.infinity))
        _ = launch.client.store(for: request(4))
        await launch.client.settled()
        #expect(cache.count == 3)
        day.withLock { $0 = "saturday" }
        let archive = try await launch.client.dehydrate()
        #expect(archive.count == 3 && launch.client.value(for: request(1)) != nil)
        for (today, shown) in [("saturday", [nil, nil, nil]), ("friday", [1, 20, 30])] as [(String, [Int?])] {
            day.withLock { $0 = today }
            let next = Launch { _ in throw TestError() }
            for (id, value) in zip(1...3, shown) {
                #expect(await next.watch(request(id).retry(limit: 0)).contains("\(value ?? 0)") == (value != nil))
            }
            let other = Launch { _ in throw TestError() }
            await other.client.hydrate(from: archive)
            for (id, value) in zip(1...3, shown) { #expect(other.client.store(for: request(id)).value == value) }
            // An archive contains one value per request.
            other.client.setValue(5, for: request(1))
            #expect(try await other.client.dehydrate().count == 3)
        }
        withExtendedLifetime(subscription) {}
    }

    @Test func `R28 a cache that answers late puts nothing of the old session into a store`() async throws {
        let slow = SpyCache(gates: ["get": Gate(ignoresCancellation: true)])
        let slowRequest = Number().ttl(.seconds(60)).persisted(in: slow)
        let key = QueryCacheKey(path: ["number", 1], type: Number.storedName, appVersion: "1.0", session: "a")
        try await slow.set(1, key: key, ttl: .infinity, date: Launch.day)
        let launch = Launch(.seconds(120), session: "a") { _ in 99 }
        let seen = Recorder<String>()
        let subscription = launch.client.store(for: slowRequest).record(seen)
        await slow.gates["get"]?.arrived()
        launch.client.reset(session: "b")
        slow.gates["get"]?.open()
        await launch.client.settled()
        #expect(seen.all == ["idle", "loading", "idle", "loading", "99"])
        subscription.cancel()
    }

    @Test func `R28 requests with the same path don't read each other's stored values`() async throws {
        struct Word: QueryRequest {
            static let storedName = "Word"

            var path: QueryPath { ["number", 1] }
            func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String { "word" }
        }
        try await Launch().fetch(request(.infinity))
        #expect(try await Launch().client.fetch(Word().ttl(.infinity).persisted(in: cache)) == "word")
    }

    @Test func `R28 an unreadable entry is dropped and reported, and the fetch continues`() async throws {
        let key = QueryCacheKey(path: ["number", 1], type: Number.storedName, appVersion: "1.0")
        try await cache.set(QueryCacheEntry(data: Data("{".utf8), date: Launch.day), key: key)
        let launch = Launch { _ in 99 }
        let events = CacheEvents(of: launch.client)
        #expect(await launch.watch(request()) == ["idle", "loading", "99"])
        let event = await events.first(1).first
        #expect(event?.kind == .entryDropped)
        #expect((event?.error as? QueryError)?.code == .unreadableData)
        #expect(try await cache.get(Int.self, key: key)?.value == 99)
        try await cache.set(QueryCacheEntry(data: Data("{".utf8), date: Launch.day), key: key)
        #expect(await Launch { _ in throw TestError() }.watch(request().retry(limit: 0)).last == "failed(broken) 1x")
        #expect(cache.count == 0)
    }

    @Test func `R28 errors of a cache are reported and never fail a fetch`() async throws {
        cache.fail("get", "set", "invalidate", "clear", "remove", "removePattern")
        let launch = Launch()
        let events = CacheEvents(of: launch.client)
        #expect(try await launch.fetch(request()) == 1)
        launch.client.invalidate("number/**")
        launch.client.clear()
        await launch.client.settled()
        #expect(await events.first(4).map(\.kind) == Array(repeating: .storageFailed, count: 4))
        #expect(try await launch.fetch(request()) == 2)
    }

    @Test func `R28 without a network the stored value is shown while the run waits`() async throws {
        try await Launch().fetch(request())
        let network = ManualNetworkObserver(isOnline: false)
        let next = Launch(.seconds(60), network: network) { _ in 99 }
        let seen = Recorder<String>()
        let subscription = next.client.store(for: request()).record(seen)
        await next.client.settled()
        #expect(seen.all == ["idle", "idle paused", "1 paused"])
        network.set(isOnline: true)
        await next.client.settled()
        #expect(seen.all.suffix(2) == ["1 fetching", "99"])
        subscription.cancel()
        let fresh = Launch(.seconds(61), network: ManualNetworkObserver(isOnline: false))
        #expect(try await fresh.fetch(request()) == 99)
    }

    @Test func `R28 a run that waits for the network after an earlier failure also reads the cache`() async throws {
        try await Launch().fetch(request())
        let network = ManualNetworkObserver()
        let next = Launch(.seconds(60), network: network) { _ in throw TestError() }
        let seen = Recorder<String>()
        cache.fail("get")
        let subscription = next.client.store(for: request().retry(limit: 0)).record(seen)
        await next.client.settled()
        cache.fail()
        network.set(isOnline: false)
        next.client.refetch("**")
        await next.client.settled()
        #expect(seen.all == ["idle", "loading", "failed(broken) 1x", "failed(broken) paused", "1 paused"])
        subscription.cancel()
    }

    @Test func `R28 a run reads the cache once, no matter how often it is retried`() async throws {
        try await Launch().fetch(request())
        let next = Launch(.seconds(60)) { call in
            if call.number < 3 { throw TestError() }
            return 99
        }
        let seen = await next.watch(request().retry(limit: 3, backoff: .none))
        #expect(seen == ["idle", "loading", "1 fetching", "1 fetching 1x", "1 fetching 2x", "99"])
        #expect(cache.log.filter { $0 == "get" }.count == 2)
    }

    @Test func `R28 a cancelled run keeps the stored value`() async throws {
        try await Launch().fetch(request())
        let gate = Gate()
        let next = Launch(.seconds(60)) { _ in
            try await gate.pass()
            return 99
        }
        let store = next.client.store(for: request())
        let subscription = store.record(Recorder())
        await gate.arrived()
        subscription.cancel()
        await next.client.settled()
        #expect(store.value == 1)
        #expect(store.isStale)
        #expect(cache.log.filter { $0 == "set" }.count == 1)
    }

    @Test func `R28 an entry is kept until its maximum age`() async throws {
        let request = Number().ttl(.infinity).persisted(in: cache, maxAge: .seconds(10))
        try await Launch().fetch(request)
        #expect(try await Launch(.seconds(9)) { _ in 2 }.fetch(request) == 1)
        #expect(try await Launch(.seconds(10)) { _ in 3 }.fetch(request) == 3)
    }

    @Test func `R28 a stored value is shown until a stream yields its first element`() async throws {
        struct Ticks: StreamRequest {
            static let storedName = "Ticks"

            func stream(in context: QueryContext) async throws -> AsyncStream<Int> {
                AsyncStream { $0.yield(context.backend.count + 7) }
            }
        }
        let request = Ticks().ttl(.infinity).persisted(in: cache)
        let first = Launch()
        #expect(await first.watch(request) == ["idle", "loading", "7"])
        let seen = await Launch().watch(request)
        #expect(seen.prefix(3) == ["idle", "loading", "7 fetching"])
        #expect(seen.count == 4)
    }
}

/// A number of a given day, which the test sets.
private struct Daily: QueryRequest {
    static let storedName = "Daily"

    let id: Int
    let day: Lock<String>

    var path: QueryPath { ["daily", id] }

    func cacheVariant(in context: QueryContext) -> String? { day.withLock(\.self) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.backend.fetch(id, context, continuation)
    }

    static func == (left: Daily, right: Daily) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
