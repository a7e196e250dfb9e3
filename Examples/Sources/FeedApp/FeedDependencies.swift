package import QueryKit

extension QueryDependencies {
    package var feed: QueryDependency<any FeedRepository> { .required() }
}

extension QueryContext {
    /// What all requests of the app have in common.
    package static func feed(_ repository: any FeedRepository, journal: any MutationJournal) -> QueryContext {
        var context = QueryContext()
        context.feed = repository
        context.mutationJournal = journal
        context.ttl = .seconds(60)
        // What the server refuses, it would refuse again.
        context.retry = QueryRetry(limit: 3, backoff: .constant(.seconds(1))) { ($0 as? FeedError)?.isTemporary ?? true }
        return context
    }
}
