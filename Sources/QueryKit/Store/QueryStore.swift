/// The one place where a request's state lives: everybody who asks for an equal request shares it.
///
/// A client makes and keeps stores; see ``QueryClient/store(for:)``. All members may be used on any thread, and none blocks. A store is a
/// value that stands for the shared state: two stores of equal requests of one client are equal.
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

    init(_ core: StoreCore) { self.core = core }

    public var identity: QueryIdentity { core.identity }

    // MARK: State

    /// The state of this moment.
    public var state: State { State(core.box, initialValue: initialValue) }

    /// A member of the state of this moment, such as `store.value`.
    public subscript<Member: Sendable>(dynamicMember keyPath: KeyPath<State, Member>) -> Member { state[keyPath: keyPath] }

    public var record: QueryRecord { core.record }

    public var path: QueryPath { core.path }

    public var context: QueryContext { core.context }

    public var isFetching: Bool { core.isFetching }

    public var subscriberCount: Int { core.subscriberCount }

    public var isStale: Bool { core.isStale }

    /// What the state shows while there is no value.
    var initialValue: State.StateValue {
        // Invariant: a store is made with the typing of its state.
        unsafeDowncast(core.typing, to: Typing<State>.self).initialValue(core.initial)
    }

    // MARK: Control

    public func invalidate() { core.invalidate() }

    public func cancel() { core.cancel() }

    public func reset() { core.reset() }
}

extension QueryStore: Hashable {
    public static func == (left: QueryStore, right: QueryStore) -> Bool { left.core === right.core }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}
