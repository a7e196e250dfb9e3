import Observation
package import QueryKit

/// The feed of the user who is logged in, with the changes that wait to be sent.
@MainActor @Observable
package final class FeedModel: QueryModel {
    package let queryClient: QueryClient
    package private(set) var user: String?

    @ObservationIgnored @SharedQuery(Post.feed.enabled { $0.session != nil }) private var pages
    @ObservationIgnored @SharedMutation(ChangeFeed()) private var change

    package var posts: [Post] { pages?.items(\.posts) ?? [] }
    package var isLoading: Bool { $pages.isLoading }
    package var hasMore: Bool { $pages.hasNextPage }
    package var isOffline: Bool { $pages.isPaused || change.isPaused }
    package var waitingCount: Int { change.history.count { $0.isPending } }
    package var problem: String? { (change.error ?? $pages.error).map(FeedError.text) }

    package init(queryClient: QueryClient) {
        self.queryClient = queryClient
        user = queryClient.context.session
    }

    package func refresh() async { await $pages.refetch().finished() }

    // If it fails, the error is in the state.
    package func showMore() async { _ = try? await $pages.fetchNextPage() }

    package func post(_ text: String) throws { try change.submit(.post(Post(author: user ?? "", text: text))) }

    package func like(_ post: Post) throws { try change.submit(.like(post.id)) }

    /// Repeats the change that failed, or else loads the feed again.
    package func retry() throws { if try change.retryLatest() == nil { $pages.refetch() } }

    /// Shows the user's feed, and sends the changes in the journal. Call it at launch, too.
    package func logIn(as user: String) async throws {
        if queryClient.context.session != user { queryClient.reset(session: user) }
        self.user = user
        try await queryClient.resumeMutations(of: [ChangeFeed.self])
    }

    package func logOut() {
        queryClient.reset(session: nil)
        user = nil
    }
}
