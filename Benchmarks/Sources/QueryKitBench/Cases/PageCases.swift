import QueryKit

extension Case {
    static let pageCases = [refetch]

    private static let refetch = Case(
        name: "pages.refetch50",
        summary: "store.fetch() of 50 loaded pages with a number each; floor: 50 asynchronous calls, one after the other",
        kind: .time {
            let count = 50
            let client = QueryClient(configuration: .isolated)
            let store = client.store(for: NumberedPages())
            for _ in 0..<count { try await store.fetchNextPage() }
            let source = NumberedPages()
            return (
                Workload { rounds in
                    for _ in 0..<rounds { discard(try await store.fetch()) }
                    discard(client)
                },
                floor: Workload { rounds in
                    for _ in 0..<rounds {
                        var pages: [Int] = []
                        for id in 0..<count { pages.append(await source.page(id)) }
                        discard(pages)
                    }
                }
            )
        }
    )
}

/// An endless list of pages; each page contains its number.
private struct NumberedPages: PaginatedRequest {
    var initialPageID: Int { 0 }

    func pageID(after page: QueryPage<Int, Int>, in pages: QueryPages<Int, Int>) -> Int? { page.id + 1 }

    func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { await page(id) }

    @concurrent
    func page(_ id: Int) async -> Int { id }
}
