/// One page more, or one page again.
///
/// All of these wait for a run that brings something else, such as a refetch, and join one that brings the same. A write in the
/// meantime makes them fetch their page again, because it has to go with what was written. When they fail, the pages stay, and the
/// state says `.failure`, as after any run; its cause tells which run it was.
extension QueryStore where State.QueryValue: QueryPagesProtocol {
    /// Fetches the page after the last, and returns all pages. Where there is none, runs nothing; an empty store gets its first page.
    ///
    /// Two calls at once are one.
    @discardableResult
    public func fetchNextPage() async throws -> Value {
        try await fetch(choosing: { pages, isRunning in
            // What a run under way finds may be longer than what is known now.
            if let pages, !pages.isEmpty, !pages.hasNext, !isRunning { nil } else { .next }
        })
    }

    /// Fetches the page before the first, and returns all pages. Where there is none, runs nothing; an empty store gets its first page.
    ///
    /// Two calls at once are one.
    @discardableResult
    public func fetchPreviousPage() async throws -> Value {
        try await fetch(choosing: { pages, isRunning in
            if let pages, !pages.isEmpty, !pages.hasPrevious, !isRunning { nil } else { .previous }
        })
    }

    /// Fetches the page with an id, and returns all pages.
    ///
    /// A page that is there is fetched again, and no other. One that comes next or before is added, as by ``fetchNextPage()``. With any other
    /// id the list starts over with that page alone.
    @discardableResult
    public func fetchPage(_ id: Value.PageID) async throws -> Value {
        try await fetch(choosing: { pages, _ in
            if pages?.nextPageID == id { .next } else if pages?.previousPageID == id { .previous } else { .page(QueryIdentity(id)) }
        })
    }

    /// Makes sure that the list is fresh and has at least so many pages, for a screen that will soon show them. An error stays in the store.
    ///
    /// A list that is not there or not fresh is fetched first, as by ``QueryClient/prefetch(_:)``. The pages that it lacks follow one after the
    /// other, each published when it is there, as by ``fetchNextPage()``. Where the list is fresh and long enough, nothing runs. It stops at
    /// the end of the list, at ``PaginatedRequest/maxPages``, at the first page that fails, and when the calling task is cancelled.
    ///
    /// - Parameter count: How many pages there have to be. Less than one counts as one.
    public func prefetch(pages count: Int) async { try? await bring(count) }

    /// How many pages the request keeps at most.
    private var maxPages: Int? {
        let request = settings.request.unwrapped
        return (request as? any PaginatedRequest)?.maxPages ?? (request as? any ClosureRequest)?.inlineSource?.maxPages
    }

    private func bring(_ count: Int) async throws {
        // More pages than the window holds would push the first ones out.
        let window = maxPages.map { max($0, 1) } ?? .max
        let limit = min(max(count, 1), window)
        var pages = try await freshValue()
        // Each round brings a page. If the list is emptied in between, again and again, this ends all the same.
        var rounds = 1
        while pages.count < limit, pages.hasNext, rounds < limit {
            rounds += 1
            pages = try await fetch(choosing: { pages, isRunning in
                if let pages, pages.count >= limit || !pages.isEmpty && !pages.hasNext && !isRunning { nil } else { .next }
            })
        }
    }
}
