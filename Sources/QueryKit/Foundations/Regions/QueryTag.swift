/// A label of requests. All requests with a tag can be invalidated at once, regardless of their paths; see
/// ``QueryClient/invalidate(tags:refetch:)``.
///
/// ```swift
/// client.invalidate(tags: ["ingredient/\(id)"])
/// ```
public struct QueryTag: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The text of the tag.
    public let name: String

    /// Creates a tag. Tags with equal text are equal.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }
}
