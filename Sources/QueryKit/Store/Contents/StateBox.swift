/// A type-erased state, in the form in which the internals of a store pass it: one reference, regardless of the type.
///
/// Generic code looks up types at run time in each step, which costs more than the step itself. So the types are used only where a state is
/// shown; see ``Typing/state(_:)``.
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

    /// The approximate size of the value in bytes. It was measured without a lock, because a value may estimate its own size.
    var byteCount: Int { Int(size) }

    /// A state with the same value and another record.
    func with(_ record: QueryRecord) -> StateBox { StateBox(record: record, current: current, byteCount: byteCount) }

    /// The state as observers see it while an inspector makes the store look different; otherwise this state.
    var shown: StateBox {
        if record.flags.isDisjoint(with: .simulated) { return self }
        let isLoading = record.flags.contains(.simulatedLoading)
        return StateBox(record: record.simulated, current: isLoading ? nil : current, byteCount: byteCount)
    }

    /// Whether both refer to the same copy of a value, or have none.
    func hasSameValue(as other: StateBox) -> Bool {
        guard let current, let theirs = other.current else { return current == nil && other.current == nil }
        return current.isIdentical(to: theirs)
    }

    /// The value as its type, which the caller must know.
    func value<Value>(as type: Value.Type) -> Value? { current.map { $0.unboxed(as: type) } }
}
