/// A store whose types are not known: what ``QueryClient/stores(matching:)`` returns.
///
/// Cast it to ``QueryStore`` with a state type for the rest.
public protocol AnyQueryStore: Sendable {
    /// Where the request stands among all others.
    var path: QueryPath { get }

    /// What the request is known by.
    var identity: QueryIdentity { get }

    /// The context of the request's runs.
    var context: QueryContext { get }

    /// Whether the next subscriber would bring a run: no result, a failure, an invalidation, or a value that is too old.
    var isStale: Bool { get }

    /// Whether a run is under way.
    var isFetching: Bool { get }

    /// How many subscriptions are alive.
    var subscriberCount: Int { get }

    /// Marks the value as out of date, and runs again if somebody observes or waits.
    @discardableResult
    func invalidate() -> QueryRefetches

    /// Runs again if the request is enabled, observed or not, fresh or not. Joins a run that is under way.
    @discardableResult
    func refetch() -> QueryRefetches

    /// Cancels the run under way for all who wait for it. The state goes back to what it was before.
    ///
    /// In the store of a mutation this ends all calls. Their journal entries stay until they are resumed.
    func cancel()

    /// Forgets value and result. A store with subscribers runs anew.
    ///
    /// In the store of a mutation this ends all calls, as ``cancel()`` does.
    func reset()
}
