/// A cache in memory: for tests, for values that outlive their stores but not the process, or in front of a slower cache.
///
/// It has limits for bytes and for entries; the least recently used entries are evicted first. All members may be used on any thread.
public final class MemoryQueryCache: QueryCache {
    private let table = Lock(MemoryTable())
    private let byteLimit: Int
    private let countLimit: Int
    private let clock: any QueryClock

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - byteLimit: The approximate maximum size of all entries and keys, in bytes. Default: 10 MB. A larger entry is not kept.
    ///   - countLimit: The maximum number of entries. Default: 10,000.
    ///   - clock: The clock that determines the age of entries. Default: ``SystemClock``.
    public init(byteLimit: Int = 10_000_000, countLimit: Int = 10_000, clock: any QueryClock = SystemClock()) {
        self.byteLimit = byteLimit
        self.countLimit = countLimit
        self.clock = clock
    }

    /// The number of entries, including expired ones that have not been read since they expired.
    public var count: Int { table.withLock { $0.count } }

    /// The approximate number of bytes that the entries take.
    public var byteCount: Int { table.withLock { $0.byteCount } }

    public func get(key: QueryCacheKey) async throws -> QueryCacheEntry? {
        let now = clock.now
        return table.withLock { $0.get(key, now: now) }
    }

    public func set(_ entry: QueryCacheEntry, key: QueryCacheKey) async throws {
        // An entry that can't stay anyway must not evict all the others.
        guard entry.data.count + key.byteCount <= byteLimit else { return try await remove(key: key) }
        let expiry = entry.expiry(by: clock)
        table.withLock { table in
            table.set(entry, key, expiry: expiry)
            table.trim(byteLimit: byteLimit, countLimit: countLimit)
        }
    }

    public func remove(key: QueryCacheKey) async throws { table.withLock { $0.remove(key) } }

    public func invalidate(pattern: QueryPattern) async throws {
        let keys = matches(pattern)
        table.withLock { table in
            for key in keys { table.invalidate(key) }
        }
    }

    public func remove(pattern: QueryPattern) async throws {
        let keys = matches(pattern)
        table.withLock { table in
            for key in keys { table.remove(key) }
        }
    }

    public func clear() async throws { table.withLock { $0 = MemoryTable() } }

    /// The keys are compared without holding the lock, because the comparison takes time.
    private func matches(_ pattern: QueryPattern) -> [QueryCacheKey] {
        table.withLock { $0.keys }.filter { $0.isMatched(by: pattern) }
    }
}
