/// The state of a request, shared by all equal requests. It is not observable: a view that reads it isn't updated.
///
/// In views and `@Observable` view models use ``SharedQuery`` or ``QueryMirror``. Elsewhere call ``subscribe(with:)`` or iterate over
/// ``states``.
///
/// A client creates and keeps stores; see ``QueryClient/store(for:)``. You can use all members on any thread, and none blocks. A
/// `QueryStore` is a handle that consists of the shared state and the settings of the request it was created with. Subscribing and fetching
/// through a handle use its settings; other handles keep theirs. Two handles of equal requests of one client are equal.
///
/// ```swift
/// let store = client.store(for: Entries(day: today))
/// for await state in store.states { show(state.value ?? []) }
/// ```
@dynamicMemberLookup
public struct QueryStore<State: QueryStateProtocol>: AnyQueryStore {
    /// What a run of the request returns.
    public typealias Value = State.QueryValue

    let core: StoreCore
    private let given: RequestSettings

    init(_ core: StoreCore, _ settings: RequestSettings) {
        self.core = core
        given = settings
    }

    /// The settings of the request, in the current session.
    // Inlined, so that callers need no lookup of the store's type at run time.
    @inline(__always)
    var settings: RequestSettings { core.inPresentSession(given) }

    public var identity: QueryIdentity { core.identity }

    // MARK: State

    /// The current state.
    public var state: State { state(of: core.box) }

    /// A state of the store as this handle shows it, such as with its placeholder.
    func state(of box: StateBox) -> State {
        // Invariant: a store is created with the typing of its state.
        unsafeDowncast(core.typing, to: Typing<State>.self).state(core.shown(box, to: given))
    }

    /// A member of the current state, such as `store.value`.
    public subscript<Member: Sendable>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { state[keyPath: keyPath] }

    package var record: QueryRecord { core.shown(core.box, to: given).record }

    public var path: QueryPath { core.path }

    public var context: QueryContext { settings.context }

    public var isFetching: Bool { core.isFetching }

    public var subscriberCount: Int { core.subscriberCount }

    public var isStale: Bool { core.isStale(by: settings.context) }

    // MARK: Control

    @discardableResult
    public func invalidate() -> QueryRefetches { core.invalidate() }

    @discardableResult
    public func refetch() -> QueryRefetches { QueryRefetches(of: { core.refresh(.manual, $0) }) }

    public func cancel() { core.cancel() }

    public func reset() { core.reset() }
}

extension QueryStore: CustomStringConvertible, CustomReflectable {
    /// The path, without the value.
    public var description: String { "\(path)" }

    public var customMirror: Mirror { Mirror(reflecting: description) }
}

extension QueryStore {
    /// Returns the same handle, typed for an adapter that refers to the state as `Shown.StoreState`. For each state that a store can have,
    /// `StoreState` is the type itself.
    ///
    /// A generic constraint could express this, but with it Swift can't infer the state type of `SharedQuery(request)`.
    func adapted<Shown: QueryStateProtocol>(to shown: Shown.Type) -> QueryStore<Shown.StoreState> {
        precondition(Shown.StoreState.self == State.self, "A store of \(State.self) can't be shown as \(Shown.self)")
        return QueryStore<Shown.StoreState>(core, given)
    }
}

extension QueryStore: Hashable {
    public static func == (left: QueryStore, right: QueryStore) -> Bool { left.core === right.core }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}
