/// A state without its types, as the machinery of a store passes it along: one reference, whatever lies behind it.
///
/// Code that is generic over the state asks the runtime for types at each step, which costs more than the step itself. So the types
/// are used only where a state is shown: see ``Typing/state(_:)``.
final class StateBox: Sendable {
    let record: QueryRecord
    private let size: Int32
    /// The latest value, or a placeholder.
    let current: AnyValue?

    init(record: QueryRecord = QueryRecord(), current: AnyValue? = nil, byteCount: Int = 0) {
        self.record = record
        self.current = current
        size = Int32(clamping: byteCount)
    }

    /// About how many bytes the value takes. Measured when it came, with no lock held: a value may count its own.
    var byteCount: Int { Int(size) }

    /// The same value with another record.
    func with(_ record: QueryRecord) -> StateBox { StateBox(record: record, current: current, byteCount: byteCount) }

    /// Whether both hold the same copy of a value, or none.
    func hasSameValue(as other: StateBox) -> Bool {
        guard let current, let theirs = other.current else { return current == nil && other.current == nil }
        return current.isIdentical(to: theirs)
    }

    /// The value, for those who know its type.
    func value<Value>(as type: Value.Type) -> Value? { current.map { $0.unboxed(as: type) } }
}
