/// A value that consists of pages. ``QueryPages`` conforms to it; other types need not.
public protocol QueryPagesProtocol<PageID>: Sendable {
    /// The type that identifies a page.
    associatedtype PageID: Hashable & Sendable

    /// How many pages there are.
    var count: Int { get }

    /// Whether there is no page.
    var isEmpty: Bool { get }

    /// The id of the page after the last; `nil` at the end of the list. Determined when the pages were fetched.
    var nextPageID: PageID? { get }

    /// The id of the page before the first; `nil` at the beginning of the list. Determined when the pages were fetched.
    var previousPageID: PageID? { get }
}

extension QueryPagesProtocol {
    /// Whether there is a page after the last.
    public var hasNext: Bool { nextPageID != nil }

    /// Whether there is a page before the first.
    public var hasPrevious: Bool { previousPageID != nil }
}
