public import QueryKit

/// Errors of the diary are not retried: another attempt would fail in the same way.
extension FoodDiaryError: QueryErrorConvertible {
    public var queryError: QueryError? { QueryError(.invalidParameters, message, underlying: self) }
}
