/// What a mutation needs from the client, whose type is in a later folder.
protocol MutationHost: LayerHost, AnyObject {
    /// The queues in which calls with the same scope wait.
    var mutationQueues: MutationQueues { get }

    /// The journal of calls that must persist after the process ends.
    var journal: (any MutationJournal)? { get }

    @discardableResult
    func invalidate(_ pattern: QueryPattern, _ cause: QueryCause, refetch: QueryRefetch) -> QueryRefetches

    /// Combines the changes that a closure makes into one change.
    func batch<Result>(_ changes: () throws -> Result) rethrows -> Result
}

/// A weak reference to a client, which a context can hold.
final class WeakMutationHost: Sendable {
    weak let host: (any MutationHost)?

    init(_ host: any MutationHost) { self.host = host }
}

extension QueryContext {
    /// `nil` once the session of the context has ended or the client was deallocated.
    var mutationHost: (any MutationHost)? { owner?.role(WeakMutationHost.self)?.host }
}
