/// What a list looks like beyond its pages. A store has these members too.
extension QueryStateProtocol where QueryValue: QueryPagesProtocol {
    /// Whether there is a page after the last; `false` while there is none at all.
    public var hasNextPage: Bool { current?.hasNext ?? false }

    /// Whether there is a page before the first; `false` while there is none at all.
    public var hasPreviousPage: Bool { current?.hasPrevious ?? false }

    /// Whether the run at work brings the page after the last. A refetch of all pages does not count, nor the run that brings the very first page.
    public var isFetchingNextPage: Bool { hasPages && record.flags.contains(.nextPage) }

    /// Whether the run at work brings the page before the first. A refetch of all pages does not count, nor the run that brings the very first page.
    public var isFetchingPreviousPage: Bool { hasPages && record.flags.contains(.previousPage) }

    /// Whether there is a page that another one can be added to. A placeholder doesn't count, nor a first page that is still coming in:
    /// only such a page is ever shown in part.
    private var hasPages: Bool {
        record.flags.contains(.hasValue) && !record.flags.contains(.partial) && current?.isEmpty == false
    }
}
