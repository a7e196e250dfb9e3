import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct PageConcurrencyTests {
    /// A store with the given number of pages, whose next fetches wait at a gate.
    private func gated(_ count: Int, _ shelf: Shelf = Shelf()) async throws -> (Reading, QueryStore<Shelf.State>, Gate) {
        let reading = Reading(20)
        let store = try await reading.store(shelf, pages: count)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        return (reading, store, gate)
    }

    private func waiters(of store: QueryStore<Shelf.State>, _ count: Int) async {
        while store.core.contents.withLock({ $0.waiters.count }) != count { await Task.yield() }
    }

    @Test func `R25 a thousand concurrent calls for the next page fetch it once`() async throws {
        let (reading, store, gate) = try await gated(1)
        let calls = (0..<1_000).map { _ in Task { try await store.fetchNextPage() } }
        await waiters(of: store, 1_000)
        gate.open()
        for call in calls { #expect(try await call.value.map(\.id) == [1, 2]) }
        #expect(reading.library.take() == [2])
    }

    @Test func `R25 calls in both directions run one after the other`() async throws {
        let (reading, store, gate) = try await gated(1, Shelf(start: 5, goesBack: true))
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        let previous = Task { try await store.fetchPreviousPage() }
        await waiters(of: store, 2)
        gate.open()
        #expect(try await next.value.map(\.id) == [5, 6])
        #expect(try await previous.value.map(\.id) == [4, 5, 6])
        #expect(reading.library.take() == [6, 4])
    }

    @Test func `R25 the next page waits for a refetch and follows its last page`() async throws {
        let (reading, store, gate) = try await gated(2)
        let refetch = Task { try await store.fetch() }
        await gate.arrived()
        let next = Task { try await store.fetchNextPage() }
        await waiters(of: store, 2)
        #expect(!store.isFetchingNextPage)
        gate.open()
        #expect(try await refetch.value.map(\.id) == [1, 2])
        #expect(try await next.value.map(\.id) == [1, 2, 3])
        #expect(reading.library.take() == [1, 2, 3])
    }

    @Test func `R25 if a list grows during a refetch, a waiting call gets its new next page`() async throws {
        let reading = Reading()
        reading.library.set(2, [20])
        let store = try await reading.store(pages: 2)
        #expect(!store.hasNextPage)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let refetch = Task { try await store.fetch() }
        await gate.arrived()
        let next = Task { try await store.fetchNextPage() }
        await waiters(of: store, 2)
        reading.library.set(2, [20, 21])
        gate.open()
        #expect(try await refetch.value.map(\.id) == [1, 2])
        #expect(try await next.value.map(\.id) == [1, 2, 3])
    }

    @Test func `R25 the next page is fetched even if the refetch before it fails, but not if the store is cancelled`() async throws {
        let (reading, store, gate) = try await gated(2)
        for isCancelled in [false, true] {
            reading.library.behave { _, number in
                try await gate.pass()
                if number == 1 { throw TestError() }
            }
            let refetch = Task { try await store.fetch() }
            await gate.arrived(isCancelled ? 3 : 1)
            let next = Task { try await store.fetchNextPage() }
            await waiters(of: store, 2)
            if isCancelled {
                store.cancel()
                await #expect(throws: CancellationError.self) { try await refetch.value }
                await #expect(throws: CancellationError.self) { try await next.value }
                #expect(store.ids == [1, 2, 3])
            } else {
                gate.letThrough()
                await #expect(throws: TestError.self) { try await refetch.value }
                await gate.arrived(2)
                gate.letThrough()
                #expect(try await next.value.map(\.id) == [1, 2, 3])
                #expect(reading.library.take() == [1, 3])
            }
        }
    }

    @Test func `R25 a fetch during a page fetch is followed by a run of all pages`() async throws {
        let (reading, store, gate) = try await gated(2)
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        let fetch = Task { try await store.fetch() }
        await waiters(of: store, 2)
        gate.open()
        #expect(try await next.value.map(\.id) == [1, 2, 3])
        #expect(try await fetch.value.map(\.id) == [1, 2, 3])
        #expect(reading.library.take() == [3, 1, 2, 3])
    }

    @Test func `R17 R25 an invalidation during a page fetch keeps the page and causes one run of all pages`() async throws {
        let (reading, store, gate) = try await gated(1)
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        for _ in 0..<5 { store.invalidate() }
        gate.open()
        #expect(try await next.value.map(\.id) == [1, 2])
        await reading.client.settled()
        #expect(reading.library.take() == [2, 1, 2])
        #expect(!store.isInvalidated && store.ids == [1, 2])
    }

    @Test func `R19 R25 a write during a page fetch is kept, and the page is appended to it`() async throws {
        let (reading, store, gate) = try await gated(1)
        let subscription = store.observe()
        await gate.arrived()
        gate.letThrough()
        await reading.client.settled()
        _ = reading.library.take()
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived(2)
        store.updateValue { $0.updatePage(1) { $0 = [98, 99] } }
        gate.open()
        #expect(try await next.value.items == [98, 99, 20, 21])
        await reading.client.settled()
        #expect(store.value?.items == [98, 99, 20, 21])
        #expect(reading.library.take() == [2, 2])
        subscription.cancel()
    }

    @Test func `R16 R25 after a reset during a page fetch the list starts with its first page`() async throws {
        let (reading, store, gate) = try await gated(3)
        let next = Task { try await store.fetchNextPage() }
        await gate.arrived()
        store.reset()
        await #expect(throws: CancellationError.self) { try await next.value }
        #expect(store.value == nil)
        gate.open()
        #expect(try await store.fetchNextPage().map(\.id) == [1])
        _ = reading
    }

    @Test func `R25 pages are neither lost nor duplicated while many tasks fetch, edit, change and cancel`() async throws {
        let reading = Reading(20)
        let store = try await reading.store(Shelf(start: 10, goesBack: true), pages: 1)
        let subscription = store.observe()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    switch number % 6 {
                    case 0: _ = try? await store.fetchNextPage()
                    case 1: _ = try? await store.fetchPreviousPage()
                    case 2: _ = try? await store.fetch()
                    case 3: store.updateValue { $0.updatePages { $0.reverse() } }
                    case 4: reading.client.changed([Library.region(10 + number % 5)])
                    default:
                        let call = Task { try await store.fetchNextPage() }
                        call.cancel()
                        _ = try? await call.value
                    }
                }
            }
        }
        await reading.client.settled()
        let ids = try #require(store.ids)
        #expect(ids.contains(10))
        #expect(ids == Array(try #require(ids.first)...ids[ids.count - 1]))
        #expect(!store.isFetching && !store.isFetchingNextPage && !store.isFetchingPreviousPage)
        subscription.cancel()
    }
}
