extension QueryClient {
    /// Lets invalidations and removals reach a cache from now on.
    ///
    /// The first request that is persisted in a cache connects it, and what the client was told until then is made up for. Connect it at
    /// launch if the process may end before such a request is used, such as a process that only handles a notification.
    public func connect(to cache: any QueryCache) { _ = line(to: cache) }

    /// How the client uses a cache.
    func line(to cache: any QueryCache) -> CacheLine {
        let (line, isNew) = core.patterns.listener(for: ObjectIdentifier(cache)) { CacheLine(cache, core, past: $0) }
        if isNew { line.start() }
        return line
    }
}
