public import Foundation

/// Stores encoded values of requests beyond the life of their stores: on disk for the next launch, or in memory.
///
/// Requests that are ``QueryRequest/persisted(in:version:maxAge:)`` read and write it. QueryKit includes ``MemoryQueryCache``. An
/// implementation of your own must store the entries unchanged. Its errors are reported, and never fail a fetch. A client makes one write
/// at a time, in order, and may read during a write.
///
/// ```swift
/// try await cache.set(entries, key: key, ttl: .seconds(3600))
/// let stored = try await cache.get([Entry].self, key: key)
/// ```
public protocol QueryCache: AnyObject, Sendable {
    /// The entry for a key, unless it is too old to be kept; see ``QueryCacheEntry/isExpired(by:)``.
    func get(key: QueryCacheKey) async throws -> QueryCacheEntry?

    /// Sets the entry for a key, replacing an earlier one.
    func set(_ entry: QueryCacheEntry, key: QueryCacheKey) async throws

    /// Removes the entry for a key. A key without an entry is not an error.
    func remove(key: QueryCacheKey) async throws

    /// Marks all entries that a pattern matches as ``QueryCacheEntry/isInvalidated``; see ``QueryCacheKey/isMatched(by:)``.
    func invalidate(pattern: QueryPattern) async throws

    /// Removes all entries that a pattern matches, of all sessions and versions.
    func remove(pattern: QueryPattern) async throws

    /// Removes all entries.
    func clear() async throws
}

extension QueryCache {
    /// The value for a key, its date, and whether it is known to be out of date. If the entry can't be decoded as this type, it is removed,
    /// and the result is `nil`.
    @concurrent
    public func get<Value: Decodable & Sendable>(
        _ type: Value.Type,
        key: QueryCacheKey
    ) async throws -> (value: Value, date: Date, isInvalidated: Bool)? {
        guard let entry = try await get(key: key) else { return nil }
        guard let value = try? ValueCoding.decode(type, from: entry.data) else {
            try await remove(key: key)
            return nil
        }
        return (value, entry.date, entry.isInvalidated)
    }

    /// Encodes a value as JSON and stores it for a key. The entry is kept for `ttl` after `date`, the time when the value was fetched or
    /// written; the default date is now.
    @concurrent
    public func set<Value: Encodable & Sendable>(
        _ value: Value,
        key: QueryCacheKey,
        ttl: Duration,
        date: Date = Date()
    ) async throws {
        try await set(QueryCacheEntry(data: try ValueCoding.encode(value), date: date, ttl: ttl), key: key)
    }
}
