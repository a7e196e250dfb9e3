/// The state of a request that has one value.
///
/// `StateValue` is `QueryValue?`, or `QueryValue` itself for a request that always has something to show.
///
/// ```swift
/// switch store.state.status {
/// case .idle, .loading: showProgress()
/// case .result(.success(let entries)): show(entries)
/// case .result(.failure(let error)): show(error)
/// }
/// ```
public struct QueryState<StateValue: Sendable, QueryValue: Sendable>: QueryStateProtocol {
    // What has the same size for all types comes first, so that it's found without asking for them.
    public var record = QueryRecord()
    /// The latest value as the store keeps it: one reference, so that a state is made and copied without asking for types.
    private var kept: AnyValue?
    public let initialValue: StateValue

    public var current: QueryValue? {
        get { kept?.unboxed(as: QueryValue.self) }
        set { kept = newValue.map { AnyValue($0) } }
    }

    /// Creates the state of a request that never ran. Traps unless `StateValue` is `QueryValue` or `QueryValue?`.
    public init(initialValue: StateValue) {
        precondition(
            StateValue.self == QueryValue.self || StateValue.self == QueryValue?.self,
            "QueryState<\(StateValue.self), \(QueryValue.self)> can not show a \(QueryValue.self)"
        )
        self.initialValue = initialValue
    }

    public var value: StateValue {
        guard let current else { return initialValue }
        // The initialiser made sure of the type.
        return current as? StateValue ?? initialValue
    }
}

/// A state that keeps its value as its store does.
protocol KeepingState: QueryStateProtocol {
    /// Sets what a store knows, in the state at an address, which is of the right type.
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
    /// The value to show: the latest, or the initial one.
    public var value: QueryValue? { current ?? initialValue }
}

extension QueryState where StateValue == QueryValue {
    /// The value to show: the latest, or the initial one.
    public var value: QueryValue { current ?? initialValue }
}
