import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What happens to stored values when their requests are invalidated, reset or written.
struct PersistedChangesTests {
    private let cache = SpyCache()

    private var request: some QueryRequest<Int, QueryState<Int?, Int>> { Number().ttl(.infinity).persisted(in: cache) }

    /// The states that the next launch shows for the request.
    private func nextLaunch() async -> [String] { await Launch { _ in 99 }.watch(request) }

    private let fresh = ["idle", "loading", "1"]
    private let stale = ["idle", "loading", "1 fetching invalidated", "99"]
    private let nothing = ["idle", "loading", "99"]

    // MARK: Invalidation

    @Test func `R28 R17 an invalidation by pattern is still in effect in the next launch`() async throws {
        let launch = Launch()
        try await launch.fetch(request)
        #expect(await nextLaunch() == fresh)
        launch.client.invalidate("number/**")
        await launch.client.settled()
        #expect(await nextLaunch() == stale)
    }

    @Test func `R28 R17 an invalidation reaches stored values without a store`() async throws {
        try await Launch().fetch(request)
        let launch = Launch()
        launch.client.connect(to: cache)
        launch.client.invalidate(["number", 1])
        await launch.client.settled()
        #expect(await nextLaunch() == stale)
    }

    @Test func `R28 R17 an invalidation from before the cache was opened applies to the cache`() async throws {
        try await Launch().fetch(request)
        let launch = Launch { _ in 99 }
        launch.client.invalidate("number/*")
        #expect(await launch.watch(request) == stale)
    }

    @Test func `R28 R17 an invalidation of one store or request is stored, whether it has a value or not`() async throws {
        for invalidate: (QueryClient) -> Void in [{ $0.invalidate(Number()) }, { $0.store(for: request).invalidate() }] {
            try await cache.clear()
            try await Launch().fetch(request)
            let without = Launch()
            _ = without.client.store(for: request)
            invalidate(without.client)
            await without.client.settled()
            #expect(await nextLaunch() == stale)
            try await cache.clear()
            let with = Launch()
            try await with.fetch(request)
            invalidate(with.client)
            await with.client.settled()
            #expect(await nextLaunch() == stale)
        }
    }

    @Test func `R28 R29 a value that a batch writes and then invalidates is stored as invalidated`() async throws {
        for invalidate: (QueryClient) -> Void in [{ $0.invalidate(Number()) }, { $0.invalidate("number/**") }] {
            try await cache.clear()
            let launch = Launch()
            launch.client.batch {
                launch.client.setValue(5, for: request)
                invalidate(launch.client)
            }
            await launch.client.settled()
            #expect(await nextLaunch() == ["idle", "loading", "5 fetching invalidated", "99"])
        }
    }

    @Test func `R28 R29 the last change that a batch makes to a stored value counts`() async throws {
        let launch = Launch()
        launch.client.batch {
            launch.client.invalidate(Number())
            launch.client.setValue(5, for: request)
        }
        await launch.client.settled()
        #expect(await nextLaunch() == ["idle", "loading", "5"])
        launch.client.batch {
            launch.client.setValue(6, for: request)
            launch.client.store(for: request).reset()
        }
        await launch.client.settled()
        #expect(await nextLaunch() == nothing)
    }

    @Test func `R28 R17 values that a cache failed to mark are not fresh, and are marked as soon as possible`() async throws {
        try await Launch().fetch(request)
        let launch = Launch { _ in 99 }
        launch.client.connect(to: cache)
        cache.fail("invalidate")
        launch.client.invalidate(.all)
        await launch.client.settled()
        #expect(await nextLaunch() == fresh)
        cache.fail()
        #expect(await launch.watch(request) == stale)
        #expect(cache.log.filter { $0 == "invalidate" }.count == 2)
    }

    @Test func `R28 a result after an invalidation is stored as fresh`() async throws {
        let launch = Launch { $0.number - 1 }
        try await launch.fetch(request)
        launch.client.invalidate(.all)
        try await launch.fetch(request)
        #expect(await nextLaunch() == fresh)
    }

    @Test func `R28 R18 a stored value that read regions or has tags is never fresh, because a change may have been missed`() async throws {
        try await Launch { _ in
            QueryReads.note([QueryRegion(source: "db", name: "numbers")])
            return 1
        }.fetch(request)
        #expect(await nextLaunch() == stale)
        let tagged = Number(2).ttl(.infinity).persisted(in: cache).tagged(QueryTag("a"))
        try await Launch().fetch(tagged)
        #expect(await Launch { _ in 99 }.watch(tagged) == stale)
    }

    @Test func `R28 R10 a cached value for a run that has ended is dropped`() async {
        let gate = Gate()
        let launch = Launch { _ in
            try await gate.pass()
            return 1
        }
        let store = launch.client.store(for: request)
        let subscription = store.record(Recorder())
        await gate.arrived()
        let context = store.context
        let over = RunStart(number: 77, cause: .subscribed, origin: .library)
        let run = StoreRun(of: store.core, start: over, settings: store.settings, context: context, asOf: .none, rollback: StateBox())
        for isInvalidated in [true, false] {
            let stored = StoredValue(value: AnyValue(5), date: Launch.day, isInvalidated: isInvalidated)
            #expect(!store.core.restore(stored, for: run))
            #expect(store.value == nil)
        }
        gate.open()
        await launch.client.settled()
        #expect(store.value == 1)
        subscription.cancel()
    }

    // MARK: Removal

    @Test func `R28 R16 reset, remove and clear delete stored values`() async throws {
        let changes: [(QueryClient) -> Void] = [
            { $0.store(for: Number()).reset() }, { $0.reset("number/**") }, { $0.remove("number/**") }, { $0.clear() },
        ]
        for change in changes {
            let launch = Launch()
            try await launch.fetch(request)
            change(launch.client)
            await launch.client.settled()
            #expect(cache.count == 0)
            #expect(await nextLaunch() == nothing)
            try await cache.clear()
        }
    }

    @Test func `R28 R16 a value written while its store is being removed is also deleted from the cache`() async throws {
        for remove: (QueryClient) -> Void in [{ $0.remove("number/**") }, { $0.clear() }] {
            let launch = Launch()
            let late = Lock<(@Sendable () -> Void)?>(nil)
            // A condition is evaluated just before the store is emptied.
            let condition = { @Sendable () -> Bool in
                late.withLock { late in
                    defer { late = nil }
                    return late
                }?()
                return true
            }
            let store = launch.client.store(for: request.enabled { _ in condition() })
            _ = try await store.fetch()
            late.withLock {
                $0 = { [weak core = store.core] in _ = core.map { QueryStore<QueryState<Int?, Int>>($0, $0.settings).setValue(7) } }
            }
            remove(launch.client)
            await launch.client.settled()
            #expect(store.value == nil)
            #expect(cache.count == 0)
            #expect(await nextLaunch() == nothing)
            try await cache.clear()
        }
    }

    @Test func `R28 R16 a new session keeps the cached values of the previous one`() async throws {
        let launch = Launch(session: "a")
        try await launch.fetch(request)
        launch.client.reset(session: "b")
        await launch.client.settled()
        #expect(cache.count == 1)
        #expect(await Launch(session: "a") { _ in 99 }.watch(request) == fresh)
    }

    @Test func `R28 R16 resetting an observed store refetches without restoring the stored value`() async throws {
        let launch = Launch()
        let seen = Recorder<String>()
        let store = launch.client.store(for: request)
        let subscription = store.record(seen)
        await launch.client.settled()
        store.reset()
        await launch.client.settled()
        #expect(seen.all == ["idle", "loading", "1", "idle", "loading", "2"])
        subscription.cancel()
        #expect(await nextLaunch() == ["idle", "loading", "2"])
    }

    @Test func `R28 R15 a released store keeps its value in the cache and restores it later`() async throws {
        let launch = Launch()
        try await launch.fetch(request)
        launch.clock.advance(by: .seconds(301))
        #expect(launch.client.storeCount == 0)
        #expect(await launch.watch(request) == fresh)
        launch.client.releaseMemory(.critical)
        #expect(try await launch.fetch(request) == 1)
        #expect(launch.backend.count == 1)
    }

    // MARK: Writing

    @Test func `R28 R19 a value that is set is stored, a failure is not`() async throws {
        let launch = Launch()
        let store = launch.client.store(for: request)
        store.setValue(1)
        store.setResult(to: .failure(TestError()))
        await launch.client.settled()
        #expect(await nextLaunch() == fresh)
        store.updateValue { $0 = 5 }
        await launch.client.settled()
        #expect(await nextLaunch() == ["idle", "loading", "5"])
    }

    @Test func `R28 R9 intermediate values and results of cancelled runs are not stored`() async throws {
        let gate = Gate()
        let launch = Launch { call in
            call.continuation.yield(7)
            try await gate.pass()
            return 1
        }
        let subscription = launch.client.store(for: request).record(Recorder())
        await gate.arrived()
        subscription.cancel()
        await launch.client.settled()
        #expect(cache.log == ["get"])
    }

    @Test func `R28 R22 the layers of mutations are not stored`() async throws {
        let launch = Launch()
        try await launch.fetch(request)
        let store = launch.client.store(for: request)
        store.addLayer(of: UUID()) { $0 += 100 }
        store.setValue(1)
        await launch.client.settled()
        #expect(store.value == 101)
        #expect(await nextLaunch() == fresh)
        let archive = try await launch.client.dehydrate()
        let next = Launch()
        await next.client.hydrate(from: archive)
        #expect(next.client.store(for: request).value == 1)
    }

    @Test func `R28 only settled waits for the cache, and of several values only the newest is written`() async throws {
        let gate = Gate()
        let slow = SpyCache(gates: ["set": gate])
        let request = Number().ttl(.infinity).persisted(in: slow)
        let launch = Launch()
        #expect(try await launch.client.fetch(request) == 1)
        await gate.arrived()
        for value in 2...50 { launch.client.setValue(value, for: request) }
        // The write that `settled()` waits for.
        #expect(launch.client.core.work.count == 1)
        gate.open()
        await launch.client.settled()
        #expect(slow.log == ["get", "set", "set"])
        #expect(await Launch().watch(request) == ["idle", "loading", "50"])
    }

    @Test func `R28 a value that can't be encoded is reported, and the fetch succeeds`() async throws {
        struct Stubborn: Codable, Sendable, Equatable {
            func encode(to encoder: any Encoder) throws { throw TestError("no") }
        }
        struct Unfit: QueryRequest {
            static let storedName = "Unfit"

            func fetch(in context: QueryContext, with continuation: QueryContinuation<Stubborn>) async throws -> Stubborn { Stubborn() }
        }
        let launch = Launch()
        let events = CacheEvents(of: launch.client)
        #expect(try await launch.client.fetch(Unfit().persisted(in: cache)) == Stubborn())
        let event = await events.first(1).first
        #expect(event?.kind == .storageFailed)
        #expect(event?.error as? TestError == TestError("no"))
    }

    @Test func `R28 infinite numbers and nil can be stored and read back`() async throws {
        let key = QueryCacheKey(path: ["a"], type: "a")
        try await cache.set([Double.infinity, -.infinity, 1.5], key: key, ttl: .infinity)
        #expect(try await cache.get([Double].self, key: key)?.value == [.infinity, -.infinity, 1.5])
        try await cache.set(Int?.none, key: key, ttl: .infinity)
        #expect(try await cache.get(Int?.self, key: key)?.value == .some(nil))
    }
}
