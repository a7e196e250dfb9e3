import Foundation
import QueryKitSQLite

/// A database with all features: tables of all kinds, indexes, triggers, full-text search, blobs that span many pages, and free pages.
enum SampleFile {
    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "sample",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, day TEXT NOT NULL, grams REAL NOT NULL, note TEXT) STRICT;
            CREATE INDEX entries_by_day ON entries (day, grams);
            CREATE TABLE codes (code TEXT PRIMARY KEY, entry INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TABLE pictures (id INTEGER PRIMARY KEY, entry INTEGER REFERENCES entries (id) ON DELETE CASCADE, body BLOB) STRICT;
            CREATE TABLE counts (day TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
            CREATE TRIGGER entries_counted AFTER INSERT ON entries BEGIN
                INSERT INTO counts VALUES (NEW.day, 1) ON CONFLICT DO UPDATE SET count = count + 1;
            END;
            CREATE VIEW heavy AS SELECT id, day FROM entries WHERE grams > 500;
            CREATE VIRTUAL TABLE words USING fts5(text);
            """
        )
    ]

    static func fill(_ db: SQLiteWriteTransaction, _ seed: UInt64) throws {
        for number in 1...400 {
            let note = number % 3 == 0 ? nil : "A note about the food with the number \(number), and \(number * 7_919 % 997) more words."
            try db.execute(
                "INSERT INTO entries (day, grams, note) VALUES (\("2026-01-\(number % 28 + 1)"), \(Double(number) * 2.5), \(note))"
            )
            try db.execute("INSERT INTO codes VALUES (\("code \(number &* 7_919 % 10_007)"), \(number)) ON CONFLICT DO NOTHING")
            try db.execute("INSERT INTO words (text) VALUES (\("food \(number) rice oat \(number % 17)"))")
        }
        var dice = Dice(seed, "pictures")
        for number in 1...12 {
            try db.execute("INSERT INTO pictures (entry, body) VALUES (\(number), \(Data(dice.bytes(number * 1_500))))")
        }
        try db.execute("DELETE FROM entries WHERE id BETWEEN 150 AND 250")
    }

    /// Reads all rows of all tables, in all available ways.
    static func readAll(_ db: SQLiteReadTransaction) throws {
        try db.forEach("SELECT id, day, grams, note FROM entries") { row in
            _ = (try row[0] as Int, try row[1] as String, try row[2] as Double, try row[3] as String?)
        }
        try db.forEach("SELECT * FROM entries ORDER BY day DESC, grams") { row in _ = try row["grams"] as SQLiteValue }
        try db.forEach("SELECT * FROM codes") { row in _ = (try row[0] as SQLiteValue, try row[1] as SQLiteValue) }
        try db.forEach("SELECT id, entry, body FROM pictures") { row in _ = try row[2] as Data? }
        try db.forEach("SELECT * FROM counts JOIN heavy USING (day)") { row in _ = try row[0] as String }
        try db.forEach("SELECT text, rank FROM words WHERE words MATCH \("rice OR oat") ORDER BY rank") { row in _ = try row[0] as String }
        try db.forEach("SELECT * FROM words") { row in _ = try row[0] as String }
        _ = try db.value(String.self, "PRAGMA integrity_check(10)")
    }

    static func change(_ db: SQLiteWriteTransaction) throws {
        try db.execute("INSERT INTO entries (day, grams) VALUES ('2026-02-01', 1)")
        try db.execute("UPDATE entries SET grams = grams + 1 WHERE id % 7 = 0")
        try db.execute("DELETE FROM entries WHERE id % 11 = 0")
        try db.execute("INSERT INTO codes VALUES ('new', 1) ON CONFLICT DO UPDATE SET entry = entry + 1")
        try db.execute("UPDATE pictures SET body = zeroblob(9000) WHERE id % 3 = 0")
        try db.execute("INSERT INTO words (text) VALUES ('more rice')")
        try db.execute("DELETE FROM words WHERE words MATCH 'oat'")
    }
}
