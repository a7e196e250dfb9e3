import Foundation
import QueryKit
import TestSupport
import Testing

struct FreshnessTests {
    private let bench = TestBench()

    @Test func `R13 a value is fresh until its age reaches the time to live`() async throws {
        let request = Number().ttl(.seconds(60))
        #expect(try await bench.client.fetch(request) == 1)
        bench.clock.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(try await bench.client.fetch(request) == 1)
        bench.clock.advance(by: .nanoseconds(1))
        #expect(bench.client.store(for: Number()).isStale)
        #expect(try await bench.client.fetch(request) == 2)
    }

    @Test func `R13 the default time to live is zero, and a negative one is zero`() async throws {
        #expect(try await bench.client.fetch(Number(1)) == 1)
        #expect(try await bench.client.fetch(Number(1)) == 2)
        #expect(try await bench.client.fetch(Number(2).ttl(.seconds(-5))) == 3)
        #expect(try await bench.client.fetch(Number(2).ttl(.seconds(-5))) == 4)
    }

    @Test func `R13 a value with an infinite time to live never ages, but can be invalidated`() async throws {
        let request = Number().ttl(.infinity).keep(for: .infinity)
        #expect(try await bench.client.fetch(request) == 1)
        bench.clock.advance(by: .seconds(3_000_000_000))
        #expect(try await bench.client.fetch(request) == 1)
        bench.client.invalidate(.all)
        #expect(try await bench.client.fetch(request) == 2)
    }

    @Test func `R13 changes of the wall clock don't affect freshness within a process`() async throws {
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        _ = try await store.fetch()
        bench.clock.setDate(bench.clock.date.addingTimeInterval(-86_400))
        #expect(!store.isStale)
        bench.clock.setDate(bench.clock.date.addingTimeInterval(10 * 86_400))
        #expect(!store.isStale)
        bench.clock.advance(by: .seconds(60))
        #expect(store.isStale)
    }

    @Test func `R13 an initial value has the age of its date`() async {
        let date = bench.clock.date
        let fresh = bench.client.store(for: Number(1).ttl(.seconds(60)), initialValue: 7, updatedAt: date.addingTimeInterval(-59))
        #expect(fresh.status == .result(.success(7)))
        #expect(!fresh.isStale)
        bench.clock.advance(by: .seconds(1))
        #expect(fresh.isStale)
        let old = bench.client.store(for: Number(2).ttl(.seconds(60)), initialValue: 7, updatedAt: date.addingTimeInterval(-61))
        #expect(old.isStale)
        #expect(old.valueUpdatedAt == date.addingTimeInterval(-61))
    }

    @Test func `R13 an initial value dated in the future is stale`() {
        let date = bench.clock.date.addingTimeInterval(3600)
        let store = bench.client.store(for: Number().ttl(.seconds(7200)), initialValue: 7, updatedAt: date)
        #expect(store.isStale)
        #expect(store.value == 7)
    }

    @Test func `an initial value never replaces a result`() async throws {
        _ = try await bench.client.fetch(Number())
        let store = bench.client.store(for: Number(), initialValue: 99, updatedAt: bench.clock.date)
        #expect(store.value == 1)
    }

    @Test func `an initial value without a date is shown but is not a result`() {
        struct Count: QueryRequest {
            typealias State = QueryState<Int, Int>
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 5 }
        }
        let store = bench.client.store(for: Count(), initialValue: 3)
        #expect(store.value == 3)
        #expect(store.initialValue == 3)
        #expect(store.status.isIdle)
        #expect(store.isStale)
        #expect(store.valueUpdatedAt == nil)
    }

    @Test func `R14 subscribing fetches without a result or with a stale one, and not with a fresh one`() async throws {
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        store.record(Recorder()).cancel()
        await bench.client.settled()
        let first = store.record(Recorder())
        await bench.client.settled()
        let count = bench.backend.count
        let second = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == count)
        bench.clock.advance(by: .seconds(60))
        await bench.client.settled()
        #expect(bench.backend.count == count)
        let third = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == count + 1)
        #expect(store.cause == .stale)
        for subscription in [first, second, third] { subscription.cancel() }
    }

    @Test func `R14 a failed result is stale for the next subscriber`() async throws {
        bench.backend.behave { call in
            if call.number == 1 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try? await store.fetch()
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.value == 2)
        subscription.cancel()
    }

    @Test func `R14 a disabled request runs only when it is fetched explicitly`() async throws {
        let isEnabled = Lock(false)
        let store = bench.client.store(for: Number().enabled { _ in isEnabled.withLock { $0 } })
        let one = store.record(Recorder())
        bench.client.refetch(.all)
        await bench.client.settled()
        #expect(bench.backend.count == 0)
        #expect(try await store.fetch() == 1)
        isEnabled.withLock { $0 = true }
        store.invalidate()
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        one.cancel()
    }

    @Test func `R13 prefetch runs only without a fresh value, and stores an error instead of throwing it`() async {
        let bench = TestBench { call in
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let request = Number().ttl(.seconds(60))
        for _ in 0..<2 { await bench.client.prefetch(request) }
        #expect(bench.backend.count == 1)
        #expect(bench.client.value(for: request) == 1)
        bench.clock.advance(by: .seconds(60))
        await bench.client.prefetch(request)
        #expect(bench.backend.count == 2)
        #expect(bench.client.store(for: request).error is TestError)
        #expect(bench.client.value(for: request) == 1)
    }

    @Test func `a request with several conditions is enabled only if all are true`() async {
        let store = bench.client.store(for: Number().enabled(true).enabled(false))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 0)
        subscription.cancel()
    }

    @Test func `R13 R18 a value that is fresh until changed never ages, and a change makes it stale`() async throws {
        let region = QueryRegion(source: "shelf")
        let bench = TestBench { call in
            QueryReads.note([region])
            return call.number
        }
        let store = bench.client.store(for: Number().freshUntilChanged().keep(for: .infinity))
        _ = try await store.fetch()
        bench.clock.advance(by: .seconds(1_000_000))
        #expect(!store.isStale)
        bench.client.changed([region])
        #expect(store.isStale)
    }
}
