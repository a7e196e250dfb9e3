import TestSupport
import Testing

@testable import QueryKit

/// The capacity of a client's tables after most of its stores were removed.
struct ShrinkingTests {
    private static func fill(_ client: QueryClient, _ count: Int) {
        for id in 0..<count { client.setValue(id, for: Number(id)) }
    }

    @Test func `R15 the tables shrink after all stores were removed`() async {
        let client = TestBench().client
        Self.fill(client, 6_000)
        #expect(client.core.state.withLock { $0.registry.capacity } >= 6_000)
        client.clear()
        await client.settled()
        #expect(await reaches { client.core.state.withLock { $0.registry.capacity } < 2_048 })
        #expect(client.core.state.withLock { $0.pendingChanges.capacity } < 2_048)
        #expect(client.storeCount == 0)
        Self.fill(client, 100)
        #expect(client.stores(matching: .all).count == 100)
        #expect(client.value(for: Number(99)) == 99)
    }

    @Test func `R15 the tables shrink when only a few stores remain, and those keep their values`() async {
        let client = TestBench().client
        Self.fill(client, 6_000)
        let kept = (0..<10).map { client.store(for: Number($0)) }
        let subscriptions = kept.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        for id in 10..<6_000 { client.remove(.path(Number(id).path)) }
        await client.settled()
        #expect(await reaches { client.core.state.withLock { $0.registry.capacity } < 3_000 })
        #expect(client.storeCount == 10)
        Self.fill(client, 2_000)
        #expect(client.storeCount == 2_000)
        #expect(kept.map(\.value) == (0..<10).map { $0 })
        #expect(kept == (0..<10).map { client.store(for: Number($0)) })
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `R15 the tables shrink even if slots at their end were reused`() async {
        let client = TestBench().client
        Self.fill(client, 5_000)
        for id in 4_900..<5_000 { client.remove(.path(Number(id).path)) }
        await client.settled()
        Self.fill(client, 5_000)
        #expect(client.core.state.withLock { $0.registry.capacity } == 5_000)
        client.clear()
        await client.settled()
        #expect(await reaches { client.core.state.withLock { $0.registry.capacity } < 2_048 })
    }

    @Test func `R15 the table of pending changes shrinks when all stores have taken theirs`() async {
        let client = TestBench().client
        Self.fill(client, 2_000)
        client.invalidate("number/*", refetch: .none)
        await client.settled()
        #expect(await reaches { client.core.state.withLock { $0.pendingChanges.isEmpty && $0.pendingChanges.capacity < 1_024 } })
        #expect(client.stores(matching: .all).allSatisfy { $0.isStale })
    }

    @Test func `R15 the table of retired stores shrinks when they have been deallocated`() async {
        let bench = TestBench()
        let core = bench.client.core
        Self.fill(bench.client, 2_000)
        var stores = (0..<2_000).map { bench.client.store(for: Number($0)) }
        bench.clock.advance(by: .seconds(86_400))
        await bench.client.settled()
        #expect(core.state.withLock { $0.registry.retired.count } == stores.count)
        stores = []
        #expect(await reaches { core.state.withLock { $0.registry.retired.capacity } < 1_024 })
    }

    @Test func `R15 observers that come and go leave few vacant places beside those that stay`() async {
        let client = TestBench().client
        let store = client.store(for: Number(1))
        store.setValue(1)
        let staying = (0..<50).map { _ in store.subscribe(with: QueryEventHandler { _, _ in }) }
        for _ in 0..<1_000 { store.subscribe(with: QueryEventHandler { _, _ in }).cancel() }
        #expect(store.core.contents.withLock { $0.outbox.registrations.count } <= 2 * staying.count + 2)
        for subscription in staying { subscription.cancel() }
        #expect(store.core.contents.withLock { $0.outbox.registrations.isEmpty })
        await client.settled()
    }

    @Test func `a slot that is created again is distinguished from the dropped one`() async {
        let client = TestBench().client
        Self.fill(client, 5_000)
        let tickets = client.core.stores(matching: .all).map(\.ticket)
        client.clear()
        await client.settled()
        // A task may still hold stores that it has visited. Until it ends, they keep their slots, and would be listed again.
        #expect(await reaches { client.core.state.withLock { $0.registry.capacity < 2_048 && $0.registry.retired.isEmpty } })
        Self.fill(client, 5_000)
        let isKnown = client.core.state.withLock { state in tickets.contains { state.registry.isCurrent($0) } }
        #expect(!isKnown)
    }

    @Test func `a hash index shrinks and still finds its remaining entries`() {
        var index = HashIndex()
        for number in UInt32(0)..<50_000 { index.insert(number, hash: Int(number) &* 2_654_435_761) }
        for number in UInt32(100)..<50_000 { index.remove(number, hash: Int(number) &* 2_654_435_761) }
        #expect(index.capacity <= 2_048)
        #expect((UInt32(0)..<100).allSatisfy { number in index.find(Int(number) &* 2_654_435_761) { $0 == number } == number })
        #expect(index.find(Int(100) &* 2_654_435_761) { $0 == 100 } == nil)
    }
}
