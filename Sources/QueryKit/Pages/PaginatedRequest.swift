/// A request that is fetched page by page. Its value contains all pages.
///
/// The first run fetches one page; ``QueryStore/fetchNextPage()`` and ``QueryStore/fetchPreviousPage()`` add more. A refetch fetches as
/// many pages as the list has.
///
/// ```swift
/// struct History: PaginatedRequest {
///     var initialPageID: Int { 0 }
///
///     func pageID(
///         after page: QueryPage<Int, [Entry]>,
///         in pages: QueryPages<Int, [Entry]>
///     ) -> Int? {
///         page.value.count < 50 ? nil : page.id + 50
///     }
///
///     func fetchPage(
///         _ id: Int,
///         in context: QueryContext,
///         with continuation: QueryContinuation<[Entry]>
///     ) async throws -> [Entry] {
///         try await context[EntryLog.self].entries(from: id, limit: 50)
///     }
/// }
/// ```
///
/// Pages are fetched one after the other, because each determines the id of the next. The result is published once, at the end. Between two
/// pages, a run can be cancelled. A retry continues with the page that failed.
public protocol PaginatedRequest<PageID, PageValue>: QueryRequest where Value == QueryPages<PageID, PageValue> {
    /// The type that identifies a page: a number, an offset, a cursor, a date.
    associatedtype PageID: Hashable & Sendable

    /// The contents of a page.
    associatedtype PageValue: Sendable

    /// The id of the page that is fetched first.
    var initialPageID: PageID { get }

    /// Returns the id of the page after `page`; `nil` at the end of the list.
    ///
    /// Called after each fetched page. During a refetch, `pages` contains the pages up to this one. If `pages` already contains the
    /// returned id, the list ends here, and an event reports it.
    func pageID(after page: QueryPage<PageID, PageValue>, in pages: QueryPages<PageID, PageValue>) -> PageID?

    /// Returns the id of the page before `page`; `nil` at the beginning of the list. Default: `nil`.
    func pageID(before page: QueryPage<PageID, PageValue>, in pages: QueryPages<PageID, PageValue>) -> PageID?

    /// The maximum number of pages to keep. If adding a page exceeds it, a page at the other end is removed. Default: `nil`, no limit. A
    /// number less than one counts as one.
    ///
    /// Pages that were removed at the beginning can be fetched again only if ``pageID(before:in:)`` leads to them.
    var maxPages: Int? { get }

    /// Fetches one page.
    ///
    /// Intermediate values are shown only while the very first page is being loaded. Later they are ignored, because a list should not move
    /// while it is refreshed.
    @concurrent
    func fetchPage(_ id: PageID, in context: QueryContext, with continuation: QueryContinuation<PageValue>) async throws -> PageValue
}

extension PaginatedRequest {
    public func pageID(before page: QueryPage<PageID, PageValue>, in pages: QueryPages<PageID, PageValue>) -> PageID? { nil }

    public var maxPages: Int? { nil }

    public func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<QueryPages<PageID, PageValue>>
    ) async throws -> QueryPages<PageID, PageValue> {
        try await PageRun(of: self, in: context, with: continuation).result()
    }
}
