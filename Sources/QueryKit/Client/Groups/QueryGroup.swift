/// Several requests with the same type of state, observed together.
///
/// The states are in the order of the list, and a request that is listed twice appears twice. While the group has observers, it observes
/// each store once. If a commit affects several of the requests, observers see all changes at once; see `consistent()`.
///
/// ```swift
/// let week = client.group(days.map { Energy(day: $0) })
/// for await states in week.states {
///     show(states.values, isBusy: states.isFetching)
/// }
/// ```
public final class QueryGroup<State: QueryStateProtocol>: Sendable {
    private struct WeakSession: Sendable {
        weak var session: GroupSession?
    }

    private struct List: Sendable {
        var version = 1
        var stores: [QueryStore<State>]
        var sessions: [WeakSession] = []
    }

    private let client: QueryClient
    private let list: Lock<List>

    init(_ stores: [QueryStore<State>], client: QueryClient) {
        self.client = client
        list = Lock(List(stores: stores))
    }

    /// The stores of the group, in the order of the list.
    public var stores: [QueryStore<State>] { list.withLock { $0.stores } }

    /// The current states, in the order of the list.
    public var currentStates: [State] {
        let stores = stores
        return zip(stores, StateBox.now(of: stores.map(\.core))).map { $0.state(of: $1) }
    }

    /// Replaces the list of requests.
    ///
    /// Stores that are in both lists stay observed; the others are released, and the new ones are observed. Observers see either the old or
    /// the new list, never a mixture.
    public func setRequests<Request: QueryRequest>(_ requests: [Request])
    where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        let stores = requests.map { client.store(for: $0.consistent()) }
        let members = stores.map { GroupMember($0) }
        // Release the old list outside the lock.
        let (former, version, sessions) = list.withLock { list in
            defer { list.stores = stores }
            list.version += 1
            list.sessions.removeAll { $0.session == nil }
            return (list.stores, list.version, list.sessions.compactMap(\.session))
        }
        withExtendedLifetime(former) {
            for session in sessions { session.adopt(members, version: version) }
        }
    }

    /// Observes all stores of the group. The handler is called immediately with their current states, and again whenever a state or the
    /// list changes. If a change of several stores is only partly done, the call comes when the change is complete.
    ///
    /// Calls of the handler never overlap. After changes during a call, the next call receives the newest states.
    public func subscribe(_ handler: @escaping @Sendable ([State]) -> Void) -> QuerySubscription {
        observe { states in handler(states.map { $0.unboxed(as: State.self) }) }
    }

    /// The states of all stores, beginning with the current ones. Each iteration subscribes, and unsubscribes when it ends.
    ///
    /// A slow consumer gets the newest states and misses the states in between.
    public var states: QueryGroupStates<State> { QueryGroupStates(group: self) }

    /// A sequence of values that a closure computes from the states. Equal values are not repeated.
    ///
    /// ```swift
    /// for await total in week.combine({ $0.values.reduce(0, +) }) {
    ///     show(total)
    /// }
    /// ```
    public func combine<Combined: Equatable & Sendable>(
        _ transform: @escaping @Sendable ([State]) -> Combined
    ) -> QueryCombination<Combined> {
        QueryCombination(observe: { self.observe($0) }, transform: { states in transform(states.map { $0.unboxed(as: State.self) }) })
    }

    private func observe(_ onChange: @escaping @Sendable ([AnyValue]) -> Void) -> QuerySubscription {
        let session = GroupSession(onChange)
        let (stores, version) = list.withLock { list in
            list.sessions.removeAll { $0.session == nil }
            list.sessions.append(WeakSession(session: session))
            return (list.stores, list.version)
        }
        session.adopt(stores.map { GroupMember($0) }, version: version)
        return QuerySubscription { session.end() }
    }
}

extension QueryClient {
    /// Creates a group of requests to observe together; see ``QueryGroup``.
    public func group<Request: QueryRequest>(_ requests: [Request]) -> QueryGroup<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        QueryGroup(requests.map { store(for: $0.consistent()) }, client: self)
    }
}

extension Collection where Element: QueryStateProtocol {
    /// Whether any of the states has a run under way.
    public var isFetching: Bool { contains(where: \.isFetching) }

    /// The values of the states that have one, placeholders included, in the order of the states.
    public var values: [Element.QueryValue] { compactMap(\.current) }

    /// The errors of the states that failed, in the order of the states.
    public var errors: [any Error] { compactMap(\.error) }
}
