/// What a change touches: data sources say what has changed, and the requests that read it run again.
extension QueryClient {
    /// Tells the client that something changed in a data source. All requests that read one of the regions are out of date; those that
    /// somebody observes or waits for run again.
    ///
    /// Call it when the change can be read, such as after a commit. Within a mutation, call it in the mutation's task: then the
    /// optimistic layers of that mutation go with the next result. A fetch that makes the change itself is not run again by it: it knows what
    /// it has written, and would never end. Nor is one that waits for that fetch and reads what has changed only afterwards. Costs as much as there are requests concerned.
    ///
    /// - Parameters:
    ///   - regions: What has changed.
    ///   - cause: Why the requests run again, for those who ask; ``QueryCause/otherProcess`` says that the change came from elsewhere.
    public func changed(_ regions: some Collection<QueryRegion>, cause: QueryCause = .regionChanged) {
        let regions = Array(regions)
        let scope = RunScope.current
        let concerned = core.stores(reading: regions).filter { scope?.isRun(of: $0.store) != true }
        guard !concerned.isEmpty else { return }
        core.invalidate(
            concerned.map(\.store),
            { cause.about(concerned[$0].region) },
            refetch: .active,
            by: RegionChange(regions: regions, mutation: scope?.mutation, callers: scope?.callers ?? [])
        )
    }

    /// Marks all requests with one of the tags as out of date, and runs those again that somebody observes or waits for.
    public func invalidate(tags: Set<QueryTag>, refetch: QueryRefetch = .active) {
        let concerned = core.stores(tagged: Array(tags))
        core.invalidate(concerned.map(\.store), { .tagged(QueryTag(concerned[$0].region.source)) }, refetch: refetch)
        // What a run is about to bring may carry the tags too: nobody knows before it is there.
        guard let tag = tags.first else { return }
        let running = core.runningStores(matching: .all).filter { store in
            store.context.settings.computedTags != nil && !concerned.contains { $0.store === store }
        }
        core.invalidate(running, { _ in .tagged(tag) }, refetch: refetch)
    }
}
