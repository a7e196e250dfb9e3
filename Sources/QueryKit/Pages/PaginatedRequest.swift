/// A request that is fetched page by page, all pages in one value.
///
/// The first run fetches one page; ``QueryStore/fetchNextPage()`` and ``QueryStore/fetchPreviousPage()`` add others. A refetch fetches as many
/// pages as there are.
///
/// ```swift
/// struct History: PaginatedRequest {
///     var initialPageID: Int { 0 }
///
///     func pageID(after page: QueryPage<Int, [Entry]>, in pages: QueryPages<Int, [Entry]>) -> Int? {
///         page.value.count < 50 ? nil : page.id + 50
///     }
///
///     func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<[Entry]>) async throws -> [Entry] {
///         try await context[EntryLog.self].entries(from: id, limit: 50)
///     }
/// }
/// ```
///
/// Pages are fetched one after the other, each with the id that the one before it leads to, and the result is published once, at the end.
/// Between two pages a run can be cancelled. An attempt that follows a failed one goes on with the page that failed.
public protocol PaginatedRequest<PageID, PageValue>: QueryRequest where Value == QueryPages<PageID, PageValue> {
    /// What a page is fetched by: a number, an offset, a cursor, a date.
    associatedtype PageID: Hashable & Sendable

    /// What is on a page.
    associatedtype PageValue: Sendable

    /// The id of the page that is fetched first.
    var initialPageID: PageID { get }

    /// The id of the page that follows the last one; `nil` at the end of the list.
    ///
    /// Asked after each page that was fetched, also during a refetch, where `pages` are those up to this one. An id that is among `pages` already
    /// counts as the end, and an event says so.
    func pageID(after page: QueryPage<PageID, PageValue>, in pages: QueryPages<PageID, PageValue>) -> PageID?

    /// The id of the page that comes before the first one; `nil` at the beginning of the list. Default: `nil`.
    func pageID(before page: QueryPage<PageID, PageValue>, in pages: QueryPages<PageID, PageValue>) -> PageID?

    /// How many pages are kept at most: a page too many goes at the other end. Default: `nil`, all of them. Less than one counts as one.
    ///
    /// Pages that go at the beginning come back only if ``pageID(before:in:)`` leads to them.
    var maxPages: Int? { get }

    /// Fetches one page.
    ///
    /// Intermediate values show while the very first page is being loaded; later they are ignored, because a list that moves while it is
    /// refreshed is no help.
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
