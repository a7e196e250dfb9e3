import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A store can outlive its client, but its triggers, polling and runs end with the client.
    struct ClientDeathTests {
        /// An observed store whose client was deallocated.
        private struct Orphan {
            let store: QueryStore<Number.State>
            let subscription: QuerySubscription
            let backend: Backend
            let clock: ManualClock

            init(
                network: ManualNetworkObserver? = nil,
                _ request: some QueryRequest<Int, Number.State>,
                before death: (QueryClient) async -> Void = { _ in }
            ) async {
                let bench = TestBench(network: network)
                backend = bench.backend
                clock = bench.clock
                store = bench.client.store(for: request)
                subscription = store.record(Recorder())
                await bench.client.settled()
                await death(bench.client)
            }

            /// Whether the backend is fetched more than `count` times, now or a little later.
            func fetchesAgain(after count: Int) async -> Bool { await reaches(within: .milliseconds(100)) { backend.count > count } }
        }

        @Test func `R20 polling stops when the client is deallocated`() async {
            let orphan = await Orphan(Number(1).polling(every: .seconds(10)))
            orphan.clock.advance(by: .seconds(60))
            let fetches = await orphan.fetchesAgain(after: 1)
            #expect(!fetches)
            orphan.subscription.cancel()
        }

        @Test func `R20 a trigger stops when the client is deallocated`() async {
            let bell = Bell()
            let orphan = await Orphan(Number(1).refetch(on: bell.trigger))
            bell.ring()
            let fetches = await orphan.fetchesAgain(after: 1)
            #expect(!fetches)
            #expect(bell.listenerCount == 0)
            orphan.subscription.cancel()
        }

        @Test func `R20 reconnecting fetches nothing after the client was deallocated`() async {
            let network = ManualNetworkObserver()
            let orphan = await Orphan(network: network, Number(1).refetch(on: .reconnect))
            network.set(isOnline: false)
            network.set(isOnline: true)
            let fetches = await orphan.fetchesAgain(after: 1)
            #expect(!fetches)
            orphan.subscription.cancel()
        }

        @Test func `R20 a postponed trigger does not fire after the client was deallocated`() async {
            let bell = Bell()
            let orphan = await Orphan(Number(1).refetch(on: bell.trigger)) { client in
                bell.ring()
                bell.ring()
                await client.settled()
            }
            let count = orphan.backend.count
            orphan.clock.advance(by: .seconds(1))
            let fetches = await orphan.fetchesAgain(after: count)
            #expect(!fetches)
            orphan.subscription.cancel()
        }

        @Test func `R20 subscribing after the client was deallocated starts no triggers`() async {
            let bell = Bell()
            let orphan = await Orphan(Number(1).refetch(on: bell.trigger))
            orphan.subscription.cancel()
            let subscription = orphan.store.record(Recorder())
            #expect(bell.listenerCount == 0)
            subscription.cancel()
        }

        @Test func `R20 an invalidation on a trigger stops when the client is deallocated`() async {
            let bell = Bell()
            let subscriptions = Lock<Set<QuerySubscription>>([])
            let orphan = await Orphan(Number(1).ttl(.infinity)) { client in
                let subscription = client.invalidate("**", on: bell.trigger)
                subscriptions.withLock { _ = $0.insert(subscription) }
            }
            bell.ring()
            #expect(await !orphan.fetchesAgain(after: 1))
            #expect(!orphan.store.isInvalidated)
            orphan.subscription.cancel()
        }

        @Test func `R7 a run and its retries stop when the client is deallocated`() async throws {
            let clock: ManualClock
            let backend: Backend
            let subscription: QuerySubscription
            do {
                let bench = TestBench { _ in throw TestError() }
                (clock, backend) = (bench.clock, bench.backend)
                subscription = bench.client.store(for: Number(1).retry(limit: 5, backoff: .constant(.seconds(1)))).record(Recorder())
                await bench.client.settled()
            }
            for _ in 0..<5 {
                clock.advance(by: .seconds(1))
                await reaches(within: .milliseconds(20)) { backend.count > 1 }
            }
            #expect(backend.count == 1)
            subscription.cancel()
        }

        @Test func `R20 a dependent request stops following its dependency when the client is deallocated`() async {
            let orphan: Orphan
            let other: QueryStore<Number.State>
            do {
                let held = Lock<QueryStore<Number.State>?>(nil)
                orphan = await Orphan(Number(2).ttl(.infinity).dependent(on: Number(1).ttl(.infinity))) { client in
                    await client.settled()
                    held.withLock { $0 = client.store(for: Number(1)) }
                }
                guard let store = held.withLock({ $0 }) else { return }
                other = store
            }
            let count = orphan.backend.count
            other.setValue(100)
            let fetches = await orphan.fetchesAgain(after: count)
            #expect(!fetches)
            orphan.subscription.cancel()
        }
    }
}
