package import QueryKit

extension QueryDependencies {
    package var habits: QueryDependency<any HabitRepository> { .required() }
}

extension QueryContext {
    /// The settings that all requests of the app share.
    package static func habits(_ repository: any HabitRepository) -> QueryContext {
        var context = QueryContext()
        context.habits = repository
        context.retry.limit = 0  // a database that fails would fail again a second later
        return context
    }
}
