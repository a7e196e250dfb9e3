/// A label that requests carry, so that all requests with it can be invalidated at once whatever their paths; see ``QueryClient/invalidate(tags:refetch:)``.
///
/// ```swift
/// client.invalidate(tags: ["ingredient/\(id)"])
/// ```
public struct QueryTag: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The text of the tag.
    public let name: String

    /// Creates a tag; equal texts are equal tags.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }
}
