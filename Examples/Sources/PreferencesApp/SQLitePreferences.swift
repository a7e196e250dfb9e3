import QueryKitSQLite

struct SQLitePreferences: PreferenceStore {
    static let migrations: SQLiteMigrations = [
        SQLiteMigration("preferences", "CREATE TABLE preferences (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
    ]

    let database: SQLiteDatabase

    func text(of name: String) async throws -> String? {
        try await database.read { db in
            try db.value(String.self, "SELECT value FROM preferences WHERE name = \(name)")
        }
    }

    func setText(_ text: String, of name: String) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO preferences (name, value) VALUES (\(name), \(text))
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """
            )
        }
    }
}
