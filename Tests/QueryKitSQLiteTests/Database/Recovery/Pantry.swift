import Foundation
import SQLiteTestSupport

@testable import QueryKitSQLite

/// A database with a few hundred rows in tables of each kind, whose file the tests damage.
enum Pantry {
    static let tables = ["entries", "food", "notes", "settings"]

    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "food",
            """
            CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL, grams REAL) STRICT;
            CREATE INDEX food_name ON food (name);
            CREATE TABLE entries (
                id INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT NOT NULL, food INTEGER REFERENCES food (id) ON DELETE SET NULL, note TEXT
            );
            CREATE INDEX entries_day ON entries (day, food);
            CREATE TABLE notes (text TEXT);
            """
        ),
        SQLiteMigration("settings", "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
    ]

    static func fill(_ database: SQLiteDatabase, count: Int = 400) async throws {
        try await database.write { db in
            for id in 1...count {
                try db.execute("INSERT INTO food (id, name, grams) VALUES (\(id), \("food number \(id)"), \(Double(id)))")
                let note = String(repeating: "note \(id) ", count: id % 50 == 0 ? 800 : 3)
                try db.execute("INSERT INTO entries (day, food, note) VALUES (\("2026-01-\(id % 28 + 1)"), \(id), \(note))")
                try db.execute("INSERT INTO notes (text) VALUES (\("text \(id)"))")
                try db.execute("INSERT INTO settings (name, value) VALUES (\("setting \(id)"), \("value \(id)"))")
            }
        }
    }

    /// The bytes of a sound file without a log.
    static func file() async throws -> [UInt8] {
        let folder = try WatchedFolder()
        defer { withExtendedLifetime(folder) {} }
        let url = URL(filePath: folder.path(of: "pantry.sqlite"))
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        try await fill(database)
        try await database.checkpoint()
        await database.close()
        return Array(try Data(contentsOf: url))
    }

    /// The root page of a table in a file, or the page of a row.
    static func rootPage(of table: String, in url: URL) throws -> Int {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readOnly))
        return try connection.value(Int.self, "SELECT rootpage FROM sqlite_schema WHERE name = ?", [.text(table)]) ?? 0
    }
}

/// The pages of a SQLite file, as far as the tests need them.
struct PantryPages {
    static let size = 4096
    var bytes: [UInt8]

    var count: Int { bytes.count / Self.size }

    private func start(_ page: Int) -> Int { (page - 1) * Self.size }

    /// The leaf pages of a table in order; its root must be an inner page with leaves below it.
    func leaves(below root: Int) -> [Int] {
        let start = start(root)
        guard bytes[start] == 5 else { return [root] }
        let cells = number(start + 3, 2)
        let children = (0..<cells).map { number(start + number(start + 12 + 2 * $0, 2), 4) }
        return children + [number(start + 8, 4)]
    }

    private func number(_ offset: Int, _ count: Int) -> Int { bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } }

    mutating func zero(_ page: Int) {
        bytes.replaceSubrange(start(page)..<start(page) + Self.size, with: repeatElement(0, count: Self.size))
    }

    mutating func copy(_ page: Int, over other: Int) {
        bytes.replaceSubrange(start(other)..<start(other) + Self.size, with: bytes[start(page)..<start(page) + Self.size])
    }
}
