extension QueryClient {
    /// Connects a cache to the client: from now on invalidations and removals reach the cache.
    ///
    /// The first request that is persisted in a cache also connects it, and the cache then receives all earlier invalidations. Connect it
    /// at launch if the process may end before such a request is used, such as a process that only handles a notification.
    public func connect(to cache: any QueryCache) { _ = queue(to: cache) }

    /// The client's queue to a cache, created if necessary.
    func queue(to cache: any QueryCache) -> CacheQueue {
        let (queue, isNew) = core.patterns.listener(for: ObjectIdentifier(cache)) { CacheQueue(cache, core, past: $0) }
        if isNew { queue.start() }
        return queue
    }
}
