public import QueryKit

/// Nothing that the diary refuses gets better by being asked for again.
extension FoodDiaryError: QueryErrorConvertible {
    public var queryError: QueryError? { QueryError(.invalidParameters, message, underlying: self) }
}
