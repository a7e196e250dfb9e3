import Foundation
public import QueryKit

/// A query cache in its own file: the next launch of the app shows persisted values immediately.
///
/// ```swift
/// let cache = try await SQLiteQueryCache.open(
///     .file(cachesFolder.appending(path: "queries.sqlite"))
/// )
/// let oslo = Headlines(topic: "Oslo")
///     .ttl(.seconds(600))
///     .persisted(in: cache)
/// ```
///
/// Use a file that holds nothing else. All its contents can be fetched again, so a cache that is damaged, or that a newer version of the
/// library has written, is deleted and created again. An unreadable entry is removed. A file that isn't a cache, or that is too damaged to
/// tell, is refused and left unchanged.
///
/// The cache has a limit for its bytes and one for its entries, and evicts the least recently used entries first. The time of a read is
/// saved with the next write, so a read never causes a write.
public final class SQLiteQueryCache: QueryCache {
    private let file: CacheFile
    private let byteLimit: Int
    private let countLimit: Int
    private let clock: any QueryClock
    private let uses = Lock(CacheUses())

    private init(_ file: CacheFile, byteLimit: Int, countLimit: Int, clock: any QueryClock) {
        self.file = file
        self.byteLimit = byteLimit
        self.countLimit = countLimit
        self.clock = clock
    }

    /// Opens a cache. Creates the file if it doesn't exist, and removes entries that have expired or exceed the limits.
    ///
    /// - Parameters:
    ///   - location: Where the cache is stored. The folder must exist.
    ///   - byteLimit: The approximate number of bytes for all entries, including their keys. The file is somewhat larger. Default: 50 MB.
    ///     An entry that is larger than the limit is not kept.
    ///   - countLimit: The maximum number of entries. Default: 10,000.
    ///   - clock: The clock that decides when entries expire. Default: `SystemClock`.
    /// - Throws: ``SQLiteError`` if the file can't be created, or if the existing file isn't recognized as a cache.
    public static func open(
        _ location: SQLiteDatabase.Location,
        byteLimit: Int = 50_000_000,
        countLimit: Int = 10_000,
        clock: any QueryClock = SystemClock()
    ) async throws -> SQLiteQueryCache {
        let cache = SQLiteQueryCache(try await CacheFile(location), byteLimit: byteLimit, countLimit: countLimit, clock: clock)
        try await cache.write { _, _ in }
        return cache
    }

    /// The number of entries. Expired entries count until the next write.
    public var count: Int { get async throws { try await total("SELECT count FROM totals") } }

    /// The approximate number of bytes of all entries.
    public var byteCount: Int { get async throws { try await total("SELECT bytes FROM totals") } }

    /// Records the latest reads and closes the file. The cache can't be used afterwards.
    public func close() async {
        if uses.withLock({ !$0.isEmpty }) { try? await write { _, _ in } }
        await file.close()
    }

    // MARK: One entry

    public func get(key: QueryCacheKey) async throws -> QueryCacheEntry? {
        let text = CacheSchema.text(of: key)
        let found = try await file.perform { database in
            try await database.read { db in try db.row(CacheRow.self, "SELECT \(CacheRow.columns) FROM entries WHERE key = \(text)") }
        }
        // The next write removes an expired entry.
        guard let found, !found.entry.isExpired(by: clock) else { return nil }
        uses.withLock { $0.note(found.id) }
        return found.entry
    }

    public func set(_ entry: QueryCacheEntry, key: QueryCacheKey) async throws {
        let bytes = entry.data.count + key.byteCount
        guard bytes <= byteLimit else { return try await remove(key: key) }
        let row = CacheRow.values(of: entry)
        let (text, path) = (CacheSchema.text(of: key), CacheSchema.text(of: key.path))
        try await write { db, used in
            // Replaces an existing entry, so that the new one counts as just used.
            try db.execute("DELETE FROM entries WHERE key = \(text)")
            try db.execute(
                "INSERT INTO entries (key, path, used, bytes, \(CacheRow.valueColumns)) VALUES (\(text), \(path), \(used), \(bytes), \(row))"
            )
        }
    }

    public func remove(key: QueryCacheKey) async throws {
        let text = CacheSchema.text(of: key)
        try await write { db, _ in try db.execute("DELETE FROM entries WHERE key = \(text)") }
    }

    // MARK: Many entries

    public func invalidate(pattern: QueryPattern) async throws {
        try await write { db, _ in
            for path in try Self.paths(matching: pattern, db) {
                try db.execute("UPDATE entries SET is_invalidated = 1 WHERE path = \(path)")
            }
        }
    }

    public func remove(pattern: QueryPattern) async throws {
        try await write { db, _ in
            for path in try Self.paths(matching: pattern, db) { try db.execute("DELETE FROM entries WHERE path = \(path)") }
        }
    }

    public func clear() async throws {
        try await write { db, _ in try db.execute("DELETE FROM entries") }
    }

    /// Returns the paths that match a pattern. The cost grows with the number of paths that share the pattern's elements before its first
    /// wildcard.
    private static func paths(matching pattern: QueryPattern, _ db: SQLiteWriteTransaction) throws -> [String] {
        let condition: SQL? = CacheSchema.condition(of: pattern).map { "WHERE \($0)" }
        var matches: [String] = []
        for bytes in try db.values(Data.self, "SELECT DISTINCT path FROM entries \(condition)") {
            // Decoding replaces invalid UTF-8, so the bytes of the result differ.
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes), let path = CacheSchema.path(of: text) else {
                // A path that can't be read can't be invalidated either, so its entries are removed.
                try db.execute("DELETE FROM entries WHERE CAST(path AS BLOB) = \(bytes)")
                continue
            }
            if QueryCacheKey(path: QueryPath(path), type: "").isMatched(by: pattern) { matches.append(text) }
        }
        return matches
    }

    // MARK: Transactions

    private func total(_ sql: SQL) async throws -> Int {
        try await file.perform { database in try await database.read { db in try db.value(Int.self, sql) ?? 0 } }
    }

    /// Performs a change in one transaction with the pending uses, and evicts entries beyond the limits. The closure receives the number of
    /// this use.
    private func write(_ change: @escaping @Sendable (SQLiteWriteTransaction, Int64) throws -> Void) async throws {
        let uses = uses.withLock { uses in
            defer { uses = CacheUses() }
            return uses.inOrder
        }
        let now = clock.date.timeIntervalSinceReferenceDate
        try await file.perform { [byteLimit, countLimit] database in
            try await database.write { db in
                // Uses are numbered in the file, because another process may use the file too.
                var used = try db.value(Int64.self, "SELECT max(used) FROM entries") ?? 0
                // Only damage produces a number this large: the entries are renumbered in the same order.
                if used > .max / 2 { used = try Self.renumber(db) }
                for id in uses {
                    used += 1
                    try db.execute("UPDATE entries SET used = \(used) WHERE id = \(id)")
                }
                try db.execute("DELETE FROM entries WHERE expiry <= \(now)")
                try change(db, used + 1)
                try Self.trim(db, byteLimit: byteLimit, countLimit: countLimit)
            }
        }
    }

    private static func renumber(_ db: SQLiteWriteTransaction) throws -> Int64 {
        try db.execute(
            """
            UPDATE entries SET used = numbered.number
            FROM (SELECT id, row_number() OVER (ORDER BY used) AS number FROM entries) AS numbered WHERE numbered.id = entries.id
            """
        )
        return try db.value(Int64.self, "SELECT max(used) FROM entries") ?? 0
    }

    private static func trim(_ db: SQLiteWriteTransaction, byteLimit: Int, countLimit: Int) throws {
        while try db.value(Bool.self, "SELECT count > \(countLimit) OR bytes > \(byteLimit) FROM totals") == true {
            let count = try db.execute("DELETE FROM entries WHERE id = (SELECT id FROM entries ORDER BY used LIMIT 1)")
            if count == 0 { return }
        }
    }
}
