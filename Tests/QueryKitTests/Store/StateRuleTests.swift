import Foundation
import QueryKit
import TestSupport
import Testing

struct StateRuleTests {
    @Test func `R1 a first load is idle, loading, then a result, and a refresh keeps the result while it fetches`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        bench.client.refetch(.path(["number", 1]))
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "1", "1 fetching", "2"])
        subscription.cancel()
    }

    @Test func `R1 a refetch without a value so far is shown as loading again`() async {
        let bench = TestBench { call in
            if call.number == 1 { throw QueryError(.invalidParameters, "no") }
            return call.number
        }
        let store = bench.client.store(for: Number())
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        store.invalidate()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "failed(invalidParameters: no) 1x", "loading invalidated", "2"])
        subscription.cancel()
    }

    @Test func `R2 a failure keeps the value and leaves the store stale`() async throws {
        let bench = TestBench { call in
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        #expect(try await store.fetch() == 1)
        #expect(!store.isStale)
        await #expect(throws: TestError.self) { try await store.fetch() }
        #expect(store.value == 1)
        #expect(store.error is TestError)
        #expect(store.status.failure is TestError)
        #expect(store.isStale)
        #expect(try await store.fetch() == 3)
        #expect(store.error == nil)
    }

    @Test func `R2 a refresh after a failure keeps showing the failure and the value until it ends`() async throws {
        let bench = TestBench { call in
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number())
        _ = try await store.fetch()
        _ = try? await store.fetch()
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["failed(broken) had 1 1x", "failed(broken) had 1 fetching", "3"])
        subscription.cancel()
    }

    @Test func `R3 not loaded differs from loaded but empty`() async throws {
        struct Empty: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] { [] }
        }
        let bench = TestBench()
        let store = bench.client.store(for: Empty())
        #expect(store.status.isIdle)
        #expect(store.value == nil)
        _ = try await store.fetch()
        #expect(store.status == .result(.success([])))
        #expect(store.value == [])
    }

    @Test func `R3 an optional value of nil counts as a result`() async throws {
        struct Nothing: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Int?>) async throws -> Int? { nil }
        }
        let client = TestBench().client
        let store = client.store(for: Nothing().ttl(.infinity))
        #expect(try await store.fetch() == nil)
        guard case .result(.success(nil)) = store.status else {
            Issue.record("The status is \(store.status)")
            return
        }
        #expect(!store.isStale)
    }

    @Test func `R4 each published state is numbered one higher than the last`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let revisions = Recorder<Int>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in revisions.note(state.revision) })
        await bench.client.settled()
        store.setValue(7)
        store.invalidate()
        await bench.client.settled()
        store.cancel()
        store.reset()
        await bench.client.settled()
        #expect(revisions.all == Array(0..<revisions.count))
        #expect(revisions.count > 6)
        subscription.cancel()
    }

    @Test func `R4 each published state carries its cause`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        let causes = Recorder<QueryCause>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in causes.note(state.cause) })
        await bench.client.settled()
        #expect(causes.take() == [.created, .subscribed, .subscribed])
        bench.client.invalidate("number/**")
        await bench.client.settled()
        #expect(causes.take() == [.invalidated("number/**"), .invalidated("number/**")])
        store.setValue(100)
        #expect(causes.take() == [.written])
        _ = try await store.fetch()
        #expect(causes.take() == [.manual, .manual])
        store.reset()
        await bench.client.settled()
        #expect(causes.take() == [.reset, .reset, .reset])
        subscription.cancel()
    }

    @Test func `R5 an equal value does not notify, but updates the time`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        store.setValue(1)
        let before = store.state
        bench.clock.advance(by: .seconds(10))
        store.setValue(1)
        #expect(seen.all == ["idle", "1"])
        #expect(store.revision == before.revision)
        #expect(store.valueUpdatedAt == before.valueUpdatedAt?.addingTimeInterval(10))
        #expect(store.valueUpdateCount == 2)
        store.setValue(2)
        #expect(seen.all == ["idle", "1", "2"])
        subscription.cancel()
    }

    @Test func `R5 an equal value notifies when it also ends an invalidation or a failure`() async {
        let bench = TestBench()
        let store = bench.client.store(for: Number().enabled(false))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        store.setValue(1)
        store.invalidate()
        store.setValue(1)
        store.setResult(to: .failure(TestError()))
        store.setValue(1)
        #expect(seen.all == ["idle", "1", "1 invalidated", "1", "failed(broken) had 1", "1"])
        subscription.cancel()
    }

    @Test func `R5 notifyEqual and values that are not Equatable always notify`() {
        struct Opaque: Sendable {}
        struct OpaqueRequest: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<Opaque>) async throws -> Opaque { Opaque() }
        }
        let bench = TestBench()
        let number = bench.client.store(for: Number().enabled(false).notifyEqual())
        let opaque = bench.client.store(for: OpaqueRequest().enabled(false))
        let count = Recorder<Int>()
        let subscriptions = [
            number.subscribe(with: QueryEventHandler { _, _ in count.note(1) }),
            opaque.subscribe(with: QueryEventHandler { _, _ in count.note(2) }),
        ]
        for _ in 0..<2 {
            number.setValue(1)
            opaque.setValue(Opaque())
        }
        #expect(count.all == [1, 2, 1, 2, 1, 2])
        for subscription in subscriptions { subscription.cancel() }
    }
}
