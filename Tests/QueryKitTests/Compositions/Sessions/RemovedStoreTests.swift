import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A store that the client has released while a caller still holds it, and whether patterns, regions and tags reach it.
    struct RemovedStoreTests {
        /// Why the client releases a store.
        enum Removal: CaseIterable, Sendable {
            case removed, cleared, expired, shortOfMemory

            func carryOut(_ bench: TestBench) {
                switch self {
                case .removed: bench.client.remove("number/*")
                case .cleared: bench.client.clear()
                case .expired: bench.clock.advance(by: .seconds(301))
                case .shortOfMemory: bench.client.releaseMemory(.critical)
                }
            }
        }

        private func bench(_ source: Source? = nil) -> TestBench {
            TestBench { call in
                _ = source?.read()
                return call.number
            } adjusting: {
                $0.ttl = .infinity
            }
        }

        /// A store that was fetched, released by the client, and looked up again while a caller still held it.
        private func handedOut(_ removal: Removal, _ bench: TestBench) async throws -> QueryStore<Number.State> {
            let held = bench.client.store(for: Number(1))
            _ = try await held.fetch()
            await bench.client.settled()
            removal.carryOut(bench)
            #expect(bench.client.storeCount == 0)
            return withExtendedLifetime(held) { bench.client.store(for: Number(1)) }
        }

        @Test(arguments: Removal.allCases) func `R16 a removed store is listed again when it is looked up`(_ removal: Removal) async throws
        {
            let bench = bench()
            let store = try await handedOut(removal, bench)
            #expect(bench.client.storeCount == 1)
            #expect(bench.client.stores(matching: "number/*").count == 1)
            #expect(bench.client.snapshot().stores.count == 1)
            withExtendedLifetime(store) {}
        }

        @Test(arguments: Removal.allCases) func `R16 a pattern refetches a removed store that was looked up again`(_ removal: Removal)
            async throws
        {
            let bench = bench()
            let store = try await handedOut(removal, bench)
            bench.client.refetch("number/*")
            await bench.client.settled()
            #expect(bench.backend.count == 2)
            #expect(store.value == 2)
        }

        @Test(arguments: Removal.allCases) func `R16 an invalidation marks a removed store that was looked up again`(_ removal: Removal)
            async throws
        {
            let bench = bench()
            let store = try await handedOut(removal, bench)
            bench.client.invalidate("number/*")
            #expect(store.isInvalidated)
        }

        @Test func `R16 a removed store that was looked up again expires again`() async throws {
            let bench = bench()
            let store = try await handedOut(.removed, bench)
            store.setValue(5)
            #expect(bench.client.storeCount == 1)
            bench.clock.advance(by: .seconds(301))
            #expect(bench.client.storeCount == 0)
            #expect(store.value == nil)
        }

        @Test(arguments: Removal.allCases)
        func `R16 a removed store that is fetched again is marked by changes of its source and by patterns`(_ removal: Removal) async throws
        {
            let source = Source()
            let bench = bench(source)
            let store = try await handedOut(removal, bench)
            _ = try await store.fetch()
            source.change(to: 1, in: bench.client)
            #expect(store.isStale)
            _ = try await store.fetch()
            bench.client.invalidate("number/*")
            #expect(store.isStale)
        }

        @Test(arguments: Removal.allCases) func `R16 a removed store observed through a kept handle refetches when its source changes`(
            _ removal: Removal
        ) async throws {
            let source = Source()
            let bench = bench(source)
            let held = bench.client.store(for: Number(1))
            _ = try await held.fetch()
            await bench.client.settled()
            removal.carryOut(bench)
            let subscription = held.record(Recorder())
            await bench.client.settled()
            #expect(bench.client.storeCount == 1)
            source.change(to: 1, in: bench.client)
            await bench.client.settled()
            #expect(held.value == 3 && !held.isStale)
            subscription.cancel()
        }

        @Test(arguments: Removal.allCases) func `R16 a tag invalidates a removed store that was looked up with it`(_ removal: Removal)
            async throws
        {
            let bench = bench()
            let held = bench.client.store(for: Number(1))
            _ = try await held.fetch()
            await bench.client.settled()
            removal.carryOut(bench)
            let store = withExtendedLifetime(held) { bench.client.store(for: Number(1).tagged("t")) }
            _ = try await store.fetch()
            bench.client.invalidate(tags: ["t"])
            #expect(store.isStale)
        }

        @Test func `R16 clear keeps observed stores, resets them and refetches them`() async throws {
            let bench = bench()
            let store = bench.client.store(for: Number(1))
            let seen = Recorder<String>()
            let subscription = store.record(seen)
            await bench.client.settled()
            bench.client.clear()
            #expect(bench.client.storeCount == 1)
            await bench.client.settled()
            #expect(seen.all == ["idle", "loading", "1", "idle", "loading", "2"])
            subscription.cancel()
        }
    }
}
