public import Observation

/// Mirrors a store for the main actor, as an observable object: what it shows changes between two turns of the main actor, never within one.
///
/// Subscribed exactly as long as it lives. Many changes that come at once are one update. All mirrors and shared queries of a client are updated
/// together, so they show the same moment; observers are called when all of them do. What you write or fetch through one shows at once.
///
/// ```swift
/// @MainActor @Observable final class DayModel {
///     private let entries: QueryMirror<EntriesOfDay.State>
///
///     init(day: Day, client: QueryClient) { entries = QueryMirror(EntriesOfDay(day: day), client: client) }
///
///     var rows: [Row] { (entries.value ?? []).map(Row.init) }
///     var showsProgress: Bool { entries.isLoading }
///     func turn(to day: Day) { entries.show(EntriesOfDay(day: day)) }
/// }
/// ```
///
/// To read on any thread, or to hold one in a value that is copied, take ``SharedQuery``.
@MainActor
@Observable
@dynamicMemberLookup
public final class QueryMirror<State: QueryStateProtocol> {
    /// The store that is mirrored.
    public private(set) var store: QueryStore<State>

    @ObservationIgnored private let client: QueryClient?
    @ObservationIgnored private var relay: MainActorSubscription<State>?

    /// The state of the store, as of this turn of the main actor.
    public var state: State {
        access(keyPath: \.state)
        return relay?.state(of: store) ?? store.state
    }

    /// Mirrors a store.
    public convenience init(_ store: QueryStore<State>) { self.init(store, client: nil) }

    /// Mirrors the store of a request, and keeps its client alive.
    ///
    /// - Parameters:
    ///   - request: What to show.
    ///   - client: Whose store of the request. Default: ``QueryClient/current``.
    public convenience init<Request: QueryRequest>(
        _ request: Request,
        client: QueryClient? = nil
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        let client = client ?? .current
        self.init(client.store(for: request), client: client)
    }

    private init(_ store: QueryStore<State>, client: QueryClient?) {
        self.store = store
        self.client = client
        relay = makeRelay()
    }

    /// A member of the state, such as `mirror.value` or `mirror.isFetching`.
    public subscript<Member>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { state[keyPath: keyPath] }

    // MARK: What is shown

    /// Shows another request of the same client from now on.
    ///
    /// With ``QueryRequest/keepingPrevious()`` its first state has the value that was shown before, as a placeholder.
    public func show<Request: QueryRequest>(
        _ request: Request
    ) where Request.State == State, State.StateValue: ExpressibleByNilLiteral {
        let client = client ?? store.context.queryClient ?? .current
        show(client.store(for: request))
    }

    /// Shows another store from now on. The subscription of the new one begins before that of the old one ends.
    ///
    /// Another store of the same request brings its settings: a condition that holds now, or a shorter time to live, fetches at once.
    public func show(_ store: QueryStore<State>) {
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

    /// Goes on with the settings of another store of the same request. What is shown stays until the next turn: a view may be drawn just now.
    func adopt(_ store: QueryStore<State>, wasEnabled: Bool) {
        self.store = store
        relay?.adopt(store, wasEnabled: wasEnabled)
    }

    private func makeRelay() -> MainActorSubscription<State> {
        MainActorSubscription(store) { [weak self] in self?.withMutation(keyPath: \.state) {} }
    }

    /// Shows the newest state now instead of a moment later: everything that shows a store of this client does.
    private func catchUp() { MainTurn.shared.show(store.core.host) }

    // MARK: What a view does

    /// Runs the request, or joins the run under way, and shows the result; see ``QueryStore/fetch(using:handler:)``.
    @discardableResult
    public func fetch() async throws -> State.QueryValue {
        defer { catchUp() }
        return try await store.fetch()
    }

    /// Writes a value, and shows it at once; see ``QueryStore/setValue(_:)``.
    public func setValue(_ value: State.QueryValue) {
        store.setValue(value)
        catchUp()
    }

    /// Changes the value, if there is one, and shows it at once. `change` may be called again; see ``QueryStore/updateValue(_:)``.
    @discardableResult
    public func updateValue(_ change: (inout State.QueryValue) throws -> Void) rethrows -> Bool {
        defer { catchUp() }
        return try store.updateValue(change)
    }
}
