/// What a mutation needs from the client, which stands in a later folder.
protocol MutationHost: AnyObject, Sendable {
    /// Where calls with the same scope stand in line.
    var lines: MutationLines { get }

    /// Where calls are written down that have to survive the end of the process.
    var journal: (any MutationJournal)? { get }

    func store<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral

    @discardableResult
    func invalidate(_ pattern: QueryPattern, refetch: QueryRefetch) -> QueryRefetches
}

extension QueryContext {
    var mutationHost: (any MutationHost)? { owner?.object as? any MutationHost }
}
