import QueryKitSQLite

/// Opens a database, writes to it and reads it.
@main struct Trips {
    static func main() async throws {
        let migrations: SQLiteMigrations = [
            SQLiteMigration("trips", "CREATE TABLE trips (id INTEGER PRIMARY KEY, place TEXT NOT NULL) STRICT")
        ]
        let database = try await SQLiteDatabase.open(.temporary, migrations: migrations)
        try await database.write { db in
            for place in ["Lisbon", "Oslo"] { try db.execute("INSERT INTO trips (place) VALUES (\(place))") }
        }
        let places = try await database.read { db in try db.values(String.self, "SELECT place FROM trips ORDER BY place") }
        await database.close()
        print(places.joined(separator: ", "))
    }
}
