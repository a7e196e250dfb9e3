/// A value that is made of pages. ``QueryPages`` is one, and there need be no other.
public protocol QueryPagesProtocol<PageID>: Sendable {
    /// What a page is fetched by.
    associatedtype PageID: Hashable & Sendable

    /// How many pages there are.
    var count: Int { get }

    /// Whether there is no page.
    var isEmpty: Bool { get }

    /// The id of the page after the last; `nil` when that is the end of the list. Found out when the pages were fetched.
    var nextPageID: PageID? { get }

    /// The id of the page before the first; `nil` when that is the beginning of the list. Found out when the pages were fetched.
    var previousPageID: PageID? { get }
}

extension QueryPagesProtocol {
    /// Whether there is a page after the last.
    public var hasNext: Bool { nextPageID != nil }

    /// Whether there is a page before the first.
    public var hasPrevious: Bool { previousPageID != nil }
}
