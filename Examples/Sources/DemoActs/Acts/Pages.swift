import QueryKit

/// Act 6: a list grows page by page, and is refetched page by page with one change at the end.
enum Pages {
    @MainActor
    static func play(on stage: Stage) async throws {
        let client = stage.client
        // snippet.show
        let pages = InlineQuery(
            "trips/pages",
            firstPage: 0
        ) { page, _ in
            page.value.next
        } fetchPage: { offset, context in
            try await context.api.page(at: offset)
        }

        let list = client.store(for: pages)
        stage.show("Pages", list)
        try await stage.passes(.seconds(0.7))

        try await stage.passes { try await list.fetchNextPage() }
        try await stage.passes { try await list.fetchNextPage() }

        // snippet.hide
        let requestCount = stage.api.requestCount
        stage.note("the end of the list; now all pages are invalidated")
        // snippet.show
        client.invalidate("trips/**")
        try await stage.passes(.seconds(1.7))
        // snippet.hide
        let pageCount = list.value?.count ?? 0
        stage.conclude("\(pageCount) pages in one value; the refetch made \(stage.api.requestCount - requestCount) requests in turn.")
    }
}
