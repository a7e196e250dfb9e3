/// What a list looks like beyond its pages. A store has these members too.
extension QueryStateProtocol where QueryValue: QueryPagesProtocol {
    /// Whether there is a page after the last; `false` while there is none at all.
    public var hasNextPage: Bool { current?.hasNext ?? false }

    /// Whether there is a page before the first; `false` while there is none at all.
    public var hasPreviousPage: Bool { current?.hasPrevious ?? false }

    /// Whether the run at work brings the page after the last. A refetch of all pages does not count.
    public var isFetchingNextPage: Bool { record.flags.contains(.nextPage) }

    /// Whether the run at work brings the page before the first. A refetch of all pages does not count.
    public var isFetchingPreviousPage: Bool { record.flags.contains(.previousPage) }
}
