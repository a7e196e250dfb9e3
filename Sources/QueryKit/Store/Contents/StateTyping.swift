/// The operations of a store that depend on the types of its request. One object per type of state, so that stores need no type lookups.
///
/// The internals of a store are not generic: values pass through them as ``AnyValue``. Generic code looks up types in each step, which
/// costs more than the step itself.
protocol StateTyping: AnyObject, Sendable {
    /// Identifies the type of state.
    var stateType: ObjectIdentifier { get }
    /// Whether the library may start runs on its own; see ``QueryStateProtocol/runsByItself``.
    var runsByItself: Bool { get }
    /// Creates the boxes of values.
    var boxes: AnyValue.Maker { get }
    /// Compares two values; `nil` for a type that isn't Equatable.
    var areEqual: (@Sendable (AnyValue, AnyValue) -> Bool)? { get }
    /// The approximate size of a value in bytes.
    func byteCount(of value: AnyValue) -> Int
    /// The text of a value as `print` shows it.
    func text(of value: AnyValue) -> String
    /// The text and the structure of a value, for an inspector.
    func inspect(_ value: AnyValue, limit: Int) -> InspectedValue
    /// A placeholder created by the closure of a ``QueryPlaceholder``.
    func placeholder(_ maker: any Sendable) -> AnyValue?
    /// The tags that a ``ComputedTags`` computes from a value.
    func tags(of value: AnyValue, by maker: any Sendable) -> Set<QueryTag>
    /// How long a ``TTLRule`` counts a value as fresh.
    func ttl(of value: AnyValue, by rule: any Sendable) -> Duration
    /// The typed state of a box, created once for all handlers of a delivery.
    func shown(_ box: StateBox) -> AnyValue
    /// Calls the handlers of a request's settings.
    func call(_ handlers: [any Sendable], _ event: StateEvent, _ shown: ShownState, _ context: QueryContext)
    /// Creates a handle of a store.
    func handle(_ core: StoreCore, _ settings: RequestSettings) -> any AnyQueryStore
}

final class Typing<State: QueryStateProtocol>: StateTyping {
    private typealias Value = State.QueryValue

    let stateType = ObjectIdentifier(State.self)
    let runsByItself: Bool
    let boxes = AnyValue.Maker(for: State.QueryValue.self)
    private let shownStates = AnyValue.Maker(for: State.self)
    let areEqual: (@Sendable (AnyValue, AnyValue) -> Bool)?
    /// The size of every value, if the type holds nothing behind references.
    private let fixedByteCount: Int?

    /// The initial state, which is copied for each state that is shown, because creating one needs type lookups. `nil` if each store has
    /// its own.
    private let prototype: AnyValue?

    /// The type of state, if it takes values in the type-erased form of a store.
    private let keepingState = State.self as? any KeepingState.Type

    /// The shared typing of a type of state, which is created on first use.
    static var shared: Typing {
        let key = ObjectIdentifier(State.self)
        if let known = knownTypings.withLock({ $0[key] }) { return unsafeDowncast(known, to: Typing.self) }
        let new = Typing()
        let typing = knownTypings.withLock { known in
            if let known = known[key] { return known }
            known[key] = new
            return new as any StateTyping
        }
        // Invariant: the table contains for each type the typing of that type.
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

    /// Creates the typing of a store with its own initial value.
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

    /// The typed state of a box.
    func state(_ box: StateBox) -> State {
        var state = plainState
        if let keepingState {
            withUnsafeMutablePointer(to: &state) { keepingState.show(box.current, box.record, at: $0) }
        } else {
            show(box, in: &state)
        }
        return state
    }

    /// Not inlined, so that the caller needs no type lookups.
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

    func inspect(_ value: AnyValue, limit: Int) -> InspectedValue {
        RunScope.outside { InspectedValue(of: value.unboxed(as: Value.self), limit: limit) }
    }

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

/// The typings of all types of state that the process has used so far.
private let knownTypings = Lock<[ObjectIdentifier: any StateTyping]>([:])
