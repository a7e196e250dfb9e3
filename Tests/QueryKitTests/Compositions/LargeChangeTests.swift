import Foundation
import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// What happens to stores after a change of all stores, before the client's task has notified them.
    struct LargeChangeTests {
        /// A change of all stores.
        enum Kind: CaseIterable, Sendable {
            case cleared, removed, reset, newSession

            func carryOut(_ client: QueryClient) {
                switch self {
                case .cleared: client.clear()
                case .removed: client.remove("number/*")
                case .reset: client.reset(.all)
                case .newSession: client.reset(session: "b")
                }
            }
        }

        /// A client with stores 1 to 40. A change of all stores notifies 8 on its caller, then stops at the ninth until `goOn`.
        private struct Bench {
            static let last = Number(40)
            let client = TestBench().client
            private let isStopping = Lock(true)
            private let stop = DispatchSemaphore(value: 0)
            private let subscriptions: [QuerySubscription]

            init() {
                for id in 1...40 { client.setValue(id, for: Number(id)) }
                let (client, isStopping, stop) = (client, isStopping, stop)
                subscriptions = (1...9).map { id in
                    let isSeen = Lock(false)
                    return client.store(for: Number(id).ttl(.infinity).enabled(false)).subscribe(
                        with: QueryEventHandler { _, _ in
                            guard isSeen.exchange(true) else { return }
                            if id == 9 { return isStopping.withLock { $0 } ? stop.wait() : () }
                            let end = ContinuousClock.now + .microseconds(300)
                            while ContinuousClock.now < end {}
                        }
                    )
                }
            }

            /// Lets the client's task notify the other stores.
            func goOn() async {
                isStopping.withLock { $0 = false }
                stop.signal()
                await client.settled()
                withExtendedLifetime(subscriptions) {}
            }
        }

        @Test(arguments: Kind.allCases) func `R29 a value written after a change of all stores is kept`(_ kind: Kind) async {
            let bench = Bench()
            kind.carryOut(bench.client)
            #expect(bench.client.value(for: Bench.last) == nil)
            bench.client.setValue(7, for: Bench.last)
            await bench.goOn()
            #expect(bench.client.value(for: Bench.last) == 7)
            #expect(bench.client.value(for: Number(39)) == nil)
        }

        @Test(arguments: Kind.allCases) func `R29 a store created after a change of all stores is not affected by it`(_ kind: Kind) async {
            let bench = Bench()
            // The new store takes the slot of one that was released before the change.
            bench.client.setValue(41, for: Number(41))
            bench.client.remove(.path(Number(41).path))
            kind.carryOut(bench.client)
            let made = bench.client.store(for: Number(42))
            #expect(made.core.ticket.slot == 40)
            await bench.goOn()
            #expect(made.state.revision == 0)
            #expect(bench.client.stores(matching: .path(Number(42).path)).count == 1)
        }

        @Test func `R29 a store created after an invalidation of all stores is not invalidated`() async {
            let bench = Bench()
            // The new store takes the slot of one that was released before the change.
            bench.client.setValue(41, for: Number(41))
            bench.client.remove(.path(Number(41).path))
            bench.client.invalidate(.all, refetch: .none)
            let made = bench.client.store(for: Number(42))
            #expect(made.core.ticket.slot == 40)
            #expect(!made.state.isInvalidated)
            await bench.goOn()
            #expect(!made.state.isInvalidated)
        }

        @Test func `R29 a later change of one store takes effect after the change of all`() async {
            let bench = Bench()
            let store = bench.client.store(for: Bench.last)
            bench.client.clear()
            bench.client.invalidate(Bench.last, refetch: .none)
            #expect(store.value == nil)
            #expect(store.state.isInvalidated)
            await bench.goOn()
        }

        @Test func `R29 an earlier change of one store takes effect before the change of all`() async {
            let bench = Bench()
            let store = bench.client.store(for: Bench.last)
            bench.client.invalidate("number/*", refetch: .none)
            bench.client.clear()
            #expect(store.value == nil)
            await bench.goOn()
            #expect(!store.state.isInvalidated)
        }

        @Test func `R29 R17 all stores are stale as soon as all are invalidated`() async {
            let bench = Bench()
            let store = bench.client.store(for: Bench.last.ttl(.infinity))
            let read = bench.client.core.latestChange
            #expect(!store.isStale)
            #expect(!bench.client.core.hasChanged(store.core.ticket, since: read))
            let refetches = bench.client.invalidate(.all)
            #expect(store.isStale && store.state.isInvalidated)
            #expect(bench.client.core.hasChanged(store.core.ticket, since: read))
            await bench.goOn()
            #expect(store.value == 40 && store.isStale)
            #expect(await refetches.finished().isEmpty)
        }

        @Test func `R16 a retired store is not affected by an invalidation of all stores and keeps its state when it is revived`() async {
            let bench = Bench()
            let client = bench.client
            let held = client.store(for: Bench.last)
            client.remove(.path(Bench.last.path))
            #expect(client.storeCount == 39)
            let revision = held.state.revision
            client.invalidate(.all, refetch: .none)
            #expect(!held.state.isInvalidated)
            let again = client.store(for: Bench.last)
            #expect(client.storeCount == 40)
            #expect(!again.state.isInvalidated)
            await bench.goOn()
            #expect(!again.state.isInvalidated && again.state.revision == revision)
            client.invalidate(.all, refetch: .none)
            #expect(again.state.isInvalidated)
        }

        @Test func `R27 a snapshot of 1,500 stores contains each store once`() {
            let client = TestBench().client
            for id in 1...1_500 { client.setValue(id, for: Number(id)) }
            #expect(Set(client.snapshot().stores.map(\.path)).count == 1_500)
            #expect(client.snapshot().stores.count == 1_500)
        }
    }
}
