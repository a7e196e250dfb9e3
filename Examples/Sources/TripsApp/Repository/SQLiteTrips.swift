package import QueryKitSQLite

/// Trips in a database. The database itself notes what a query reads and a commit writes.
package struct SQLiteTrips: TripRepository {
    package static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "trips",
            """
            CREATE TABLE trips (
                id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, start TEXT NOT NULL, days INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX trips_start ON trips (start, name);
            CREATE TABLE stops (
                id INTEGER PRIMARY KEY, trip BLOB NOT NULL REFERENCES trips ON DELETE CASCADE, place TEXT NOT NULL, nights INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX stops_trip ON stops (trip);
            """
        ),
        syncMigration,
    ]

    let database: SQLiteDatabase

    package init(database: SQLiteDatabase) { self.database = database }

    package func trips(matching text: String) async throws -> [Trip] {
        try await database.read { db in
            try db.rows(
                Trip.self,
                "SELECT id, name, start, days FROM trips WHERE instr(lower(name), lower(\(text))) ORDER BY start, name"
            )
        }
    }

    package func details(of id: Trip.ID) async throws -> TripDetails? {
        try await database.read { db in try Self.details(of: id, db) }
    }

    static func details(of id: Trip.ID, _ db: SQLiteReadTransaction) throws -> TripDetails? {
        guard let trip = try db.row(Trip.self, "SELECT id, name, start, days FROM trips WHERE id = \(id)") else { return nil }
        let stops = try db.rows(Stop.self, "SELECT place, nights FROM stops WHERE trip = \(id) ORDER BY id")
        return TripDetails(trip: trip, stops: stops)
    }

    package func totalDays() async throws -> Int {
        try await database.read { db in try db.value(Int.self, "SELECT sum(days) FROM trips") ?? 0 }
    }

    package func save(_ change: TripChange) async throws {
        do {
            try await database.write { db in
                let rows = try db.execute(Self.statement(change))
                if rows == 0 { throw TripError.gone(change.trip.name) }
            }
        } catch let error as SQLiteError {
            switch (error.constraint, change) {
            case (.unique, .add(let trip)): throw TripError.nameTaken(trip.name)
            case (.unique, .rename(_, to: let name)): throw TripError.nameTaken(name)
            case (.foreignKey, _): throw TripError.gone(change.trip.name)
            default: throw error
            }
        }
    }

    private static func statement(_ change: TripChange) -> SQL {
        switch change {
        case .add(let trip): "INSERT INTO trips (id, name, start, days) VALUES (\(trip.id), \(trip.name), \(trip.start), \(trip.days))"
        case .rename(let trip, to: let name): "UPDATE trips SET name = \(name) WHERE id = \(trip.id)"
        case .delete(let trip): "DELETE FROM trips WHERE id = \(trip.id)"
        case .addStop(let stop, to: let trip): "INSERT INTO stops (trip, place, nights) VALUES (\(trip.id), \(stop.place), \(stop.nights))"
        }
    }
}

extension Day: SQLiteConvertible {}

extension Trip: SQLiteRowDecodable {
    package init(row: borrowing SQLiteRow) throws {
        self.init(id: try row[0], name: try row[1], start: try row[2], days: try row[3])
    }
}

extension Stop: SQLiteRowDecodable {
    package init(row: borrowing SQLiteRow) throws { self.init(place: try row[0], nights: try row[1]) }
}
