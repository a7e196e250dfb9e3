public import Observation

/// An observable object of the main actor that mirrors a store. Changes by other code appear only between two turns of the main actor, that
/// is, between two jobs that it executes.
///
/// A mirror subscribes to its store for as long as it exists. Many changes at once cause one update. All mirrors and shared queries of a
/// client are updated together, so they show states of the same moment; observers are called after all of them are updated. Values that you
/// write or fetch through any of them show immediately. When a session ends, its data disappears at once, even within a turn; see
/// ``QueryClient/reset(session:)``.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     private let entries: QueryMirror<EntriesOfDay.State>
///
///     init(day: Day, client: QueryClient) {
///         entries = QueryMirror(EntriesOfDay(day: day), client: client)
///     }
///
///     var rows: [Row] { (entries.value ?? []).map(Row.init) }
///     var showsProgress: Bool { entries.isLoading }
///     func turn(to day: Day) { entries.show(EntriesOfDay(day: day)) }
/// }
/// ```
///
/// To read on any thread, or to keep a query in a value that is copied, use ``SharedQuery``.
@MainActor
@Observable
@dynamicMemberLookup
public final class QueryMirror<State: QueryStateProtocol> {
    /// The store that is mirrored.
    public private(set) var store: QueryStore<State.StoreState>

    @ObservationIgnored private let owner: QueryClient?
    @ObservationIgnored private let fallback: State.QueryValue?
    @ObservationIgnored private var relay: MainActorSubscription<State.StoreState>?
    /// Whether ``show(_:)`` has chosen what is shown, and not the declaration of a view.
    @ObservationIgnored private(set) var isShownByHand = false

    /// The state to show. It changes in three cases only: between two turns of the main actor (a turn is one job that the main actor
    /// executes), when you write or fetch through a property or a mirror, and when the session ends.
    public var state: State {
        access(keyPath: \.state)
        return .showing(relay?.state(of: store) ?? store.state, default: fallback)
    }

    /// The client of the store.
    public var client: QueryClient { owner ?? store.context.queryClient ?? .current }

    /// Mirrors a store.
    public convenience init(_ store: QueryStore<State>) {
        self.init(adapted: store.adapted(to: State.self), client: nil)
    }

    /// Mirrors the store of a request, and keeps its client alive.
    ///
    /// - Parameters:
    ///   - request: The request to show.
    ///   - client: The client that owns the store. Default: ``QueryClient/current``.
    public convenience init<Request: QueryRequest>(
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        let client = client ?? .current
        self.init(adapted: client.store(for: request).adapted(to: State.self), client: client)
    }

    /// Mirrors the store of a request, and shows a default while there is no value, so that ``QueryStateProtocol/value`` is not optional.
    ///
    /// Only the mirror has the default: the store has no value until the first result, as the status shows.
    public convenience init<Request: QueryRequest>(
        _ request: Request,
        default value: Request.Value,
        client: QueryClient? = nil
    ) where State == DefaultedState<Request.State>, Request.State.StateValue: ExpressibleByNilLiteral {
        let client = client ?? .current
        self.init(adapted: client.store(for: request), client: client, default: value)
    }

    init(adapted store: QueryStore<State.StoreState>, client: QueryClient?, default fallback: State.QueryValue? = nil) {
        (self.store, owner, self.fallback) = (store, client, fallback)
        relay = makeRelay()
    }

    /// A member of the state, such as `mirror.value` or `mirror.isFetching`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { state[keyPath: keyPath] }

    // MARK: Switching requests

    /// Shows another request of the same client from now on.
    ///
    /// With ``QueryRequest/keepingPrevious()``, the first state has the previously shown value as a placeholder.
    public func show<Request: QueryRequest>(
        _ request: Request
    ) where Request.State == State.StoreState, Request.State.StateValue: ExpressibleByNilLiteral {
        show(client.store(for: request))
    }

    /// Shows another store from now on. The new subscription begins before the old one ends.
    ///
    /// If it is another handle of the same request, the settings of that handle apply. So the mirror fetches immediately if the new
    /// condition is true and the value is stale under the new time to live.
    public func show(_ store: QueryStore<State.StoreState>) {
        defer { isShownByHand = true }
        if store == self.store {
            adopt(store, wasEnabled: false)
            return catchUp()
        }
        self.store = store
        let former = relay
        let relay = makeRelay()
        withMutation(keyPath: \.state) { self.relay = relay }
        withExtendedLifetime(former) {}
    }

    /// Continues with the settings of another handle of the same request. The shown state stays until the next turn, because a view may be
    /// updating now.
    func adopt(_ store: QueryStore<State.StoreState>, wasEnabled: Bool) {
        (self.store, isShownByHand) = (store, false)
        relay?.adopt(store, wasEnabled: wasEnabled)
    }

    private func makeRelay() -> MainActorSubscription<State.StoreState> {
        MainActorSubscription(store) { [weak self] in self?.withMutation(keyPath: \.state) {} }
    }

    /// Shows the newest states now instead of a moment later, in everything that shows a store of this client.
    private func catchUp() { MainTurn.shared.show(store.core.host) }

    // MARK: Fetching and writing

    /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
    @discardableResult
    public func fetch() async throws -> State.QueryValue {
        defer { catchUp() }
        return try await store.fetch()
    }

    /// Refetches the request, fresh or not, without waiting for it; see ``QueryStore/refetch()``.
    @discardableResult
    public func refetch() -> QueryRefetches {
        defer { catchUp() }
        return store.refetch()
    }

    /// Marks the value as out of date, and refetches it; see ``QueryStore/invalidate()``.
    @discardableResult
    public func invalidate() -> QueryRefetches {
        defer { catchUp() }
        return store.invalidate()
    }

    /// Calls a mutation on the client of this query, and waits for its result. Its layers show immediately; see
    /// ``QueryStore/mutate(with:using:)``.
    @discardableResult
    public func mutate<Arguments: Sendable, Value: Sendable>(
        _ mutation: some QueryRequest<Value, MutationState<Arguments, Value>>,
        with arguments: Arguments
    ) async throws -> Value {
        defer { catchUp() }
        return try await client.store(for: mutation).mutate(with: arguments) { catchUp() }
    }

    /// Writes a value with a mutation, without waiting for it; see ``SharedQuery/setValue(_:via:)``.
    @discardableResult
    public func setValue<Value: Sendable>(
        _ value: State.QueryValue,
        via mutation: some QueryRequest<Value, MutationState<State.QueryValue, Value>>
    ) throws -> MutationCall<State.QueryValue, Value> {
        defer { catchUp() }
        return try client.submitNewest(mutation, with: value)
    }

    /// Like ``setValue(_:via:)``, for a binding, which can't throw.
    func write<Value: Sendable>(
        _ value: State.QueryValue,
        via mutation: some QueryRequest<Value, MutationState<State.QueryValue, Value>>
    ) {
        client.writeNewest(value, via: mutation)
        catchUp()
    }

    /// Writes a value, and shows it immediately; see ``QueryStore/setValue(_:)``.
    public func setValue(_ value: State.QueryValue) {
        store.setValue(value)
        catchUp()
    }

    /// Changes the value, if there is one, and shows it immediately. `change` may be called again; see ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue(_ change: (inout State.QueryValue) throws -> Void) rethrows -> Bool {
        defer { catchUp() }
        return try store.updateValue(change)
    }
}

extension QueryMirror where State.QueryValue: QueryPagesProtocol {
    /// Fetches the page after the last; see ``QueryStore/fetchNextPage()``.
    @discardableResult
    public func fetchNextPage() async throws -> State.QueryValue {
        defer { catchUp() }
        return try await store.fetchNextPage()
    }

    /// Fetches the page before the first; see ``QueryStore/fetchPreviousPage()``.
    @discardableResult
    public func fetchPreviousPage() async throws -> State.QueryValue {
        defer { catchUp() }
        return try await store.fetchPreviousPage()
    }
}

extension QueryMirror: CustomReflectable {
    /// Shows nothing, because the default may be private.
    nonisolated public var customMirror: Mirror { Mirror(self, children: []) }
}
