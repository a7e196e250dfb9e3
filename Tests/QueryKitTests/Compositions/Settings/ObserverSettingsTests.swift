import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// Settings that belong to each observer, and those that are combined while there are several.
    struct ObserverSettingsTests {
        private typealias Store = QueryStore<Number.State>

        private func bench(_ behavior: @escaping Backend.Behavior = { $0.number }) -> TestBench { TestBench(behavior) }

        // MARK: Per observer

        @Test func `R30 a second handle without a ttl does not change the first one's freshness`() async throws {
            let client = bench().client
            let fresh = client.store(for: Number(1).ttl(.seconds(60)))
            _ = try await fresh.fetch()
            let other = client.store(for: Number(1).placeholder(0))
            #expect(!fresh.isStale)
            #expect(other.isStale)
        }

        @Test func `R30 each handle has its own ttl`() async throws {
            let bench = bench()
            let short = bench.client.store(for: Number(1).ttl(.seconds(1)))
            let long = bench.client.store(for: Number(1).ttl(.seconds(60)))
            _ = try await long.fetch()
            bench.clock.advance(by: .seconds(10))
            #expect(short.isStale)
            #expect(!long.isStale)
        }

        @Test func `R30 a trigger uses the ttl of the observer that set it`() async throws {
            let bell = Bell()
            let bench = bench()
            let first = bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder())
            await bench.client.settled()
            let second = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
            await bench.client.settled()
            bell.ring()
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            for subscription in [first, second] { subscription.cancel() }
        }

        @Test func `R30 a placeholder is shown only by the handle that set it`() {
            let client = bench().client
            let with = client.store(for: Number(1).placeholder(7))
            let without = client.store(for: Number(1))
            #expect(with.value == 7)
            #expect(without.value == nil)
        }

        @Test func `R30 a placeholder set by a later handle is shown only by that handle`() {
            let client = bench().client
            let without = client.store(for: Number(1))
            let with = client.store(for: Number(1).placeholder(7))
            #expect(with.value == 7)
            #expect(without.value == nil)
        }

        @Test func `R30 each handle has its own placeholder`() {
            let client = bench().client
            let stores = [7, 8].map { number in client.store(for: Number(1).placeholder(number)) }
            #expect(stores.map(\.value) == [7, 8])
        }

        @Test func `R30 the previous value is shown only by the handle that keeps it`() async throws {
            let client = bench().client
            _ = try await client.fetch(Number(1).keepingPrevious())
            let keeping = client.store(for: Number(2).keepingPrevious())
            let other = client.store(for: Number(2).ttl(.infinity))
            #expect(keeping.value == 1)
            #expect(other.value == nil)
        }

        @Test func `R30 only an observer with notifyEqual receives equal values`() async throws {
            let client = bench().client
            let (loud, quiet) = (Recorder<String>(), Recorder<String>())
            let first = client.store(for: Number(1).enabled(false).notifyEqual()).record(loud)
            let second = client.store(for: Number(1).enabled(false).ttl(.infinity)).record(quiet)
            let store = client.store(for: Number(1))
            store.setValue(1)
            store.setValue(1)
            #expect(loud.all == ["idle", "1", "1"])
            #expect(quiet.all == ["idle", "1"])
            for subscription in [first, second] { subscription.cancel() }
        }

        @Test func `R30 event handlers of two observers are both called`() async throws {
            let client = bench().client
            let seen = Recorder<String>()
            func request(_ name: String) -> some QueryRequest<Int, Number.State> {
                Number(1).enabled(false).onEvent(QueryEventHandler(onResultReceived: { _, _ in seen.note(name) }))
            }
            let first = client.store(for: request("first")).record(Recorder())
            let second = client.store(for: request("second")).record(Recorder())
            client.setValue(1, for: Number(1))
            #expect(Set(seen.take()) == ["first", "second"])
            second.cancel()
            client.setValue(2, for: Number(1))
            #expect(seen.all == ["first"])
            first.cancel()
        }

        // MARK: Combined while observed

        @Test func `R30 a disabled observer does not stop refetches for an enabled one`() async throws {
            let bench = bench()
            let first = bench.client.store(for: Number(1)).record(Recorder())
            await bench.client.settled()
            let second = bench.client.store(for: Number(1).enabled(false)).record(Recorder())
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            second.cancel()
            let count = bench.backend.count
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(bench.backend.count == count + 1)
            first.cancel()
        }

        @Test func `R30 after the enabled observer has left, a disabled one causes no runs`() async throws {
            let bench = bench()
            let disabled = bench.client.store(for: Number(1).enabled(false)).record(Recorder())
            let enabled = bench.client.store(for: Number(1).enabled(true)).record(Recorder())
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            enabled.cancel()
            bench.client.invalidate("number/*")
            await bench.client.settled()
            #expect(bench.backend.count == 1)
            disabled.cancel()
        }

        @Test func `R30 the shortest of several polling intervals applies while its observer exists`() async throws {
            let bench = bench()
            let short = bench.client.store(for: Number(1).polling(every: .seconds(10))).record(Recorder())
            let long = bench.client.store(for: Number(1).polling(every: .seconds(60))).record(Recorder())
            await bench.client.settled()
            let count = bench.backend.count
            bench.clock.advance(by: .seconds(10))
            await bench.client.settled()
            #expect(bench.backend.count == count + 1)
            short.cancel()
            let later = bench.backend.count
            bench.clock.advance(by: .seconds(10))
            await bench.client.settled()
            #expect(bench.backend.count == later)
            bench.clock.advance(by: .seconds(40))
            await bench.client.settled()
            #expect(bench.backend.count == later + 1)
            long.cancel()
        }

        @Test func `R30 polling stops when the observer that set it leaves`() async throws {
            let bench = bench()
            let plain = bench.client.store(for: Number(1)).record(Recorder())
            let polling = bench.client.store(for: Number(1).polling(every: .seconds(10))).record(Recorder())
            await bench.client.settled()
            polling.cancel()
            let count = bench.backend.count
            bench.clock.advance(by: .seconds(60))
            await bench.client.settled()
            #expect(bench.backend.count == count)
            plain.cancel()
        }

        @Test func `R30 triggers of two observers are both active`() async throws {
            let (one, two) = (Bell("one"), Bell("two"))
            let bench = bench()
            let first = bench.client.store(for: Number(1).refetch(on: one.trigger)).record(Recorder())
            let second = bench.client.store(for: Number(1).refetch(on: two.trigger)).record(Recorder())
            await bench.client.settled()
            #expect(one.listenerCount == 1)
            #expect(two.listenerCount == 1)
            second.cancel()
            #expect(one.listenerCount == 1)
            #expect(two.listenerCount == 0)
            first.cancel()
        }

        @Test func `R30 a store has the tags of all its observers`() async throws {
            let client = bench().client
            let stores: [Store] = [
                client.store(for: Number(1).ttl(.infinity).tagged("a")), client.store(for: Number(1).ttl(.infinity).tagged("b")),
            ]
            let subscriptions = stores.map { $0.record(Recorder()) }
            await client.settled()
            client.invalidate(tags: ["b"], refetch: .none)
            #expect(stores[0].isInvalidated)
            stores[0].setValue(5)
            client.invalidate(tags: ["a"], refetch: .none)
            #expect(stores[0].isInvalidated)
            for subscription in subscriptions { subscription.cancel() }
        }

        @Test func `R30 a result is written to the caches of all observers`() async throws {
            let caches = (1...2).map { _ in MemoryQueryCache(clock: ManualClock()) }
            let bench = bench { _ in 9 }
            let subscriptions = caches.map { bench.client.store(for: Number(1).enabled(false).persisted(in: $0)).record(Recorder()) }
            _ = try await bench.client.fetch(Number(1))
            await bench.client.settled()
            for cache in caches {
                let next = TestBench { _ in 0 }
                let value = try await next.client.fetch(Number(1).ttl(.infinity).persisted(in: cache))
                #expect(value == 9)
            }
            for subscription in subscriptions { subscription.cancel() }
        }

        // MARK: Remembered

        @Test func `R30 the longest retention requested so far applies`() async throws {
            let bench = bench()
            for seconds in [10, 600, 20] { _ = try await bench.client.fetch(Number(1).keep(for: .seconds(seconds))) }
            await bench.client.settled()
            bench.clock.advance(by: .seconds(599))
            #expect(bench.client.storeCount == 1)
            bench.clock.advance(by: .seconds(2))
            #expect(bench.client.storeCount == 0)
        }

        @Test func `R30 a request is consistent exactly while one of its observers is`() async {
            let client = bench().client
            let store = client.store(for: Number(1))
            let consistent = client.store(for: Number(1).consistent())
            var subscriptions = [store.record(Recorder()), consistent.record(Recorder()), consistent.record(Recorder())]
            for isConsistent in [true, true, false] {
                #expect(store.core.isConsistent == isConsistent)
                subscriptions.removeLast().cancel()
            }
            #expect(!store.core.isConsistent)
            subscriptions = [consistent.record(Recorder()), store.record(Recorder())]
            subscriptions.removeLast().cancel()
            #expect(store.core.isConsistent)
            subscriptions.removeLast().cancel()
            #expect(!store.core.isConsistent)
            await client.settled()
        }

        @Test func `R30 a request without a retention does not lengthen one that was set`() async throws {
            let bench = bench()
            _ = try await bench.client.fetch(Number(1).keep(for: .seconds(10)))
            _ = try await bench.client.fetch(Number(1).ttl(.zero))
            _ = try await bench.client.fetch(Number(1))
            await bench.client.settled()
            bench.clock.advance(by: .seconds(11))
            #expect(bench.client.storeCount == 0)
        }
    }
}
