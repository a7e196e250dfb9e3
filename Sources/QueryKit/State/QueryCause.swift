/// Why a run began, or why a state changed.
///
/// New causes may come, so compare with `==` and expect others.
public struct QueryCause: Hashable, Sendable {
    private enum Kind: UInt8 {
        case created, manual, subscribed, stale, invalidated, written, reset, cancelled
    }

    private let kind: Kind

    /// The pattern of the invalidation, for ``invalidated(_:)``.
    public let pattern: QueryPattern?

    private init(_ kind: Kind, pattern: QueryPattern? = nil) {
        self.kind = kind
        self.pattern = pattern
    }

    /// The store was made; nothing has happened to it.
    public static let created = QueryCause(.created)

    /// Somebody called `fetch`, or asked for a refetch by name.
    public static let manual = QueryCause(.manual)

    /// Somebody subscribed, and there was no result yet.
    public static let subscribed = QueryCause(.subscribed)

    /// Somebody subscribed, and the result was too old or had failed.
    public static let stale = QueryCause(.stale)

    /// An invalidation named the request.
    public static func invalidated(_ pattern: QueryPattern) -> QueryCause { QueryCause(.invalidated, pattern: pattern) }

    /// Somebody wrote a value or a result.
    public static let written = QueryCause(.written)

    /// The store was reset, removed or cleared.
    public static let reset = QueryCause(.reset)

    /// A run was cancelled, and the state went back to what it was.
    public static let cancelled = QueryCause(.cancelled)
}

extension QueryCause: CustomStringConvertible {
    public var description: String {
        if let pattern { return "invalidated(\(pattern))" }
        return "\(kind)"
    }
}
