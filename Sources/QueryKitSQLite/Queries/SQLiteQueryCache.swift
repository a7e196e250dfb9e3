import Foundation
public import QueryKit

/// A cache in a file of its own: what is persisted in it shows at once in the next launch.
///
/// ```swift
/// let cache = try await SQLiteQueryCache.open(.file(cachesFolder.appending(path: "queries.sqlite")))
/// let oslo = Headlines(topic: "Oslo").ttl(.seconds(600)).persisted(in: cache)
/// ```
///
/// Give it a file that nobody else uses. All that is in it can be had again, so a cache that turns out to be damaged, when it is opened or later,
/// or that a newer version of the library has made, is deleted and begun anew. An entry that can not be read is dropped. A file that is no cache, or so
/// damaged that nobody can tell, is refused and stays as it is.
///
/// It keeps within a budget of bytes and one of entries. What was read or written longest ago goes first; what was only read is noted with the
/// next write, because reading must not cost one.
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

    /// Opens a cache, and makes its file if it is not there. What has expired, or is beyond the budgets, is dropped.
    ///
    /// - Parameters:
    ///   - location: Where it lies; the folder must be there.
    ///   - byteLimit: How many bytes the entries may take, their keys included, roughly. The file is somewhat larger. Default: 50 MB. An entry
    ///     that is larger is not kept.
    ///   - countLimit: How many entries are kept at most. Default: 10,000.
    ///   - clock: By which entries age. Default: `SystemClock`.
    /// - Throws: ``SQLiteError`` if there can be no file, or if there is one that is not known to be a cache.
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

    /// How many entries there are, expired ones included until the next write.
    public var count: Int { get async throws { try await total("SELECT count FROM totals") } }

    /// About how many bytes the entries take.
    public var byteCount: Int { get async throws { try await total("SELECT bytes FROM totals") } }

    /// Writes down what was read, and closes the file. The cache can not be used any more.
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
        // One that has expired goes with the next write.
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
            // One that is there gives way to another, which is as good as new.
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

    /// The paths that a pattern matches. Costs as much as there are paths with the same beginning, up to the first wildcard.
    private static func paths(matching pattern: QueryPattern, _ db: SQLiteWriteTransaction) throws -> [String] {
        let condition: SQL? = CacheSchema.condition(of: pattern).map { "WHERE \($0)" }
        var matches: [String] = []
        for bytes in try db.values(Data.self, "SELECT DISTINCT path FROM entries \(condition)") {
            // What is no valid text is replaced, and so has other bytes.
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes), let path = CacheSchema.path(of: text) else {
                // Not to be read, and so not to be marked either.
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

    /// A change, together with what has to be written down in any case, and within the budgets. The closure gets the number of this use.
    private func write(_ change: @escaping @Sendable (SQLiteWriteTransaction, Int64) throws -> Void) async throws {
        let uses = uses.withLock { uses in
            defer { uses = CacheUses() }
            return uses.inOrder
        }
        let now = clock.date.timeIntervalSinceReferenceDate
        try await file.perform { [byteLimit, countLimit] database in
            try await database.write { db in
                // Counted in the file, which another process may use too.
                var used = try db.value(Int64.self, "SELECT max(used) FROM entries") ?? 0
                // A number that only damage has made: counting begins anew, in the same order.
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
