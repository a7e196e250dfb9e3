import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct PageLayerTests {
    @Test func `R22 R25 a layer edits an item inside the pages, over each new base`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 2)
        let owner = UUID()
        store.addLayer(of: owner) { $0.updateItems(where: { $0 == 20 }, change: { $0 = 99 }) }
        #expect(store.value?.items == [10, 11, 99, 21])
        #expect(store.state.isOptimistic)
        // Another page is added to the base, not to the result of the layer.
        try await store.fetchNextPage()
        #expect(store.value?.items == [10, 11, 99, 21, 30, 31])
        _ = try await store.fetch()
        #expect(store.value?.items == [10, 11, 99, 21, 30, 31])
        store.core.removeLayers(of: [owner])
        #expect(store.value?.items == [10, 11, 20, 21, 30, 31])
        #expect(store.ids == [1, 2, 3])
    }

    @Test func `R22 R25 a mutation changes an item inside the pages at once, and only the item's page runs again`() async throws {
        struct Renumber: MutationRequest {
            typealias Arguments = Int
            typealias Value = Int
            typealias State = MutationState<Int, Int>

            func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                context.library.set(id, [id * 10 + 5, id * 10 + 6])
                context.queryClient?.changed([Library.region(id)])
                return id
            }

            func optimistic(with id: Int, in layers: inout QueryLayers) {
                layers.update(Shelf()) { pages in
                    pages.updateItems(where: { $0 == id * 10 }, change: { $0 += 5 })
                }
            }
        }
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        let subscription = store.observe()
        await reading.client.settled()
        _ = reading.library.take()
        let seen = Recorder<[Int]>()
        let looking = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value?.items ?? []) })
        await reading.client.settled()
        _ = (seen.take(), reading.library.take())
        _ = try await reading.client.mutate(Renumber(), with: 2)
        await reading.client.settled()
        #expect(reading.library.take() == [2])
        #expect(store.value?.items == [10, 11, 25, 26, 30, 31])
        #expect(!store.state.isOptimistic)
        #expect(!seen.take().contains { $0.contains(20) })
        looking.cancel()
        subscription.cancel()
    }

    @Test func `R18 R25 pages that were edited in place or mapped run again only if their own region changed`() async throws {
        let reading = Reading()
        let store = try await reading.store(pages: 3)
        let subscription = store.observe()
        await reading.client.settled()
        store.updateValue { pages in
            pages[id: 1]?.append(0)
            pages[1].value.append(0)
            pages = pages.mapValues { $0 + [1] }
        }
        #expect(store.value?.items == [10, 11, 0, 1, 20, 21, 0, 1, 30, 31, 1])
        try await store.fetchNextPage()
        _ = reading.library.take()
        reading.client.changed([Library.region(2)])
        await reading.client.settled()
        #expect(reading.library.take() == [2])
        #expect(store.value?.items == [10, 11, 0, 1, 20, 21, 30, 31, 1, 40, 41])
        subscription.cancel()
    }

    @Test func `R22 R25 a layer edits items stored beside a cursor, and a selection of mapped pages emits only visible changes`()
        async throws
    {
        struct Feed: Equatable {
            var posts: [Int]
            var cursor: Int
        }
        struct Feeds: PaginatedRequest {
            var initialPageID: Int { 1 }
            func pageID(after page: QueryPage<Int, Feed>, in pages: QueryPages<Int, Feed>) -> Int? { page.value.cursor }
            func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<Feed>) async throws -> Feed {
                Feed(posts: [id * 10], cursor: id + 1)
            }
        }
        let client = QueryClient(configuration: .isolated)
        let store = client.store(for: Feeds())
        for _ in 0..<2 { try await store.fetchNextPage() }
        var shown = store.select { $0.value?.mapValues(\.posts) }.makeAsyncIterator()
        #expect(try #require(await shown.next())?.items == [10, 20])
        store.updateValue { $0[id: 1]?.cursor = 9 }
        let owner = UUID()
        store.addLayer(of: owner) { pages in
            pages.updateItems(\.posts, where: { $0 == 20 }, change: { $0 = 99 })
            pages.removeItems(\.posts, where: { $0 == 10 })
        }
        let next = try #require(await shown.next())
        #expect(next?.items == [99] && next?.map(\.id) == [1, 2] && next?.nextPageID == 3)
        store.core.removeLayers(of: [owner])
        #expect(store.value?.items(\.posts) == [10, 20])
    }
}
