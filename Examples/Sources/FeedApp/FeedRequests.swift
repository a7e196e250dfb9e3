import QueryKit

extension Post {
    // The first page has no cursor; "" is its id.
    static var feed: InlineQuery<QueryPages<String, FeedPage>> {
        InlineQuery("feed", firstPage: "") { page, _ in
            page.value.next
        } fetchPage: { cursor, context in
            try await context.feed.page(at: cursor.isEmpty ? nil : cursor, for: context.session)
        }
    }
}

/// All changes of the feed, in the order in which they were made, even after a time without a network.
struct ChangeFeed: DurableMutationRequest {
    var scope: String? { "feed" }

    func validate(in context: QueryContext) throws { if context.session == nil { throw FeedError.loggedOut } }

    func mutate(with change: FeedChange, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        try await context.feed.make(change, as: context.session)
    }

    func optimistic(with change: FeedChange, in layers: inout QueryLayers) {
        layers.update(Post.feed) { pages in
            switch change {
            case .post(let post): pages.updatePage("") { $0.add(post) }
            case .like(let id): pages.updateItems(\.posts, where: { $0.id == id }, change: { $0.like() })
            }
        }
    }

    func invalidates(with change: FeedChange, value: Void) -> [QueryPattern] { ["feed"] }
}
