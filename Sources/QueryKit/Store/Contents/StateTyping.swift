/// What a store needs to know of the types of its request. One object per type of state, so that a store asks the runtime for none.
///
/// The machinery of a store is not generic: values pass through it as `any Sendable`. Code that is generic over the state looks up types
/// at each step, which costs more than the step itself.
protocol StateTyping: AnyObject, Sendable {
    /// The type of state.
    var stateType: ObjectIdentifier { get }
    /// Whether the library may start runs by itself; see ``QueryStateProtocol/runsByItself``.
    var runsByItself: Bool { get }
    /// Makes the boxes of values.
    var boxes: AnyValue.Maker { get }
    /// Compares two values; `nil` for a type that isn't Equatable.
    var areEqual: (@Sendable (AnyValue, AnyValue) -> Bool)? { get }
    /// About how many bytes a value takes.
    func byteCount(of value: AnyValue) -> Int
    /// A value as `print` would show it.
    func text(of value: AnyValue) -> String
    /// A stand-in made by the closure of a ``QueryPlaceholder``.
    func placeholder(_ maker: any Sendable) -> AnyValue?
    /// The tags that a ``ComputedTags`` finds in a value.
    func tags(of value: AnyValue, by maker: any Sendable) -> Set<QueryTag>
    /// How long a ``TTLRule`` counts a value as fresh.
    func ttl(of value: AnyValue, by rule: any Sendable) -> Duration
    /// The state to show, made once for all handlers of a delivery.
    func shown(_ box: StateBox) -> AnyValue
    /// Calls the handlers that a request brings along.
    func call(_ handlers: [any Sendable], _ event: StateEvent, _ shown: ShownState, _ context: QueryContext)
    /// A handle of a store.
    func handle(_ core: StoreCore, _ settings: RequestSettings) -> any AnyQueryStore
}

final class Typing<State: QueryStateProtocol>: StateTyping {
    private typealias Value = State.QueryValue

    let stateType = ObjectIdentifier(State.self)
    let runsByItself: Bool
    let boxes = AnyValue.Maker(for: State.QueryValue.self)
    private let shownStates = AnyValue.Maker(for: State.self)
    let areEqual: (@Sendable (AnyValue, AnyValue) -> Bool)?
    /// The size of every value, for a type that holds nothing behind references.
    private let fixedByteCount: Int?

    /// The state to which nothing has happened; `nil` if a store has to bring its initial value. Copied for each state that is shown, because
    /// making one asks for types.
    private let prototype: AnyValue?

    /// The type of state again, if such states take a value as a store keeps it.
    private let keepingState = State.self as? any KeepingState.Type

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
        prototype = (State.StateValue.self as? any ExpressibleByNilLiteral.Type)
            .flatMap { Self.makeNil($0) as? State.StateValue }
            .map { AnyValue(State(initialValue: $0)) }
        runsByItself = State.runsByItself
        fixedByteCount = ByteEstimate.fixed(for: Value.self)
        areEqual = (Value.self as? any (Equatable & SendableMetatype).Type).map { Self.comparison($0) }
    }

    /// The typing of a store with an initial value of its own.
    init(beginningWith initialValue: State.StateValue) {
        prototype = AnyValue(State(initialValue: initialValue))
        let shared = Self.shared
        (runsByItself, fixedByteCount, areEqual) = (shared.runsByItself, shared.fixedByteCount, shared.areEqual)
    }

    private static func makeNil<Optional: ExpressibleByNilLiteral>(_ type: Optional.Type) -> Any { nil as Optional }

    private static func comparison<Known: Equatable & SendableMetatype>(_ type: Known.Type)
        -> @Sendable (AnyValue, AnyValue) -> Bool
    {
        { left, right in left.unboxed(as: Known.self) == right.unboxed(as: Known.self) }
    }

    /// The state that a box holds.
    func state(_ box: StateBox) -> State {
        var state = plainState
        if let keepingState {
            withUnsafeMutablePointer(to: &state) { keepingState.show(box.current, box.record, at: $0) }
        } else {
            show(box, in: &state)
        }
        return state
    }

    /// Apart from its caller, which asks for no types then.
    @inline(never)
    private func show(_ box: StateBox, in state: inout State) {
        if let current = box.current { state.current = current.unboxed(as: State.QueryValue.self) }
        state.record = box.record
    }

    private var plainState: State {
        guard let prototype else { preconditionFailure("A store of \(State.self) needs an initial value") }
        return prototype.unboxed(as: State.self)
    }

    func byteCount(of value: AnyValue) -> Int { fixedByteCount ?? ByteEstimate.of(value.unboxed(as: Value.self)) }

    func text(of value: AnyValue) -> String { String(describing: value.unboxed(as: Value.self)) }

    func placeholder(_ maker: any Sendable) -> AnyValue? { (maker as? QueryPlaceholder<Value>).map { AnyValue($0.make()) } }

    func tags(of value: AnyValue, by maker: any Sendable) -> Set<QueryTag> {
        (maker as? ComputedTags<Value>)?.tags(value.unboxed(as: Value.self)) ?? []
    }

    func ttl(of value: AnyValue, by rule: any Sendable) -> Duration {
        (rule as? TTLRule<Value>)?.duration(value.unboxed(as: Value.self)) ?? .zero
    }

    func shown(_ box: StateBox) -> AnyValue { shownStates.box(state(box)) }

    func call(_ handlers: [any Sendable], _ event: StateEvent, _ shown: ShownState, _ context: QueryContext) {
        for handler in handlers {
            if let handler = handler as? QueryEventHandler<State> { event.call(handler, of: nil, shown, context) }
        }
    }

    func handle(_ core: StoreCore, _ settings: RequestSettings) -> any AnyQueryStore { QueryStore<State>(core, settings) }
}

/// The typings of all types of state that the process has met.
private let knownTypings = Lock<[ObjectIdentifier: any StateTyping]>([:])
