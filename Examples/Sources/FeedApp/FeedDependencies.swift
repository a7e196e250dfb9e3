package import QueryKit

extension QueryDependencies {
    package var feed: QueryDependency<any FeedRepository> { .required() }
}

extension QueryContext {
    /// The settings that all requests of the app share.
    package static func feed(_ repository: any FeedRepository, journal: any MutationJournal) -> QueryContext {
        var context = QueryContext()
        context.feed = repository
        context.mutationJournal = journal
        context.ttl = .seconds(60)
        // A request that the server has refused would be refused again.
        context.retry = QueryRetry(limit: 3, backoff: .constant(.seconds(1))) { ($0 as? FeedError)?.isTemporary ?? true }
        return context
    }
}
