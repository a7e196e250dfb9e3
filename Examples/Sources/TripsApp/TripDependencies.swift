package import QueryKit

extension QueryDependencies {
    package var trips: QueryDependency<any TripRepository> { .required() }
}

extension QueryContext {
    /// The settings that all requests of the app share.
    package static func trips(_ repository: any TripRepository) -> QueryContext {
        var context = QueryContext()
        context.trips = repository
        context.ttl = .infinity  // requests follow the database
        context.retry.limit = 0  // a database that fails would fail again a second later
        return context
    }
}
