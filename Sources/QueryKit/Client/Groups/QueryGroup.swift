/// Several requests with one type of state, observed as one.
///
/// The states come in the order of the list, and a request that is listed twice has two places. Each store is observed once, as long as
/// the group has observers. What a commit changes in several of them is seen at one moment; see `consistent()`.
///
/// ```swift
/// let week = client.group(days.map { Energy(day: $0) })
/// for await states in week.states { show(states.values, isBusy: states.isFetching) }
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

    /// The states of this moment, in the order of the list.
    public var currentStates: [State] {
        let stores = stores
        return zip(stores, StateBox.now(of: stores.map(\.core))).map { $0.state(of: $1) }
    }

    /// Takes another list of requests.
    ///
    /// Stores that are in both lists stay as they are observed; the others are let go, and the new ones begin. Observers see the old list
    /// or the new one, nothing in between.
    public func setRequests<Request: QueryRequest>(_ requests: [Request])
    where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        let stores = requests.map { client.store(for: $0.consistent()) }
        let members = stores.map { GroupMember($0) }
        // What is replaced leaves the lock before it ends.
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

    /// Observes all stores of the group: the handler hears their states at once, and again whenever one of them or the list has changed.
    ///
    /// Calls come one after the other. Of changes that come during a call, it hears the newest states after it.
    public func subscribe(_ handler: @escaping @Sendable ([State]) -> Void) -> QuerySubscription {
        observe { states in handler(states.map { $0.unboxed(as: State.self) }) }
    }

    /// The states of all stores, beginning with the present ones. Each iteration subscribes, and unsubscribes when it ends.
    ///
    /// A consumer that is slower than the changes sees the newest states and misses some in between.
    public var states: QueryGroupStates<State> { QueryGroupStates(group: self) }

    /// What a closure makes of the states, without repetitions.
    ///
    /// ```swift
    /// for await total in week.combine({ $0.values.reduce(0, +) }) { show(total) }
    /// ```
    public func combine<Combined: Equatable & Sendable>(
        _ transform: @escaping @Sendable ([State]) -> Combined
    ) -> QueryCombination<Combined> {
        QueryCombination(observe: { self.observe($0) }, transform: { states in transform(states.map { $0.unboxed(as: State.self) }) })
    }

    private func observe(_ hear: @escaping @Sendable ([AnyValue]) -> Void) -> QuerySubscription {
        let session = GroupSession(hear)
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
    /// Several requests, to be observed as one; see ``QueryGroup``.
    public func group<Request: QueryRequest>(_ requests: [Request]) -> QueryGroup<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        QueryGroup(requests.map { store(for: $0.consistent()) }, client: self)
    }
}

extension Collection where Element: QueryStateProtocol {
    /// Whether a run is at work for any of the states.
    public var isFetching: Bool { contains(where: \.isFetching) }

    /// The values that are there, placeholders included, in the order of the states.
    public var values: [Element.QueryValue] { compactMap(\.current) }

    /// The errors of the results that failed, in the order of the states.
    public var errors: [any Error] { compactMap(\.error) }
}
