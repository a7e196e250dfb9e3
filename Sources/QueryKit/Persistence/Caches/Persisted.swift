extension QueryRequest where Value: Codable {
    /// Keeps the latest result in a cache, and shows it immediately if the store has no value: after a launch, or after the store was
    /// released.
    ///
    /// A run that begins without a result reads the cache first, with or without a network. The cached value keeps its age: if it is
    /// younger than the request's time to live and was not invalidated, it is the result and nothing is fetched; otherwise it is shown
    /// until the result arrives. ``QueryStore/fetch(using:handler:)`` always fetches. Results and manually written values are cached;
    /// layers of mutations and intermediate values are not.
    ///
    /// Invalidations reach the cache, even for requests without a store. The cached value of a request that reads regions or has tags never
    /// counts as fresh. `reset` and `remove` also remove the cached value; when a store is released to save memory, the cached value stays.
    ///
    /// If the value depends on more than the request, such as "today", implement ``QueryRequest/cacheVariant(in:)``. The entries of all
    /// variants are kept, so set a `maxAge`.
    ///
    /// - Parameters:
    ///   - cache: The cache for the value. Its errors are reported, and never fail a fetch.
    ///   - version: Increase it when the meaning of stored values changes, or when they can't be decoded any more. Default: 1.
    ///   - maxAge: How long an entry is kept. Default: no limit.
    public func persisted(
        in cache: any QueryCache,
        version: Int = 1,
        maxAge: Duration = .infinity
    ) -> some QueryRequest<Value, State> {
        let coding = QueryPersistence(of: Value.self, version: version)
        let persistence = QueryPersistence(
            cache: ObjectIdentifier(cache),
            version: version,
            encode: coding.encode,
            decode: coding.decode,
            restore: { request, context in
                guard let key = try? QueryCacheKey(request, coding, context) else { return nil }
                // The client must not be retained while the cache is read.
                let queue = context.queryClient?.queue(to: cache)
                return await queue?.restore(key, coding, by: context.clock)
            },
            keep: { change, request, context in
                guard let queue = context.queryClient?.queue(to: cache) else { return }
                guard case .value(let stored) = change else {
                    return queue.keep(change, try QueryCacheKey(request, coding, context), ttl: maxAge, coding)
                }
                // The day may have changed since the value was read. Then the value is stored for the day before.
                guard let key = try QueryCacheKey(request, coding, context, of: stored.variant) else { return }
                queue.keep(change, key, ttl: maxAge, coding)
            }
        )
        return setting { $0.settings.persistence = persistence }
    }

    /// Includes the value in ``QueryClient/dehydrate(matching:maxAge:)``, without a cache. `persisted` includes this.
    ///
    /// - Parameter version: Increase it when the meaning of stored values changes, or when they can't be decoded any more. Default: 1.
    public func archived(version: Int = 1) -> some QueryRequest<Value, State> {
        let coding = QueryPersistence(of: Value.self, version: version)
        return setting { context in
            if context.settings.persistence == nil { context.settings.persistence = coding }
        }
    }
}

extension QueryPersistence {
    fileprivate convenience init<Value: Codable & Sendable>(of type: Value.Type, version: Int) {
        self.init(
            version: version,
            encode: { try ValueCoding.encode($0.unboxed(as: Value.self)) },
            decode: { AnyValue(try ValueCoding.decode(Value.self, from: $0)) }
        )
    }
}
