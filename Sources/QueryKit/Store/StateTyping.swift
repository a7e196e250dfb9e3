/// What a store needs to know of the types of its request. One object per type of state, so that a store asks the runtime for none.
///
/// The machinery of a store is not generic: values pass through it as `any Sendable`. Code that is generic over the state looks up types
/// at each step, which costs more than the step itself.
protocol StateTyping: AnyObject, Sendable {
    /// Whether the library may start runs by itself; see ``QueryStateProtocol/runsByItself``.
    var runsByItself: Bool { get }
    /// Compares two values; `nil` for a type that isn't Equatable.
    var areEqual: (@Sendable (StateBox.Value, StateBox.Value) -> Bool)? { get }
    /// About how many bytes a value takes.
    func byteCount(of value: StateBox.Value) -> Int
    /// A stand-in made by the closure of a ``QueryPlaceholder``.
    func placeholder(_ maker: any Sendable) -> StateBox.Value?
    /// The tags that a ``ComputedTags`` finds in a value.
    func tags(of value: StateBox.Value, by maker: any Sendable) -> Set<QueryTag>
    /// The state to show, made once for all handlers of a delivery.
    func shown(_ box: StateBox, initial: (any Sendable)?) -> AnyShownState
    /// Calls the handlers that a request brings along.
    func call(_ handlers: [any Sendable], _ delivery: Delivery, _ shown: AnyShownState, _ context: QueryContext)
    /// A handle of a store.
    func handle(_ core: StoreCore, _ settings: RequestSettings) -> any AnyQueryStore
}

final class Typing<State: QueryStateProtocol>: StateTyping {
    private typealias Value = State.QueryValue

    let runsByItself: Bool
    let areEqual: (@Sendable (StateBox.Value, StateBox.Value) -> Bool)?

    /// What a state shows that was given no initial value: `nil`, where that is one.
    private let fallback: State.StateValue?

    /// The typing of a type of state, made the first time.
    static var shared: Typing {
        let key = ObjectIdentifier(State.self)
        if let known = knownTypings.withLock({ $0[key] }) { return unsafeDowncast(known, to: Typing.self) }
        let new = Typing()
        let typing = knownTypings.withLock { known in
            if let known = known[key] { return known }
            known[key] = new
            return new as any StateTyping
        }
        // Invariant: the table holds under each type the typing of that type.
        return unsafeDowncast(typing, to: Typing.self)
    }

    private init() {
        fallback = (State.StateValue.self as? any ExpressibleByNilLiteral.Type).flatMap { Self.makeNil($0) as? State.StateValue }
        runsByItself = State.runsByItself
        areEqual = (Value.self as? any (Equatable & SendableMetatype).Type).map { Self.comparison($0) }
    }

    private static func makeNil<Optional: ExpressibleByNilLiteral>(_ type: Optional.Type) -> Any { nil as Optional }

    private static func comparison<Known: Equatable & SendableMetatype>(_ type: Known.Type)
        -> @Sendable (StateBox.Value, StateBox.Value) -> Bool
    {
        { left, right in unboxed(left, as: Known.self) == unboxed(right) }
    }

    func initialValue(_ initial: (any Sendable)?) -> State.StateValue {
        if let initial { return unboxed(initial) }
        guard let fallback else { preconditionFailure("A store of \(State.self) needs an initial value") }
        return fallback
    }

    func byteCount(of value: StateBox.Value) -> Int { ByteEstimate.of(unboxed(value, as: Value.self)) }

    func placeholder(_ maker: any Sendable) -> StateBox.Value? { (maker as? QueryPlaceholder<Value>)?.make() }

    func tags(of value: StateBox.Value, by maker: any Sendable) -> Set<QueryTag> {
        (maker as? ComputedTags<Value>)?.tags(unboxed(value)) ?? []
    }

    func shown(_ box: StateBox, initial: (any Sendable)?) -> AnyShownState {
        ShownState(State(box, initialValue: initialValue(initial)))
    }

    func call(_ handlers: [any Sendable], _ delivery: Delivery, _ shown: AnyShownState, _ context: QueryContext) {
        // Invariant: a store and what it shows have one type of state.
        let shown = unsafeDowncast(shown, to: ShownState<State>.self)
        for handler in handlers {
            if let handler = handler as? QueryEventHandler<State> { delivery.call(handler, of: nil, shown, context) }
        }
    }

    func handle(_ core: StoreCore, _ settings: RequestSettings) -> any AnyQueryStore { QueryStore<State>(core, settings) }
}

/// The typings of all types of state that the process has met.
private let knownTypings = Lock<[ObjectIdentifier: any StateTyping]>([:])
