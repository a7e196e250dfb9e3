import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct PageRegionTests {
    /// A store with an observer, whose second run has started to track changes per page.
    private func observed(_ reading: Reading, pages count: Int = 4) async throws -> (QueryStore<Shelf.State>, QuerySubscription) {
        let store = try await reading.store(pages: count)
        let subscription = store.observe()
        await reading.client.settled()
        _ = reading.library.take()
        return (store, subscription)
    }

    @Test func `R18 R25 a change of only what page 3 read runs only page 3 again`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading)
        reading.library.set(3, [33, 34])
        reading.client.changed([Library.region(3)])
        await reading.client.settled()
        #expect(reading.library.take() == [3])
        #expect(store.value?.items == [10, 11, 20, 21, 33, 34, 40, 41])
        #expect(!store.isInvalidated)
        // The index is complete: changes still reach the pages that were kept and the one that ran.
        for id in [1, 3, 4] {
            reading.client.changed([Library.region(id)], cause: .otherProcess)
            await reading.client.settled()
            #expect(reading.library.take() == [id])
        }
        reading.client.changed([Library.region(9)])
        await reading.client.settled()
        #expect(reading.library.take() == [])
        subscription.cancel()
    }

    @Test func `R18 R25 a change of several pages or of the whole source runs all affected pages again`() async throws {
        let reading = Reading()
        let (_, subscription) = try await observed(reading)
        reading.client.changed([Library.region(4), Library.region(2)])
        await reading.client.settled()
        #expect(reading.library.take() == [2, 4])
        reading.client.changed([QueryRegion(source: "library")])
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3, 4])
        subscription.cancel()
    }

    @Test func `R18 R25 pages added later have their own regions, and adding a page keeps the regions of the others`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 2)
        try await store.fetchNextPage()
        try await store.fetchPage(1)
        _ = reading.library.take()
        for id in [1, 2, 3] {
            reading.client.changed([Library.region(id)])
            await reading.client.settled()
            #expect(reading.library.take() == [id])
        }
        subscription.cancel()
    }

    @Test func `R25 pages are kept only in a run caused by a region change`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        // Each of these refetches all pages, even if a region changes before or after.
        let changed = { reading.client.changed([Library.region(2)]) }
        for ask in [
            {
                store.invalidate()
                changed()
            },
            {
                reading.client.refetch("**")
                changed()
            },
        ] {
            ask()
            gate.open()
            await reading.client.settled()
            #expect(reading.library.take().prefix(3) == [1, 2, 3])
        }
        _ = try await store.fetch()
        #expect(reading.library.take() == [1, 2, 3])
        subscription.cancel()
    }

    @Test func `R17 R25 a caller that waits for the run after a change gets all pages fetched again`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        reading.client.changed([Library.region(1)])
        await gate.arrived()
        reading.client.changed([Library.region(2)])
        let fetch = Task { try await store.fetch() }
        while store.core.contents.withLock({ $0.machine.run?.nextWaiters }) != 1 { await Task.yield() }
        _ = reading.library.take()
        gate.open()
        _ = try await fetch.value
        #expect(reading.library.take() == [1, 2, 3])
        subscription.cancel()
    }

    @Test func `R18 R25 a change that was only marked is not forgotten when a page is added`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        subscription.cancel()
        // Without an observer, the change only marks.
        reading.client.changed([Library.region(1)])
        let gate = Gate()
        reading.library.behave { id, _ in if id == 4 { try await gate.pass() } }
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        // A caller waits, so this change causes a run.
        reading.client.changed([Library.region(2)])
        gate.open()
        _ = try await next.value
        await reading.client.settled()
        #expect(reading.library.take() == [4, 1, 2])
        #expect(store.ids == [1, 2, 3, 4] && !store.isInvalidated)
    }

    @Test func `R18 R25 the next run fetches the pages that a failed run should have fetched`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        let impatient = reading.client.store(for: Shelf().ttl(.infinity).retry(limit: 0)).observe()
        reading.library.behave { _, _ in throw TestError() }
        reading.client.changed([Library.region(1)])
        await reading.client.settled()
        #expect(store.state.error is TestError)
        reading.library.behave { _, _ in }
        _ = reading.library.take()
        reading.client.changed([Library.region(3)])
        await reading.client.settled()
        #expect(reading.library.take() == [1, 3])
        impatient.cancel()
        subscription.cancel()
    }

    @Test func `R18 R25 if a page has a new next page, the pages after it are fetched again`() async throws {
        let reading = Reading()
        for (id, next) in [(1, 2), (2, 3), (3, 4), (4, 0), (7, 3)] { reading.library.set(id, [next]) }
        let chain = reading.client.store(for: Chain())
        for _ in 0..<4 { try await chain.fetchNextPage() }
        let subscription = chain.observe()
        await reading.client.settled()
        _ = reading.library.take()
        reading.library.set(1, [7])
        reading.client.changed([Library.region(1)])
        await reading.client.settled()
        #expect(chain.ids == [1, 7, 3, 4])
        #expect(reading.library.take() == [1, 7, 3, 4])
        // If the list ends earlier, the later pages are dropped.
        reading.library.set(7, [0])
        reading.client.changed([Library.region(7)])
        await reading.client.settled()
        #expect(chain.ids == [1, 7])
        #expect(reading.library.take() == [7])
        subscription.cancel()
    }

    @Test func `R18 R25 a page whose regions are unknown runs again with every change`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        store.updateValue { pages in
            pages = QueryPages(
                pages.map { $0.id == 2 ? QueryPage(id: 2, value: [22, 23]) : $0 },
                nextPageID: pages.nextPageID
            )
        }
        try await store.fetchNextPage()
        _ = reading.library.take()
        reading.client.changed([Library.region(4)])
        await reading.client.settled()
        #expect(reading.library.take() == [2, 4])
        subscription.cancel()
    }

    @Test func `R18 R25 written pages keep reacting to changes after a page is added`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 2)
        store.updateValue { $0 = QueryPages($0.map { QueryPage(id: $0.id, value: $0.value + [0]) }, nextPageID: 3) }
        try await store.fetchNextPage()
        _ = reading.library.take()
        reading.client.changed([Library.region(1)])
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2])
        subscription.cancel()
    }

    @Test func `R18 R25 a change of a page that a window has dropped causes no run`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(maxPages: 2), pages: 4)
        #expect(store.ids == [3, 4])
        for id in [1, 2] { reading.client.changed([Library.region(id)]) }
        #expect(!store.isInvalidated)
        reading.client.changed([Library.region(3)])
        #expect(store.isInvalidated)
    }

    @Test func `R18 R25 pages of a written list react to changes once a page has been added`() async throws {
        let (reading, other) = (Reading(), Reading())
        let store = try await reading.store(pages: 1)
        store.setValue(try #require(try await other.store(pages: 3).value))
        try await store.fetchNextPage()
        reading.client.changed([Library.region(5)])
        #expect(!store.isInvalidated)
        reading.client.changed([Library.region(2)])
        #expect(store.isInvalidated)
    }

    @Test func `R13 R25 pages kept by a run keep their age`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf().ttl(.seconds(60)))
        for _ in 0..<3 { try await store.fetchNextPage() }
        let subscription = store.observe()
        // The first run of all pages starts to track changes, as the first page did.
        reading.clock.advance(by: .seconds(50))
        reading.client.changed([Library.region(2)])
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3, 2])
        #expect(!store.isStale)
        reading.clock.advance(by: .seconds(10))
        #expect(store.isStale)
        reading.client.changed([QueryRegion(source: "library")])
        await reading.client.settled()
        #expect(!store.isStale)
        subscription.cancel()
    }

    @Test func `R19 R25 after a write during a run all pages are fetched again`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        reading.client.changed([Library.region(3)])
        await gate.arrived()
        reading.client.changed([Library.region(3)])
        store.updateValue { $0.updatePage(1) { $0[0] = 99 } }
        _ = reading.library.take()
        gate.open()
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3])
        #expect(store.value?.items == [10, 11, 20, 21, 30, 31])
        subscription.cancel()
    }

    @Test func `R25 R28 after an archive has replaced the pages, any change fetches all of them again`() async throws {
        let reading = Reading()
        let (store, subscription) = try await observed(reading, pages: 3)
        let other = Reading()
        other.clock.advance(by: .seconds(5))
        let pages = try #require(store.value)
        other.client.setValue(pages, for: Shelf().archived())
        other.client.store(for: Shelf()).updateValue { $0.updatePage(1) { $0[0] = 99 } }
        reading.clock.advance(by: .seconds(10))
        _ = reading.client.store(for: Shelf().archived())
        await reading.client.hydrate(from: try await other.client.dehydrate(), replacing: .olderValues)
        #expect(store.value?.items == [99, 11, 20, 21, 30, 31])
        reading.client.changed([Library.region(3)])
        await reading.client.settled()
        #expect(reading.library.take() == [1, 2, 3])
        #expect(store.value?.items == [10, 11, 20, 21, 30, 31])
        subscription.cancel()
    }
}
