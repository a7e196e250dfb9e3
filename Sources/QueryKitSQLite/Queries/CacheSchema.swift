import Foundation
import QueryKit

/// The tables of a ``SQLiteQueryCache``, and what its statements need of keys and patterns.
enum CacheSchema {
    /// The first migration, by which a file is known to be a cache.
    static let name = "querykit cache"

    /// `used` counts upwards, so the smallest was used longest ago. The totals are kept by triggers: to count would cost a scan a write.
    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "querykit cache",
            """
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY,
                key TEXT NOT NULL UNIQUE,
                path TEXT NOT NULL,
                data BLOB NOT NULL,
                date REAL NOT NULL,
                ttl_seconds INTEGER NOT NULL,
                ttl_attoseconds INTEGER NOT NULL,
                expiry REAL,
                is_invalidated INTEGER NOT NULL,
                used INTEGER NOT NULL,
                bytes INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX entries_path ON entries (path);
            CREATE INDEX entries_used ON entries (used);
            CREATE INDEX entries_expiry ON entries (expiry) WHERE expiry IS NOT NULL;
            CREATE TABLE totals (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
            INSERT INTO totals VALUES (1, 0, 0);
            CREATE TRIGGER entries_insert AFTER INSERT ON entries BEGIN
                UPDATE totals SET count = count + 1, bytes = bytes + NEW.bytes;
            END;
            CREATE TRIGGER entries_delete AFTER DELETE ON entries BEGIN
                UPDATE totals SET count = count - 1, bytes = bytes - OLD.bytes;
            END;
            CREATE TRIGGER entries_update AFTER UPDATE OF bytes ON entries BEGIN
                UPDATE totals SET bytes = bytes + NEW.bytes - OLD.bytes;
            END;
            """
        )
    ]

    /// A path as text that sorts by element, each of which ends with a slash: what begins with `food/` lies between that and `food0`.
    static func text(of path: [String]) -> String {
        path.map { stored(QueryPath([$0]).description) + "/" }.joined()
    }

    /// The path of such a text; `nil` if it is none.
    static func path(of text: String) -> [String]? {
        var path: [String] = []
        var part = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped || scalar != "\\" && scalar != "/" {
                part.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                path.append(String(part))
                part = String.UnicodeScalarView()
            }
        }
        return part.isEmpty && !isEscaped ? path : nil
    }

    static func text(of key: QueryCacheKey) -> String { stored(key.description) }

    /// The condition that all paths meet which a pattern may match, for an index; `nil` where that says nothing.
    static func condition(of pattern: QueryPattern) -> SQL? {
        let prefix = text(of: pattern.literalPrefix)
        if pattern.isLiteral { return "path = \(prefix)" }
        if prefix.isEmpty { return nil }
        // What follows the slash that ends each element.
        return "path >= \(prefix) AND path < \(String(prefix.unicodeScalars.dropLast()) + "0")"
    }

    /// Swift compares texts by what they mean, SQLite by their bytes; in this form both agree.
    private static func stored(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
}
