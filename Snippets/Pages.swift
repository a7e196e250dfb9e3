//! A long list, page by page: one value that grows by a page at a time,
//! and edits of single items.
import QueryKit

struct Entry: Equatable, Sendable {
    let id: Int
    var grams = 100
}

// snippet.hide
struct Diary: Sendable {
    func entries(from offset: Int, limit: Int) async throws -> [Entry] {
        QueryReads.note([
            QueryRegion(
                source: "diary",
                name: "entries",
                partition: "\(offset / limit)"
            )
        ])
        return (offset..<min(offset + limit, 120)).map { Entry(id: $0) }
    }
}

nonisolated extension QueryDependencies {
    var diary: QueryDependency<Diary> { .init(Diary()) }
}

let client = QueryClient()
// snippet.show
// snippet.request
struct History: PaginatedRequest {
    var path: QueryPath { ["food", "history"] }

    var initialPageID: Int { 0 }

    // Fewer than fifty entries: this was the last page.
    func pageID(
        after page: QueryPage<Int, [Entry]>,
        in pages: QueryPages<Int, [Entry]>
    ) -> Int? {
        page.value.count < 50 ? nil : page.id + 50
    }

    func fetchPage(
        _ offset: Int,
        in context: QueryContext,
        with continuation: QueryContinuation<[Entry]>
    ) async throws -> [Entry] {
        try await context.diary.entries(from: offset, limit: 50)
    }
}
// snippet.end

// snippet.more
let store = client.store(for: History())
_ = try await store.fetch()  // the first page
try await store.fetchNextPage()  // the second page
print(store.value?.items.count ?? 0, store.hasNextPage)  // 100 true

try await store.fetchNextPage()
print(store.value?.items.count ?? 0, store.hasNextPage)  // 120 false
// There are no more pages: nothing runs.
try await store.fetchNextPage()
// snippet.end
// snippet.hide
precondition(store.value?.items.count == 120 && !store.hasNextPage)
// snippet.show

// snippet.byID
try await store.fetchPage(50)  // only that page again
try await store.fetchPage(100)  // likewise
// snippet.end

// snippet.edit
store.updateValue { pages in
    pages.updateItems(where: { $0.id == 7 }, change: { $0.grams = 250 })
    pages.removeItems { $0.id == 8 }
}
// snippet.end
// snippet.hide
precondition(
    store.value?.items.count == 119
        && store.value?.items[7].grams == 250
)
// snippet.show

// snippet.place
store.updateValue { pages in
    // The page with this id, if it exists.
    pages[id: 50]?.append(Entry(id: -1))
    // The first page.
    pages[0].value.removeLast()
}
// snippet.end
// snippet.hide
precondition(
    store.value?[id: 50]?.last?.id == -1
        && store.value?.first?.value.count == 48
)
// snippet.show

// snippet.envelope
struct Feed: PaginatedRequest {
    struct Page: Equatable, Sendable {
        var posts: [Entry]
        var cursor: String?
    }

    var path: QueryPath { ["feed"] }

    // The first page has no cursor.
    var initialPageID: String { "" }

    func pageID(
        after page: QueryPage<String, Page>,
        in pages: QueryPages<String, Page>
    ) -> String? { page.value.cursor }

    func fetchPage(
        _ cursor: String,
        in context: QueryContext,
        with continuation: QueryContinuation<Page>
    ) async throws -> Page {
        Page(
            posts: [Entry(id: cursor.isEmpty ? 1 : 2)],
            cursor: cursor.isEmpty ? "next" : nil
        )
    }
}

let feed = client.store(for: Feed())
_ = try await feed.fetch()
try await feed.fetchNextPage()
print(feed.value?.items(\.posts).count ?? 0)  // 2

feed.updateValue { pages in
    pages.updateItems(
        \.posts,
        where: { $0.id == 1 },
        change: { $0.grams = 250 }
    )
    pages.removeItems(\.posts, where: { $0.id == 2 })
}
// snippet.end
// snippet.hide
precondition(
    feed.value?.items(\.posts).map(\.grams) == [250]
        && !feed.hasNextPage
)
// snippet.show

// snippet.map
// QueryPages of arrays of entries.
let posts = feed.value?.mapValues(\.posts)
// snippet.end
// snippet.hide
precondition(
    posts?.items.count == 1 && posts?.map(\.id) == ["", "next"]
)
// snippet.show

// snippet.prefetch
// Before the user opens the list: up to three pages.
await client.prefetch(History().ttl(.seconds(60)), pages: 3)
// snippet.end
// snippet.hide
precondition(client.value(for: History())?.count == 3)
// snippet.show

// snippet.regions
let subscription = store.subscribe(with: QueryEventHandler())
await client.settled()
// Refetches only the page that read this part of the diary.
client.changed([
    QueryRegion(source: "diary", name: "entries", partition: "1")
])
await client.settled()
// snippet.end
// snippet.hide
precondition(store.value?.items.count == 120 && !store.isInvalidated)
subscription.cancel()
// snippet.show
