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
    public let initialValue: StateValue
    public var current: QueryValue?
    public var record = QueryRecord()

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

extension QueryState where StateValue == QueryValue? {
    /// The value to show: the latest, or the initial one.
    public var value: QueryValue? { current ?? initialValue }
}

extension QueryState where StateValue == QueryValue {
    /// The value to show: the latest, or the initial one.
    public var value: QueryValue { current ?? initialValue }
}
