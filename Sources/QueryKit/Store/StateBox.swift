/// A state without its types, as the machinery of a store passes it along: one reference, whatever lies behind it.
///
/// Code that is generic over the state asks the runtime for types at each step, which costs more than the step itself. So all that
/// is generic about a store is this box, the store's own members, and the subscriber that calls a handler.
// Invariant: immutable, and the one subclass holds a Sendable value.
class StateBox: @unchecked Sendable {
    /// A value of the type that the box's store has; the store alone knows which.
    typealias Value = any Sendable

    /// About how many bytes the value takes. Measured when it came, with no lock held: a value may count its own.
    let byteCount: Int

    fileprivate init(byteCount: Int) { self.byteCount = byteCount }

    var record: QueryRecord { preconditionFailure("A box without a state") }

    var hasCurrent: Bool { preconditionFailure("A box without a state") }

    /// The state with another record.
    func with(_ record: QueryRecord) -> StateBox { preconditionFailure("A box without a state") }

    /// The state with another record and value.
    func with(_ record: QueryRecord, value: Value?, byteCount: Int) -> StateBox { preconditionFailure("A box without a state") }
}

// Invariant: immutable, and the state is Sendable.
final class TypedStateBox<State: QueryStateProtocol>: StateBox, @unchecked Sendable {
    let state: State

    // Required, so that a box can make another by its own type, which is at hand; by its name it would have to be looked up.
    required init(_ state: State, byteCount: Int) {
        self.state = state
        super.init(byteCount: byteCount)
    }

    override var record: QueryRecord { state.record }

    override var hasCurrent: Bool { state.current != nil }

    override func with(_ record: QueryRecord) -> StateBox {
        var state = self.state
        state.record = record
        return Self(state, byteCount: byteCount)
    }

    override func with(_ record: QueryRecord, value: Value?, byteCount: Int) -> StateBox {
        var state = self.state
        state.record = record
        state.current = value.map { unboxed($0) }
        return Self(state, byteCount: byteCount)
    }

    @inline(__always)
    fileprivate func show(to handler: QueryEventHandler<State>, _ context: QueryContext) {
        handler.onStateChanged?(state, context)
    }
}

extension StateBox {
    /// The state, for those who know its type.
    @inline(__always)
    func typed<State: QueryStateProtocol>(as type: State.Type = State.self) -> TypedStateBox<State> {
        // Invariant: a box comes from the store that unpacks it, or goes back to it; a store has one type of state.
        unsafeDowncast(self, to: TypedStateBox<State>.self)
    }

    /// Calls a handler with the state where it lies: a copy for each of many handlers would cost more than the calls.
    @inline(__always)
    func show<State: QueryStateProtocol>(to handler: QueryEventHandler<State>, _ context: QueryContext) {
        typed(as: State.self).show(to: handler, context)
    }
}

/// A value that was passed along without its type, for the store that knows it.
func unboxed<Value>(_ value: StateBox.Value, as type: Value.Type = Value.self) -> Value {
    guard let typed = value as? Value else { preconditionFailure("\(value) is in a store of \(Value.self)") }
    return typed
}
