/// An error of another library that says what kind of trouble it is, so that recovery treats it like QueryKit's own.
///
/// It crosses the library unchanged; only ``QueryRecovery`` asks.
public protocol QueryErrorConvertible: Error {
    /// The error in QueryKit's terms; `nil` where none of them fits.
    var queryError: QueryError? { get }
}
