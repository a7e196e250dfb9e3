/// What a mutation needs from the client, which stands in a later folder.
protocol MutationHost: LayerHost, AnyObject {
    /// Where calls with the same scope stand in line.
    var lines: MutationLines { get }

    /// Where calls are written down that have to survive the end of the process.
    var journal: (any MutationJournal)? { get }

    @discardableResult
    func invalidate(_ pattern: QueryPattern, refetch: QueryRefetch) -> QueryRefetches
}

/// A client in the form in which a context can hold it.
final class WeakMutationHost: Sendable {
    weak let host: (any MutationHost)?

    init(_ host: any MutationHost) { self.host = host }
}

extension QueryContext {
    /// `nil` once the session of the context is over, or the client gone.
    var mutationHost: (any MutationHost)? { owner?.role(WeakMutationHost.self)?.host }
}
