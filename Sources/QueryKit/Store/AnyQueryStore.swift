/// A store without its static types, as ``QueryClient/stores(matching:)`` returns it.
///
/// To read or write the value, cast the store to ``QueryStore`` with the state type of its request.
public protocol AnyQueryStore: Sendable {
    /// The path of the request, which patterns match.
    var path: QueryPath { get }

    /// The identity of the request. Equal requests share a store.
    var identity: QueryIdentity { get }

    /// The context of the request's runs.
    var context: QueryContext { get }

    /// Whether the next subscriber would start a run: there is no result, or it is a failure, invalidated, or older than its time to live.
    var isStale: Bool { get }

    /// Whether a run is under way.
    var isFetching: Bool { get }

    /// The number of active subscriptions.
    var subscriberCount: Int { get }

    /// Marks the value as out of date, and refetches if the store has an observer or a waiting caller.
    @discardableResult
    func invalidate() -> QueryRefetches

    /// Refetches if the request is enabled, even if the store has no observers or its value is fresh. Joins a run that is under way.
    @discardableResult
    func refetch() -> QueryRefetches

    /// Cancels the run under way for all waiting callers, and restores the state from before the run.
    ///
    /// In the store of a mutation this ends all calls. Their journal entries are kept until the calls are resumed.
    func cancel()

    /// Discards value and result. A store with subscribers fetches again.
    ///
    /// In the store of a mutation this ends all calls, as ``cancel()`` does.
    func reset()
}
