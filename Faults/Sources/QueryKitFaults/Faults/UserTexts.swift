import Foundation
import QueryKitSQLite

/// Texts of users that look like SQL or like full-text queries: they must be stored and found, and never executed.
enum UserTexts {
    private static let classics = [
        "'; DROP TABLE food; --", "' OR '1'='1", "1; DELETE FROM food", "\"; DROP TABLE food; --", "Robert'); DROP TABLE food;--",
        "' UNION SELECT sql FROM sqlite_schema --",
        "\\'; DROP TABLE food; --", "%", "_", "a%' ESCAPE '", "?", "?1", ":name", "@a", "$a", "\0'; DROP TABLE food; --", "x'41'", "/* */",
        "--", "O'Reilly", "''", "\"\"", "`", "[a]",
        "\u{2019}; DROP TABLE food; --", "\u{FF07} OR 1=1", "NULL", "0x41", "1e999", "\r\n; DROP TABLE food", "\u{202E}evil", "ROLLBACK",
        "PRAGMA writable_schema=1",
    ]

    private static let operators = [
        "non-fat", "rice OR", "OR rice", "AND", "NOT", "NEAR", "NEAR(", "NEAR(rice oat, 2)", "rice NOT oat", "name:rice", "name : rice",
        "- rice", "{name} : rice", "^rice", "rice*", "*", "rice + oat",
        "\"rice", "rice\"", "\"\"\"", "(", ")", "(rice", "rice)", "((((", "rice AND (oat", "a\"b\"c", "rice\0oat", "\0", "'rice'",
        "rice;oat", "rice,oat", "{", "}", ":", "^", "+", "-", "--", "\\", "\\\"",
        "e\u{301}", "\u{301}", "\"\u{301}", "食", "🍚", "\u{FEFF}", "rice\u{2028}oat", String(repeating: "\"", count: 1_001),
        String(repeating: "rice ", count: 3_000), String(repeating: "x", count: 1_000),
    ]

    static func run(_ trial: Trial) async throws {
        let database = try await SQLiteDatabase.open(
            .file(trial.file("text.sqlite")),
            migrations: [
                SQLiteMigration(
                    "food",
                    """
                    CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                    CREATE VIRTUAL TABLE words USING fts5(name);
                    CREATE VIRTUAL TABLE parts USING fts5(name, tokenize = 'trigram');
                    INSERT INTO words (rowid, name) VALUES (0, 'rice oat');
                    INSERT INTO parts (rowid, name) VALUES (0, 'rice oat');
                    """
                )
            ]
        )
        try await store(trial, database)
        try await search(trial, database)
        let tables = try await database.read { db in
            try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name IN ('food', 'words', 'parts')")
        }
        trial.expect(tables, 3, "remaining tables")
        await database.close()
    }

    private static func store(_ trial: Trial, _ database: SQLiteDatabase) async throws {
        let texts = classics + operators
        for (index, text) in texts.enumerated() {
            let id = index + 1
            await trial.expectSuccess("storing a user's text") {
                try await database.write { db in
                    try db.execute("INSERT INTO food VALUES (\(id), \(text))")
                    try db.execute("INSERT INTO words (rowid, name) VALUES (\(id), \(text))")
                    try db.execute("INSERT INTO parts (rowid, name) VALUES (\(id), \(text))")
                }
            }
            let found = try await database.read { db in
                try db.value(String.self, "SELECT name FROM food WHERE name = \(text) AND id IN \([id])")
            }
            trial.check(found == text, "a stored text was changed: \(text.prefix(40))")
        }
        trial.expect(
            try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM food") ?? -1 },
            texts.count,
            "stored texts"
        )
    }

    private static func search(_ trial: Trial, _ database: SQLiteDatabase) async throws {
        let count = trial.plan.isShort ? 300 : 3_000
        let alphabet = [
            "rice", "oat", "\"", "(", ")", "*", "^", "-", "+", ":", "{", "}", "AND", "OR", "NOT", "NEAR", " ", "\0", "'", ",", "name", "\\",
            "é", "食", "\u{301}", ";", ".",
        ]
        var texts = classics + operators
        for _ in 0..<count {
            texts.append((0..<(1 + trial.dice.below(12))).map { _ in alphabet[trial.dice.below(alphabet.count)] }.joined())
        }
        for text in texts {
            for query in [FullTextQuery(text), FullTextQuery(text, prefix: true), FullTextQuery(text, matching: .any, prefix: true)] {
                guard let query else { continue }
                await trial.expectSuccess("searching for \(text.prefix(40).debugDescription)") {
                    _ = try await database.read { db in
                        _ = try db.values(Int.self, "SELECT rowid FROM parts WHERE parts MATCH \(query) ORDER BY rank LIMIT 5")
                        return try db.values(Int.self, "SELECT rowid FROM words WHERE words MATCH \(query) ORDER BY rank LIMIT 5")
                    }
                }
            }
        }
        for text in ["rice", "RICE", "oat rice"] {
            let query = FullTextQuery(text)
            let found = try await database.read { db in
                guard let query else { return [Int]() }
                return try db.values(Int.self, "SELECT rowid FROM words WHERE words MATCH \(query)")
            }
            trial.check(found.contains(0), "searching for \(text) does not find it")
        }
        trial.note("\(texts.count) searches")
    }
}
