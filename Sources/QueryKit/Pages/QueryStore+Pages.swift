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
}
