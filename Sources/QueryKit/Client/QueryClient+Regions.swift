/// Invalidation by region and tag: data sources report what has changed, and the requests that read it are refetched.
extension QueryClient {
    /// Reports that something changed in a data source. All requests that read one of the regions become out of date; those with observers
    /// or waiting callers are refetched.
    ///
    /// Call it when the change is visible to readers, such as after a commit. Within a mutation, call it in the mutation's task: then the
    /// next result replaces the optimistic layers of that mutation. A fetch that makes the change itself is not repeated, because it would
    /// otherwise repeat forever. The same applies to a fetch that waits for that fetch and reads the changed data only afterwards. The cost
    /// grows with the number of affected requests.
    ///
    /// - Parameters:
    ///   - regions: The regions that have changed.
    ///   - cause: Why the requests are refetched, as observers see it. ``QueryCause/otherProcess`` means that another process made the
    ///     change.
    public func changed(_ regions: some Collection<QueryRegion>, cause: QueryCause = .regionChanged) {
        core.changed(Array(regions), cause, in: RunScope.current)
    }

    /// The first half of ``changed(_:cause:)``, for a source whose changes are ordered. Call it in the order of the changes, each time
    /// before a later change can be read.
    ///
    /// - Parameter reads: The reads of the run that makes the change; `nil` if no run does.
    package func enter(_ regions: some Collection<QueryRegion>, cause: QueryCause, by reads: QueryReads?) -> EnteredChange {
        // Begun before any store is out of date, so that the client isn't settled until the runs of these stores have started.
        let work = core.work.begin()
        let regions = Array(regions)
        let attributed = core.attribute(cause, to: regions, in: reads?.scope)
        let stores = core.enter(regions, attributed, in: reads?.scope)
        return EnteredChange(core: core, stores: stores, cause: attributed, work: work)
    }

    /// Identifies the client in the reads of its requests; see ``QueryReads/clientID``.
    package var clientID: ObjectIdentifier { ObjectIdentifier(core) }

    /// Whether the value of any request was read from a range within this part of a source.
    package func readsRanges(of region: QueryRegion) -> Bool { core.readsRanges(of: region) }

    /// Marks all requests with one of the tags as out of date, and refetches those with observers or waiting callers.
    @discardableResult
    public func invalidate(tags: Set<QueryTag>, refetch: QueryRefetch = .active) -> QueryRefetches {
        core.invalidate(tags: tags, refetch: refetch)
    }
}

/// A change that is entered: the affected requests are out of date, but have not processed the change yet.
package struct EnteredChange: Sendable {
    fileprivate let core: ClientCore
    fileprivate let stores: [StoreCore]
    /// The cause. It has an origin only if the origin must be reported.
    fileprivate let cause: QueryCause
    fileprivate let work: WorkToken

    /// Lets the affected requests process the change. Those with observers or waiting callers are refetched.
    package func notify() {
        if cause.origin != nil, core.wantsEvents { core.report(originOf: cause) }
        core.notify(stores)
        work.end()
    }
}
