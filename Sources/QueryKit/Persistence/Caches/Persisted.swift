extension QueryRequest where Value: Codable {
    /// Keeps the latest result in a cache, and shows it at once where nothing is known yet: in the next launch, or when the store was let go.
    ///
    /// A run that begins without a result asks the cache first, with or without a network. What it finds is as old as it is: if it is
    /// fresh by the request's time to live and was not invalidated, it is the result and nothing is fetched; if not, it shows until the result
    /// is there. A fetch of the store itself, ``QueryStore/fetch(using:handler:)``, runs in any case. Results and values written by hand are kept;
    /// layers of mutations and intermediate values are not.
    ///
    /// Invalidations reach the cache, also for requests without a store. A request that reads regions or has tags is never taken for fresh when it
    /// comes from the cache. `reset` and `remove` forget what is kept; when a store is let go to save memory, it stays.
    ///
    /// A request whose value depends on more than the request, such as "today", says so by ``QueryRequest/cacheVariant(in:)``; its entries are kept
    /// beside each other, so give it a `maxAge`.
    ///
    /// - Parameters:
    ///   - cache: Where to keep the value. Whatever it throws is reported, and never fails a fetch.
    ///   - version: Raise it when what is stored means something else, or can not be decoded any more. Default: 1.
    ///   - maxAge: How long an entry is kept at all. Default: for ever.
    public func persisted(
        in cache: any QueryCache,
        version: Int = 1,
        maxAge: Duration = .infinity
    ) -> some QueryRequest<Value, State> {
        let coding = QueryPersistence(of: Value.self, version: version)
        let persistence = QueryPersistence(
            cache: ObjectIdentifier(cache),
            version: version,
            valueType: coding.valueType,
            encode: coding.encode,
            decode: coding.decode,
            restore: { request, context in
                // The client must not be held while the cache is waited for.
                let line = context.queryClient?.line(to: cache)
                return await line?.restore(QueryCacheKey(request, coding, context), coding, by: context.clock)
            },
            keep: { change, request, context in
                guard let line = context.queryClient?.line(to: cache) else { return }
                guard case .value(let stored) = change else {
                    return line.keep(change, QueryCacheKey(request, coding, context), ttl: maxAge, coding)
                }
                // The day may have changed since the value was read: then it is kept as a value of the day before.
                guard let key = QueryCacheKey(request, coding, context, of: stored.variant) else { return }
                line.keep(change, key, ttl: maxAge, coding)
            }
        )
        return setting { $0.settings.persistence = persistence }
    }

    /// Lets the value go along with ``QueryClient/dehydrate(matching:maxAge:)``, without a cache of its own. `persisted` includes this.
    ///
    /// - Parameter version: Raise it when what is stored means something else, or can not be decoded any more. Default: 1.
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
            valueType: type,
            encode: { try ValueCoding.encode($0.unboxed(as: Value.self)) },
            decode: { AnyValue(try ValueCoding.decode(Value.self, from: $0)) }
        )
    }
}
