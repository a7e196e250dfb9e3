/// A state without its types, as the machinery of a store passes it along: one reference, whatever lies behind it.
///
/// Code that is generic over the state asks the runtime for types at each step, which costs more than the step itself. So the types
/// come in only where somebody looks: see ``QueryStateProtocol/init(_:initialValue:)``.
final class StateBox: Sendable {
    /// A value of the type that the box's store has; the store alone knows which.
    typealias Value = any Sendable

    let record: QueryRecord
    private let size: Int32
    /// The latest value, or a placeholder.
    let current: Value?

    init(record: QueryRecord = QueryRecord(), current: Value? = nil, byteCount: Int = 0) {
        self.record = record
        self.current = current
        size = Int32(clamping: byteCount)
    }

    /// About how many bytes the value takes. Measured when it came, with no lock held: a value may count its own.
    var byteCount: Int { Int(size) }

    /// The same value with another record.
    func with(_ record: QueryRecord) -> StateBox { StateBox(record: record, current: current, byteCount: byteCount) }

    /// The value, for those who know its type.
    func value<Value>(as type: Value.Type = Value.self) -> Value? { current.map { unboxed($0) } }
}

extension QueryStateProtocol {
    /// The state that a box holds.
    init(_ box: StateBox, initialValue: StateValue) {
        self.init(initialValue: initialValue)
        current = box.value()
        record = box.record
    }
}

/// A value that was passed along without its type, for the store that knows it.
func unboxed<Value>(_ value: StateBox.Value, as type: Value.Type = Value.self) -> Value {
    guard let typed = value as? Value else { preconditionFailure("\(value) is in a store of \(Value.self)") }
    return typed
}
