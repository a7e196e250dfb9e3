import Foundation
import QueryKit

/// The schema of a ``SQLiteQueryCache``, and the SQL forms of keys and patterns.
enum CacheSchema {
    /// The name of the first migration, which identifies a file as a cache.
    static let name = "querykit cache"

    /// `used` counts upwards, so the smallest number was used longest ago. Triggers maintain the totals: counting would scan the table on
    /// each write.
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

    /// A path as text that sorts by element. Each element ends with a slash, so all paths that begin with `food/` are between `food/` and
    /// `food0`.
    static func text(of path: [String]) -> String {
        path.map { stored(QueryPath([$0]).description) + "/" }.joined()
    }

    /// Parses a path from its stored text; `nil` if the text isn't one.
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

    /// A condition that an index can use and that all paths matching the pattern fulfill; `nil` if there is none.
    static func condition(of pattern: QueryPattern) -> SQL? {
        let prefix = text(of: pattern.literalPrefix)
        if pattern.isLiteral { return "path = \(prefix)" }
        if prefix.isEmpty { return nil }
        // "0" is the character after the slash that ends each element.
        return "path >= \(prefix) AND path < \(String(prefix.unicodeScalars.dropLast()) + "0")"
    }

    /// Swift compares strings by canonical equivalence, SQLite by their bytes. In this normal form both agree.
    private static func stored(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
}
