/// The state of a list besides its pages. Stores have these members, too.
extension QueryStateProtocol where QueryValue: QueryPagesProtocol {
    /// Whether there is a page after the last; `false` if there are no pages.
    public var hasNextPage: Bool { current?.hasNext ?? false }

    /// Whether there is a page before the first; `false` if there are no pages.
    public var hasPreviousPage: Bool { current?.hasPrevious ?? false }

    /// Whether the current run fetches the page after the last. `false` for a refetch of all pages and for the run that fetches the very
    /// first page.
    public var isFetchingNextPage: Bool { hasPages && record.flags.contains(.nextPage) }

    /// Whether the current run fetches the page before the first. `false` for a refetch of all pages and for the run that fetches the first
    /// page.
    public var isFetchingPreviousPage: Bool { hasPages && record.flags.contains(.previousPage) }

    /// Whether there is a page to which another one can be added. A placeholder doesn't count, nor an intermediate value of the first page:
    /// only the first page is ever shown in part.
    private var hasPages: Bool {
        record.flags.contains(.hasValue) && !record.flags.contains(.partial) && current?.isEmpty == false
    }
}
