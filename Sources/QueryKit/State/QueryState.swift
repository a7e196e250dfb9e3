/// The state of a request that has one value.
///
/// Printing a state shows its value. Printing a store, a mirror, a property or an event doesn't.
///
/// `StateValue` is `QueryValue?`, or `QueryValue` for a request that always has a value to show.
///
/// ```swift
/// switch store.state.status {
/// case .idle, .loading: showProgress()
/// case .result(.success(let entries)): show(entries)
/// case .result(.failure(let error)): show(error)
/// }
/// ```
public struct QueryState<StateValue: Sendable, QueryValue: Sendable>: QueryStateProtocol {
    // The properties that have the same size for all types come first, so that they can be accessed without type metadata.
    public var record = QueryRecord()
    /// The latest value as the store keeps it: one reference, so that creating and copying a state needs no type metadata.
    private var kept: AnyValue?
    public let initialValue: StateValue

    public var current: QueryValue? {
        get { kept?.unboxed(as: QueryValue.self) }
        set { kept = newValue.map { AnyValue($0) } }
    }

    /// Creates the state of a request that has never run. Traps unless `StateValue` is `QueryValue` or `QueryValue?`.
    public init(initialValue: StateValue) {
        precondition(
            StateValue.self == QueryValue.self || StateValue.self == QueryValue?.self,
            "QueryState<\(StateValue.self), \(QueryValue.self)> is invalid: StateValue must be QueryValue or QueryValue?"
        )
        self.initialValue = initialValue
    }

    public var value: StateValue {
        guard let current else { return initialValue }
        // The initializer has checked the type.
        return current as? StateValue ?? initialValue
    }
}

/// A state that keeps its value in the same form as its store, as an ``AnyValue``.
protocol KeepingState: QueryStateProtocol {
    /// Sets value and record of the state at `address`, which must be of this type.
    static func show(_ current: AnyValue?, _ record: QueryRecord, at address: UnsafeMutableRawPointer)
}

extension QueryState: KeepingState {
    static func show(_ current: AnyValue?, _ record: QueryRecord, at address: UnsafeMutableRawPointer) {
        let state = address.assumingMemoryBound(to: Self.self)
        state.pointee.kept = current
        state.pointee.record = record
    }
}

extension QueryState where StateValue == QueryValue? {
    /// The value to show: the latest one, or the initial value if there is none.
    public var value: QueryValue? { current ?? initialValue }
}

extension QueryState where StateValue == QueryValue {
    /// The value to show: the latest one, or the initial value if there is none.
    public var value: QueryValue { current ?? initialValue }
}
