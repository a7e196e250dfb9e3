/// Fetches of additional pages, or of one page again.
///
/// All of these methods wait for a run of another kind, such as a refetch, and join one of the same kind. If the value is written in the
/// meantime, they fetch their page again, because it must match what was written. If they fail, the pages stay, and the status is
/// `.result(.failure)`, as after any run; the state's cause shows which run it was.
extension QueryStore where State.QueryValue: QueryPagesProtocol {
    /// Fetches the page after the last, and returns all pages. Starts no run if there is no such page. An empty store fetches its first
    /// page.
    ///
    /// Simultaneous calls share one run.
    @discardableResult
    public func fetchNextPage() async throws -> Value {
        try await fetch(choosing: { pages, isRunning in
            // The run under way may find more pages than are known now.
            if let pages, !pages.isEmpty, !pages.hasNext, !isRunning { nil } else { .next }
        })
    }

    /// Fetches the page before the first, and returns all pages. Starts no run if there is no such page. An empty store fetches its first
    /// page.
    ///
    /// Simultaneous calls share one run.
    @discardableResult
    public func fetchPreviousPage() async throws -> Value {
        try await fetch(choosing: { pages, isRunning in
            if let pages, !pages.isEmpty, !pages.hasPrevious, !isRunning { nil } else { .previous }
        })
    }

    /// Fetches the page with an id, and returns all pages.
    ///
    /// If the list contains the page, only that page is refetched. A next or previous page is added, as with ``fetchNextPage()``. With any
    /// other id, that page replaces the whole list.
    @discardableResult
    public func fetchPage(_ id: Value.PageID) async throws -> Value {
        try await fetch(choosing: { pages, _ in
            if pages?.nextPageID == id { .next } else if pages?.previousPageID == id { .previous } else { .page(QueryIdentity(id)) }
        })
    }

    /// Ensures that the list is fresh and has at least this many pages, for a screen that will soon show them. An error is kept in the
    /// store.
    ///
    /// A missing or stale list is fetched first, as with ``QueryClient/prefetch(_:)``. The missing pages follow one after the other, as
    /// with ``fetchNextPage()``, and each is published when it arrives. If the list is fresh and long enough, no run starts. Fetching stops
    /// at the end of the list, at ``PaginatedRequest/maxPages``, at the first page that fails, and when the calling task is cancelled.
    ///
    /// - Parameter count: The minimum number of pages. Less than one counts as one.
    public func prefetch(pages count: Int) async { try? await bring(count) }

    /// The maximum number of pages that the request keeps.
    private var maxPages: Int? {
        let request = settings.request.unwrapped
        return (request as? any PaginatedRequest)?.maxPages ?? (request as? any ClosureRequest)?.inlineSource?.maxPages
    }

    private func bring(_ count: Int) async throws {
        // Pages beyond the maximum would push out the first ones.
        let window = maxPages.map { max($0, 1) } ?? .max
        let limit = min(max(count, 1), window)
        var pages = try await freshValue()
        // Each round fetches one page. The number of rounds is limited, so that this ends even if the list is emptied again and again.
        var rounds = 1
        while pages.count < limit, pages.hasNext, rounds < limit {
            rounds += 1
            pages = try await fetch(choosing: { pages, isRunning in
                if let pages, pages.count >= limit || !pages.isEmpty && !pages.hasNext && !isRunning { nil } else { .next }
            })
        }
    }
}
