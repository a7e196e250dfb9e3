public import Foundation

/// Keeps encoded values of requests beyond their stores: on disk for the next launch, or in memory.
///
/// ``QueryRequest/persisted(in:version:maxAge:)`` reads and writes it. QueryKit brings ``MemoryQueryCache``; one of your own stores the
/// entries as they are, and answers for nothing else: what it throws is reported, and never fails a fetch. A client makes one call at a time to
/// write, in order, and may read meanwhile.
///
/// ```swift
/// try await cache.set(entries, key: key, ttl: .seconds(3600))
/// let stored = try await cache.get([Entry].self, key: key)
/// ```
public protocol QueryCache: AnyObject, Sendable {
    /// The entry under a key, unless it is too old to be kept; see ``QueryCacheEntry/isExpired(by:)``.
    func get(key: QueryCacheKey) async throws -> QueryCacheEntry?

    /// Puts an entry in place of the one under the key.
    func set(_ entry: QueryCacheEntry, key: QueryCacheKey) async throws

    /// Removes the entry of a key. A key without an entry is no error.
    func remove(key: QueryCacheKey) async throws

    /// Marks all entries that a pattern matches as ``QueryCacheEntry/isInvalidated``; see ``QueryCacheKey/isMatched(by:)``.
    func invalidate(pattern: QueryPattern) async throws

    /// Forgets all entries that a pattern matches, of whatever session and version.
    func remove(pattern: QueryPattern) async throws

    /// Forgets everything.
    func clear() async throws
}

extension QueryCache {
    /// The value under a key, when it came about, and whether it is known to be out of date. An entry that can't be read as such a value is dropped, and
    /// the result is `nil`.
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

    /// Encodes a value as JSON and puts it under a key. The entry is kept for as long as `ttl` says, counted from the `date` when the value
    /// came about, by default now.
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
