/// What a change touches: data sources say what has changed, and the requests that read it run again.
extension QueryClient {
    /// Tells the client that something changed in a data source. All requests that read one of the regions are out of date; those with
    /// observers or waiting callers run again.
    ///
    /// Call it when the change can be read, such as after a commit. Within a mutation, call it in the mutation's task: then the
    /// optimistic layers of that mutation go with the next result. A fetch that makes the change itself is not repeated: it knows what it
    /// has written, and would never end. Nor is a fetch that waits for that one and reads what has changed only afterwards. The cost grows
    /// with the number of requests concerned.
    ///
    /// - Parameters:
    ///   - regions: What has changed.
    ///   - cause: Why the requests run again, for those who ask; ``QueryCause/otherProcess`` says that the change came from elsewhere.
    public func changed(_ regions: some Collection<QueryRegion>, cause: QueryCause = .regionChanged) {
        core.changed(Array(regions), cause, in: RunScope.current)
    }

    /// The first half of ``changed(_:cause:)``, for a source whose changes come in an order: call it in that order, before anything later can be read.
    ///
    /// - Parameter reads: The run that makes the change, if one does.
    package func enter(_ regions: some Collection<QueryRegion>, cause: QueryCause, by reads: QueryReads?) -> EnteredChange {
        EnteredChange(core: core, stores: core.enter(Array(regions), cause, in: reads?.scope))
    }

    /// What reads of the client's requests are known by; see ``QueryReads/clientID``.
    package var clientID: ObjectIdentifier { ObjectIdentifier(core) }

    /// Whether the value of a request was read from a range of a part of a source.
    package func readsRanges(of region: QueryRegion) -> Bool { core.readsRanges(of: region) }

    /// Marks all requests with one of the tags as out of date, and runs those with observers or waiting callers again.
    @discardableResult
    public func invalidate(tags: Set<QueryTag>, refetch: QueryRefetch = .active) -> QueryRefetches {
        core.invalidate(tags: tags, refetch: refetch)
    }
}

/// A change that is entered: the requests that it concerns are out of date, and don't know it yet.
package struct EnteredChange: Sendable {
    fileprivate let core: ClientCore
    fileprivate let stores: [StoreCore]

    /// Lets the requests take the change, and those with observers or waiting callers run again.
    package func tell() { core.tell(stores) }
}
