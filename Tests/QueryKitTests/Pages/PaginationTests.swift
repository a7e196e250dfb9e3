import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct PaginationTests {
    // MARK: Adding a page

    @Test func `R25 the first run fetches the first page, and each call adds the next one`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf())
        #expect(!store.hasNextPage)
        #expect(try await store.fetch().map(\.id) == [1])
        #expect(store.hasNextPage && !store.hasPreviousPage)
        #expect(try await store.fetchNextPage().items == [10, 11, 20, 21])
        #expect(store.state.cause == .nextPage)
        #expect(store.value?.nextPageID == 3)
        #expect(reading.library.take() == [1, 2])
    }

    @Test func `R25 an empty store fetches its first page for any page call`() async throws {
        for ask in 0..<2 {
            let reading = Reading()
            let store = reading.client.store(for: Shelf(start: 4, goesBack: true))
            #expect(try await (ask == 0 ? store.fetchNextPage() : store.fetchPreviousPage()).map(\.id) == [4])
        }
        let reading = Reading()
        let store = reading.client.store(for: Shelf())
        store.setValue(QueryPages([]))
        #expect(try await store.fetchNextPage().map(\.id) == [1])
    }

    @Test func `R25 a call for the next page at the end of the list runs nothing`() async throws {
        let reading = Reading()
        reading.library.set(2, [20])
        let store = try await reading.store(pages: 2)
        #expect(!store.hasNextPage)
        let revision = store.state.revision
        #expect(try await store.fetchNextPage().map(\.id) == [1, 2])
        #expect(try await store.fetchPreviousPage().map(\.id) == [1, 2])
        #expect(reading.library.take() == [])
        #expect(store.state.revision == revision)
    }

    @Test func `R25 previous pages are added before the first`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(start: 2, goesBack: true), pages: 2)
        #expect(store.value?.previousPageID == 1)
        try await store.fetchPreviousPage()
        #expect(store.ids == [1, 2, 3])
        #expect(!store.hasPreviousPage && store.hasNextPage)
        #expect(store.state.cause == .previousPage)
    }

    @Test func `R25 the state shows which page is being fetched`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(start: 2, goesBack: true), pages: 1)
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let subscription = store.observe()
        await gate.arrived()
        #expect(store.isFetching && !store.isFetchingNextPage && !store.isFetchingPreviousPage)
        gate.letThrough()
        await reading.client.settled()

        let next = Task { try await store.fetchNextPage() }
        await gate.arrived(2)
        #expect(store.isFetching && store.isFetchingNextPage && !store.isFetchingPreviousPage)
        // A change of the cause in between makes no difference.
        store.addLayer(of: UUID()) { $0.updatePages { $0.append(0) } }
        store.invalidate()
        #expect(store.isFetchingNextPage)
        gate.letThrough()
        _ = try await next.value
        await gate.arrived(3)
        #expect(store.isFetching && !store.isFetchingNextPage)
        gate.open()
        await reading.client.settled()

        let previous = Task { try await store.fetchPreviousPage() }
        _ = try await previous.value
        #expect(!store.isFetchingPreviousPage && !store.isFetching)
        subscription.cancel()
    }

    @Test(arguments: [false, true], [false, true])
    func `R25 the first page is not shown as a next or previous page while it is fetched`(isNext: Bool, hasEmptyList: Bool) async throws {
        let reading = Reading()
        let placeholder = QueryPages([QueryPage(id: 0, value: [0])])
        let store = reading.client.store(for: Shelf(start: 4, goesBack: true).placeholder(placeholder))
        if hasEmptyList { store.setValue(QueryPages([])) }
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let seen = Recorder<Bool>()
        let observer = reading.client.store(for: Shelf(start: 4, goesBack: true).enabled(when: { _ in false }))
        let subscription = observer.subscribe(
            with: QueryEventHandler { state, _ in seen.note(state.isFetchingNextPage || state.isFetchingPreviousPage) }
        )
        let first = Task { try await (isNext ? store.fetchNextPage() : store.fetchPreviousPage()) }
        await gate.arrived()
        #expect(store.isFetching && !store.isFetchingNextPage && !store.isFetchingPreviousPage)
        gate.letThrough()
        #expect(try await first.value.map(\.id) == [4])
        #expect(!seen.take().contains(true))
        // The second fetch adds a page.
        let second = Task { try await (isNext ? store.fetchNextPage() : store.fetchPreviousPage()) }
        await gate.arrived(2)
        #expect(store.isFetchingNextPage == isNext && store.isFetchingPreviousPage == !isNext)
        gate.open()
        _ = try await second.value
        subscription.cancel()
    }

    @Test func `R9 R25 the first page is not shown as the next one while it yields`() async throws {
        struct Slow: PaginatedRequest {
            var initialPageID: Int { 1 }
            func pageID(after page: QueryPage<Int, [Int]>, in pages: QueryPages<Int, [Int]>) -> Int? { page.id + 1 }
            func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
                continuation.yield([0])
                return try await context.library.page(id)
            }
        }
        let reading = Reading()
        let gate = Gate()
        reading.library.behave { _, _ in try await gate.pass() }
        let store = reading.client.store(for: Slow())
        let first = Task { try await store.fetchNextPage() }
        await gate.arrived()
        #expect(store.value?.items == [0] && store.isFetching && !store.isFetchingNextPage)
        gate.open()
        _ = try await first.value
    }

    // MARK: Windows

    @Test func `R25 a window drops pages at the opposite end`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(start: 3, goesBack: true, maxPages: 2), pages: 2)
        try await store.fetchNextPage()
        #expect(store.ids == [4, 5])
        #expect(store.value?.previousPageID == 3 && store.value?.nextPageID == 6)
        try await store.fetchPreviousPage()
        #expect(store.ids == [3, 4])
        #expect(store.value?.previousPageID == 2 && store.value?.nextPageID == 5)
        _ = try await store.fetch()
        #expect(store.ids == [3, 4])
    }

    @Test func `R25 a window of zero or fewer pages has one page`() async throws {
        for limit in [0, -1, 1] {
            let reading = Reading()
            let store = try await reading.store(Shelf(maxPages: limit), pages: 3)
            #expect(store.ids == [3])
            #expect(try await store.fetch().map(\.id) == [3])
        }
    }

    // MARK: Fetching by id

    @Test func `R25 fetching an existing page refreshes only that page`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        reading.library.set(2, [22, 23])
        try await store.fetchPage(2)
        #expect(store.value?.items == [10, 11, 22, 23, 30, 31])
        #expect(reading.library.take() == [2])
        #expect(store.state.cause == .page)
        // The last page may have become the end of the list.
        reading.library.set(3, [30])
        try await store.fetchPage(3)
        #expect(!store.hasNextPage)
    }

    @Test func `R25 fetching an adjacent page adds it`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(start: 3, goesBack: true), pages: 1)
        try await store.fetchPage(4)
        #expect(store.state.cause == .nextPage)
        try await store.fetchPage(2)
        #expect(store.state.cause == .previousPage)
        #expect(store.ids == [2, 3, 4])
    }

    @Test func `R25 fetching another id starts the list there, and a refetch keeps that start`() async throws {
        let reading = Reading()
        let store = try await reading.store(Shelf(goesBack: true), pages: 2)
        try await store.fetchPage(7)
        #expect(store.ids == [7])
        #expect(store.value?.previousPageID == 6 && store.value?.nextPageID == 8)
        try await store.fetchNextPage()
        _ = try await store.fetch()
        #expect(store.ids == [7, 8])
        let empty = Reading()
        let other = empty.client.store(for: Shelf())
        #expect(try await other.fetchPage(5).map(\.id) == [5])
    }

    // MARK: Failures

    @Test func `R2 R25 when a page fails the other pages are kept, and the status is the failure`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 2)
        reading.library.behave { _, _ in throw TestError() }
        await #expect(throws: TestError()) { try await store.fetchNextPage() }
        #expect(store.ids == [1, 2])
        #expect(store.state.status.failure is TestError)
        #expect(store.state.cause == .nextPage)
        #expect(store.isStale && store.hasNextPage)
        reading.library.behave { _, _ in }
        try await store.fetchNextPage()
        #expect(store.ids == [1, 2, 3])
        #expect(store.state.error == nil)
    }

    @Test func `R13 R25 adding a page does not change the age of the others`() async throws {
        let reading = Reading()
        let store = reading.client.store(for: Shelf().ttl(.seconds(60)))
        _ = try await store.fetch()
        let date = store.valueUpdatedAt
        reading.clock.advance(by: .seconds(50))
        try await store.fetchNextPage()
        #expect(store.valueUpdatedAt == date)
        #expect(!store.isStale)
        reading.clock.advance(by: .seconds(10))
        #expect(store.isStale)
        store.invalidate()
        try await store.fetchNextPage()
        #expect(store.isInvalidated)
    }

    @Test func `R12 R25 a page waits for the network`() async throws {
        let network = ManualNetworkObserver()
        let reading = Reading(network: network)
        let store = try await reading.store(pages: 1)
        network.set(isOnline: false)
        let next = Task { try await store.fetchNextPage() }
        let seen = store.states
        for await state in seen where state.isPaused { break }
        #expect(!store.isFetchingNextPage)
        network.set(isOnline: true)
        #expect(try await next.value.map(\.id) == [1, 2])
    }

    @Test func `R9 R25 yielded values are shown only while the first page is fetched`() async throws {
        struct Slow: PaginatedRequest {
            var initialPageID: Int { 1 }
            func pageID(after page: QueryPage<Int, [Int]>, in pages: QueryPages<Int, [Int]>) -> Int? { page.id + 1 }
            func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
                continuation.yield([0])
                return [id]
            }
        }
        let client = QueryClient(configuration: .isolated)
        let store = client.store(for: Slow())
        let seen = Recorder<[Int]>()
        let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value?.items ?? []) })
        await client.settled()
        #expect(seen.take() == [[], [], [0], [1]])
        try await store.fetchNextPage()
        #expect(!seen.take().contains { $0.contains(0) })
        subscription.cancel()
    }

    @Test func `R25 calling a paginated request's fetch directly fetches the first page`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        let none = QueryContinuation<QueryPages<Int, [Int]>> { _ in }
        #expect(try await Shelf().fetch(in: store.context, with: none).map(\.id) == [1])
        // Even in the run of another request whose store has pages of the same type.
        struct Copy: QueryRequest {
            func fetch(in context: QueryContext, with continuation: QueryContinuation<QueryPages<Int, [Int]>>) async throws -> QueryPages<
                Int, [Int]
            > {
                try await Shelf().fetch(in: context, with: continuation)
            }
        }
        let copy = reading.client.store(for: Copy())
        copy.setValue(try #require(store.value))
        #expect(try await copy.fetch().map(\.id) == [1])
    }
}
