/// Whether a request has a result: not asked for, on its way for the first time, or here.
///
/// `.idle` and `.result(.success([]))` are two things: "not loaded" is never taken for "loaded, and empty".
public enum QueryStatus<Value: Sendable>: Sendable {
    /// No result, and no run on its way to one.
    case idle

    /// The first result is on its way.
    case loading

    /// The latest result. A refresh keeps it; see `isFetching`.
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

    /// The same status with another value: of a success, what the closure makes of it.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> QueryStatus<Other> {
        try flatMap { .result(.success(try transform($0))) }
    }

    /// The same status, or the one that the closure makes of the value of a success.
    ///
    /// ```swift
    /// let first = status.flatMap { trips in trips.first.map { .result(.success($0)) } ?? .idle }
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
    /// Errors are equal when their descriptions are: errors need not be Equatable.
    public static func == (left: QueryStatus, right: QueryStatus) -> Bool {
        switch (left, right) {
        case (.idle, .idle), (.loading, .loading): true
        case (.result(.success(let left)), .result(.success(let right))): left == right
        case (.result(.failure(let left)), .result(.failure(let right))): "\(left)" == "\(right)"
        default: false
        }
    }
}
