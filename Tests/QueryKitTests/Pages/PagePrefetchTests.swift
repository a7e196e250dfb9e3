import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct PagePrefetchTests {
    @Test func `R25 prefetched pages are fetched one after the other, and each is shown when it arrives`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf())
        let seen = Recorder<Int>()
        let observer = reading.client.store(for: Shelf().enabled(when: { _ in false }))
        let subscription = observer.subscribe(
            with: QueryEventHandler(onResultReceived: { result, _ in seen.note((try? result.get())?.count ?? 0) })
        )
        await reading.client.prefetch(Shelf(), pages: 3)
        #expect(seen.take() == [1, 2, 3])
        #expect(reading.library.take() == [1, 2, 3])
        #expect(store.ids == [1, 2, 3] && store.hasNextPage)
        subscription.cancel()
    }

    @Test func `R13 R25 a prefetch fetches only missing pages if those present are fresh`() async throws {
        let reading = Reading()
        let fresh = Shelf().ttl(.seconds(60))
        let store = reading.client.store(for: fresh)
        await store.prefetch(pages: 2)
        #expect(reading.library.take() == [1, 2])
        let revision = store.state.revision
        for count in [2, 1, 0, -1] { await store.prefetch(pages: count) }
        #expect(reading.library.take() == [])
        #expect(store.state.revision == revision)
        await reading.client.prefetch(fresh, pages: 4)
        #expect(reading.library.take() == [3, 4])
        // Stale pages are fetched again, all in one run.
        reading.clock.advance(by: .seconds(60))
        await store.prefetch(pages: 5)
        #expect(reading.library.take() == [1, 2, 3, 4, 5])
        store.invalidate()
        await store.prefetch(pages: 2)
        #expect(reading.library.take() == [1, 2, 3, 4, 5])
    }

    @Test func `R25 a prefetch stops at the end of the list`() async throws {
        let reading = Reading()
        reading.library.set(3, [30])
        await reading.client.prefetch(Shelf(), pages: .max)
        #expect(reading.library.take() == [1, 2, 3])
        let store = reading.client.store(for: Shelf().ttl(.infinity))
        await store.prefetch(pages: 9)
        #expect(reading.library.take() == [])
    }

    @Test(arguments: [-1, 1, 2]) func `R25 a prefetch fills a window without dropping pages from it`(maxPages: Int) async throws {
        let reading = Reading()
        let shelf = Shelf(maxPages: maxPages)
        await reading.client.prefetch(shelf.ttl(.infinity), pages: 5)
        #expect(reading.client.store(for: shelf).ids == (maxPages == 2 ? [1, 2] : [1]))
    }

    @Test func `R2 R25 a page that fails ends the prefetch, and its error is kept in the store`() async throws {
        let reading = Reading()
        reading.library.behave { id, _ in if id == 3 { throw TestError() } }
        await reading.client.prefetch(Shelf(), pages: 5)
        let store = reading.client.store(for: Shelf())
        #expect(store.ids == [1, 2])
        #expect(store.state.error is TestError)
        #expect(reading.library.take() == [1, 2, 3])
        // A failing first page ends it too.
        let other = Reading()
        other.library.behave { _, _ in throw TestError() }
        await other.client.prefetch(Shelf(), pages: 5)
        #expect(other.library.take() == [1])
    }

    @Test func `R6 R25 two concurrent prefetches and a page call fetch each page once`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf())
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let tasks = (0..<2).map { _ in Task { await store.prefetch(pages: 3) } }
        while store.core.contents.withLock({ $0.waiters.count }) != 2 { await Task.yield() }
        // Opens the gate only for fetches that have arrived.
        await gate.arrived()
        gate.letThrough()
        await gate.arrived(2)
        let next = Task { try await store.fetchNextPage() }
        while store.core.contents.withLock({ $0.waiters.count }) != 3 { await Task.yield() }
        #expect(store.isFetchingNextPage)
        gate.open()
        #expect(try await next.value.map(\.id) == [1, 2])
        for task in tasks { await task.value }
        #expect(reading.library.take() == [1, 2, 3])
    }

    @Test func `R7 R25 a cancelled prefetch keeps the pages it has and fetches no more`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf())
        let gate = Gate()
        reading.library.behave { id, _ in if id == 2 { try await gate.pass() } }
        let task = Task { await store.prefetch(pages: 4) }
        await gate.arrived()
        task.cancel()
        await task.value
        gate.open()
        await reading.client.settled()
        #expect(store.ids == [1] && store.state.error == nil)
        #expect(reading.library.take() == [1, 2])
    }
}
