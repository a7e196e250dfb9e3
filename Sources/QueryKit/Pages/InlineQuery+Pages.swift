extension InlineQuery {
    /// Creates a query that fetches a list page by page. Put everything that the closures capture into the path.
    ///
    /// ```swift
    /// InlineQuery("posts", firstPage: 0) { page, _ in
    ///     page.value.isEmpty ? nil : page.id + 1
    /// } fetchPage: { number, context in
    ///     try await context.posts.page(number)
    /// }
    /// ```
    ///
    /// ``PaginatedRequest`` is the longer form.
    ///
    /// - Parameters:
    ///   - path: The position of the request in the hierarchy that patterns match. A string is split at `/`.
    ///   - elements: More elements of the path, such as an id.
    ///   - firstPage: The id of the page that is fetched first.
    ///   - maxPages: The maximum number of pages to keep. Default: `nil`, all of them.
    ///   - nextPage: Returns the id of the page after the last one; `nil` at the end of the list.
    ///   - previousPage: Returns the id of the page before the first one. Default: there is none.
    ///   - fetchPage: Fetches one page.
    ///   - file: The file that contains the closures, for messages.
    ///   - line: The line of the closures, for messages.
    public init<PageID: Hashable & Sendable, Page: Sendable>(
        _ path: QueryPath,
        _ elements: any Hashable & Sendable...,
        firstPage: PageID,
        maxPages: Int? = nil,
        nextPage: @escaping @Sendable (QueryPage<PageID, Page>, QueryPages<PageID, Page>) -> PageID?,
        previousPage: (@Sendable (QueryPage<PageID, Page>, QueryPages<PageID, Page>) -> PageID?)? = nil,
        fetchPage: @escaping @Sendable (PageID, QueryContext) async throws -> Page,
        file: StaticString = #fileID,
        line: UInt = #line
    ) where Value == QueryPages<PageID, Page> {
        let address = InlineQuery(path, elements, nil)
        let pages = InlinePages(
            address: address,
            initialPageID: firstPage,
            maxPages: maxPages,
            next: nextPage,
            previous: previousPage,
            fetch: fetchPage
        )
        self.init(
            address.path,
            [],
            InlineSource(CodeLocation(file, line), maxPages: maxPages) { context, continuation in
                try await pages.fetch(in: context, with: continuation)
            }
        )
    }
}

/// Fetches the pages of an inline query.
private struct InlinePages<PageID: Hashable & Sendable, PageValue: Sendable>: PaginatedRequest {
    typealias Pages = QueryPages<PageID, PageValue>
    typealias Neighbor = @Sendable (QueryPage<PageID, PageValue>, Pages) -> PageID?

    let address: InlineQuery<Pages>
    let initialPageID: PageID
    let maxPages: Int?
    let next: Neighbor
    let previous: Neighbor?
    let fetch: @Sendable (PageID, QueryContext) async throws -> PageValue

    var path: QueryPath { address.path }

    // It has the identity of the inline query, because it works in a run of that query.
    var identity: QueryIdentity { address.identity }

    func pageID(after page: QueryPage<PageID, PageValue>, in pages: Pages) -> PageID? { next(page, pages) }

    func pageID(before page: QueryPage<PageID, PageValue>, in pages: Pages) -> PageID? { previous?(page, pages) }

    func fetchPage(_ id: PageID, in context: QueryContext, with continuation: QueryContinuation<PageValue>) async throws -> PageValue {
        try await fetch(id, context)
    }

    static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    func hash(into hasher: inout Hasher) { hasher.combine(address) }
}
