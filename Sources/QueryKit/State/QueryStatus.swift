/// Whether a request has a result, is fetching its first one, or neither.
///
/// `.idle` differs from `.result(.success([]))`: "not loaded" is never confused with "loaded and empty".
public enum QueryStatus<Value: Sendable>: Sendable {
    /// There is no result, and no run is under way.
    case idle

    /// The first result is being fetched.
    case loading

    /// The latest result. A refetch keeps it; see `isFetching`.
    case result(Result<Value, any Error>)

    /// Whether this is ``idle``.
    public var isIdle: Bool {
        if case .idle = self { true } else { false }
    }

    /// Whether this is ``loading``.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The value of a successful result.
    public var success: Value? {
        if case .result(.success(let value)) = self { value } else { nil }
    }

    /// Returns this status with its successful value transformed by a closure.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> QueryStatus<Other> {
        try flatMap { .result(.success(try transform($0))) }
    }

    /// Returns the status that a closure derives from a successful value; any other status is returned unchanged.
    ///
    /// ```swift
    /// let first = status.flatMap { trips in
    ///     trips.first.map { .result(.success($0)) } ?? .idle
    /// }
    /// ```
    public func flatMap<Other: Sendable>(_ transform: (Value) throws -> QueryStatus<Other>) rethrows -> QueryStatus<Other> {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .result(.success(let value)): try transform(value)
        case .result(.failure(let error)): .result(.failure(error))
        }
    }

    /// The error of a failed result.
    public var failure: (any Error)? {
        if case .result(.failure(let error)) = self { error } else { nil }
    }
}

extension QueryStatus: Equatable where Value: Equatable {
    /// Compares errors by their descriptions, because errors don't have to be Equatable.
    public static func == (left: QueryStatus, right: QueryStatus) -> Bool {
        switch (left, right) {
        case (.idle, .idle), (.loading, .loading): true
        case (.result(.success(let left)), .result(.success(let right))): left == right
        case (.result(.failure(let left)), .result(.failure(let right))): "\(left)" == "\(right)"
        default: false
        }
    }
}
