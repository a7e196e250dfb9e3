import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// An object whose deallocation is observed through a weak reference.
private final class TrackedObject: Sendable {}

struct LeakTests {
    @Test func `deallocating a client deallocates its stores`() async throws {
        weak var client: QueryClient?
        weak var store: StoreCore?
        do {
            let bench = TestBench()
            client = bench.client
            _ = try await bench.client.fetch(Number())
            store = bench.client.store(for: Number()).core
            #expect(store != nil)
        }
        #expect(client == nil)
        #expect(store == nil)
    }

    @Test func `deallocating a client ends its runs, and their callers get CancellationError`() async throws {
        let gate = Gate()
        weak var client: QueryClient?
        let task: Task<Int, any Error>
        do {
            let bench = TestBench { _ in
                try await gate.pass()
                return 1
            }
            client = bench.client
            let store = bench.client.store(for: Number())
            task = Task { try await store.fetch() }
            await gate.arrived()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(client == nil)
    }

    @Test func `a store that outlives its client can still be read and fetched`() async throws {
        let store: QueryStore<QueryState<Int?, Int>>
        let clock: ManualClock
        do {
            let bench = TestBench()
            clock = bench.clock
            store = bench.client.store(for: Number().retry(limit: 1, backoff: .constant(.seconds(1))))
            _ = try await store.fetch()
        }
        #expect(store.value == 1)
        #expect(store.context.queryClient == nil)
        #expect(try await store.fetch() == 2)
        store.setValue(9)
        let subscription = store.record(Recorder())
        subscription.cancel()
        store.reset()
        #expect(clock.alarmCount == 0)
    }

    @Test func `a removed store is deallocated if nothing references it`() async throws {
        let client = TestBench().client
        weak let store = client.store(for: Number()).core
        client.setValue(1, for: Number())
        #expect(store != nil)
        client.clear()
        #expect(store == nil)
    }

    @Test func `an expired store is deallocated`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number())
        weak let store = bench.client.store(for: Number()).core
        #expect(store != nil)
        bench.clock.advance(by: .seconds(300))
        #expect(store == nil)
    }

    @Test func `a cancelled subscription is removed from its store`() {
        let client = TestBench().client
        let store = client.store(for: Number().enabled(false))
        weak var tracked: TrackedObject?
        let subscription: QuerySubscription
        do {
            let object = TrackedObject()
            tracked = object
            subscription = store.subscribe(with: QueryEventHandler { _, _ in _ = object })
        }
        #expect(tracked != nil)
        store.setValue(1)
        subscription.cancel()
        // The subscription itself still holds its handler, but the store does not.
        withExtendedLifetime(subscription) { #expect(store.subscriberCount == 0) }
    }

    @Test func `deallocating a subscription releases its handler`() {
        let client = TestBench().client
        let store = client.store(for: Number().enabled(false))
        weak var tracked: TrackedObject?
        do {
            let object = TrackedObject()
            tracked = object
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in _ = object })
            store.setValue(1)
            withExtendedLifetime(subscription) {}
        }
        #expect(tracked == nil)
    }

    @Test func `a value that was replaced, reset or cleared is released`() async throws {
        struct Thing: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<TrackedObject>) async throws -> TrackedObject {
                TrackedObject()
            }
        }
        let bench = TestBench()
        let store = bench.client.store(for: Thing())
        for end in [{ store.setValue(TrackedObject()) }, { store.reset() }, { bench.client.clear() }] {
            _ = try await store.fetch()
            weak let tracked = store.value
            #expect(tracked != nil)
            end()
            // The task of a run ends shortly after its callers were resumed.
            #expect(await soon { tracked == nil })
        }
    }

    @Test func `a run releases its context when it succeeds, fails or is cancelled`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            switch call.id {
            case 1: return 1
            case 2: throw TestError()
            default:
                try await gate.pass()
                return 1
            }
        }
        for id in 1...3 {
            weak var tracked: TrackedObject?
            do {
                let object = TrackedObject()
                tracked = object
                var context = bench.client.context
                context[TrackedObjectKey.self] = object
                let store = bench.client.store(for: Number(id))
                let task = Task { [context] in try await store.fetch(using: context) }
                if id == 3 {
                    await gate.arrived()
                    task.cancel()
                }
                _ = await task.result
                await bench.client.settled()
            }
            // The task of a cancelled run ends shortly after its callers were resumed.
            #expect(await soon { tracked == nil })
        }
    }

    @Test func `a context does not keep its client alive`() {
        var context: QueryContext?
        weak var client: QueryClient?
        do {
            let bench = TestBench()
            client = bench.client
            context = bench.client.context
        }
        #expect(client == nil)
        #expect(context?.queryClient == nil)
    }

    @Test func `stores that are created and removed repeatedly leave nothing in the registry`() async throws {
        let bench = TestBench()
        for round in 0..<10 {
            for id in 0..<100 { bench.client.setValue(id, for: Number(round * 100 + id)) }
            if round.isMultiple(of: 2) { bench.client.clear() } else { bench.clock.advance(by: .seconds(300)) }
            await bench.client.settled()
            #expect(bench.client.storeCount == 0)
            #expect(bench.client.byteCount == 0)
            #expect(bench.client.stores(matching: .all).isEmpty)
        }
    }
}

private enum TrackedObjectKey: QueryContext.Key {
    static var defaultValue: TrackedObject? { nil }
}
