package import QueryKitSQLite

/// Triggers count the local changes, so the code that changes trips doesn't know the server, and the changes of other processes count too.
extension SQLiteTrips: SyncRepository {
    static let syncMigration = SQLiteMigration(
        "sync",
        """
        CREATE TABLE trip_sync (
            trip BLOB PRIMARY KEY NOT NULL, version INTEGER NOT NULL DEFAULT 0, edits INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX trip_sync_edited ON trip_sync (trip) WHERE edits > 0;
        CREATE TABLE sync_position (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, device TEXT NOT NULL) STRICT;
        INSERT INTO sync_position (id, version, device) VALUES (1, 0, hex(randomblob(8)));
        INSERT INTO trip_sync (trip, edits) SELECT id, 1 FROM trips;
        CREATE TRIGGER trip_added AFTER INSERT ON trips BEGIN
            INSERT INTO trip_sync (trip, edits) VALUES (new.id, 1) ON CONFLICT (trip) DO UPDATE SET edits = edits + 1;
        END;
        CREATE TRIGGER trip_changed AFTER UPDATE ON trips BEGIN
            UPDATE trip_sync SET edits = edits + 1 WHERE trip = new.id;
        END;
        CREATE TRIGGER trip_deleted AFTER DELETE ON trips BEGIN
            UPDATE trip_sync SET edits = edits + 1 WHERE trip = old.id;
        END;
        CREATE TRIGGER stop_added AFTER INSERT ON stops BEGIN
            UPDATE trip_sync SET edits = edits + 1 WHERE trip = new.trip;
        END;
        """
    )

    package func syncPosition() async throws -> Int {
        try await database.read { db in try db.value(Int.self, "SELECT version FROM sync_position WHERE id = 1") ?? 0 }
    }

    package func deviceName() async throws -> String {
        try await database.read { db in try Self.deviceName(db) }
    }

    private static func deviceName(_ db: SQLiteReadTransaction) throws -> String {
        try db.value(String.self, "SELECT device FROM sync_position WHERE id = 1") ?? ""
    }

    package func unsentTrips() async throws -> [UnsentTrip] {
        try await database.read { db in
            try db.rows(UnsentTrip.self, "SELECT trip, version, edits FROM trip_sync WHERE edits > 0 ORDER BY trip").map { trip in
                var trip = trip
                trip.content = try Self.details(of: trip.id, db)
                return trip
            }
        }
    }

    package func confirm(_ sent: UnsentTrip, as version: Int) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE trip_sync SET version = \(version), edits = edits - \(sent.edits) WHERE trip = \(sent.id) AND edits >= \(sent.edits)"
            )
        }
    }

    package func receive(_ page: ServerPage) async throws -> [String] {
        guard let last = page.trips.last else { return [] }
        return try await database.write { db in
            let device = try Self.deviceName(db)
            let names = try page.trips.compactMap { try Self.take($0, to: device, db) }
            try db.execute("UPDATE sync_position SET version = \(last.version) WHERE id = 1")
            return names
        }
    }

    private static func take(_ trip: ServerTrip, to device: String, _ db: SQLiteWriteTransaction) throws -> String? {
        let known = try db.row(UnsentTrip.self, "SELECT trip, version, edits FROM trip_sync WHERE trip = \(trip.id)")
        if let known, known.version >= trip.version { return nil }
        if known != nil, trip.device == device {
            // Sent from here, but the answer was lost. The local trip is as new, or newer.
            try db.execute("UPDATE trip_sync SET version = \(trip.version) WHERE trip = \(trip.id)")
            return nil
        }
        let local = try details(of: trip.id, db)
        let isEqual = local == trip.content
        if !isEqual { try replace(trip, db) }
        try db.execute(
            """
            INSERT INTO trip_sync (trip, version, edits) VALUES (\(trip.id), \(trip.version), 0)
            ON CONFLICT (trip) DO UPDATE SET version = excluded.version, edits = 0
            """
        )
        return known?.edits ?? 0 > 0 && !isEqual ? (local ?? trip.content)?.trip.name : nil
    }

    private static func replace(_ server: ServerTrip, _ db: SQLiteWriteTransaction) throws {
        guard let content = server.content else {
            try db.execute("DELETE FROM trips WHERE id = \(server.id)")
            return
        }
        let trip = content.trip
        try freeName(trip.name, for: trip.id, db)
        try db.execute(
            """
            INSERT INTO trips (id, name, start, days) VALUES (\(trip.id), \(trip.name), \(trip.start), \(trip.days))
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, start = excluded.start, days = excluded.days
            """
        )
        try db.execute("DELETE FROM stops WHERE trip = \(trip.id)")
        for stop in content.stops {
            try db.execute("INSERT INTO stops (trip, place, nights) VALUES (\(trip.id), \(stop.place), \(stop.nights))")
        }
    }

    /// Gives another trip that has the name a number, because names are unique. If that trip has no local changes, the server has renamed
    /// it too, and its new name follows: the number is not a change to send.
    private static func freeName(_ name: String, for id: Trip.ID, _ db: SQLiteWriteTransaction) throws {
        guard
            let other = try db.row(
                UnsentTrip.self,
                "SELECT trip, version, edits FROM trip_sync WHERE trip IN (SELECT id FROM trips WHERE name = \(name) AND id <> \(id))"
            )
        else { return }
        var number = 2
        while try db.value(Int.self, "SELECT 1 FROM trips WHERE name = \("\(name) (\(number))")") != nil { number += 1 }
        try db.execute("UPDATE trips SET name = \("\(name) (\(number))") WHERE id = \(other.id)")
        if other.edits == 0 { try db.execute("UPDATE trip_sync SET edits = 0 WHERE trip = \(other.id)") }
    }
}

extension UnsentTrip: SQLiteRowDecodable {
    package init(row: borrowing SQLiteRow) throws { self.init(id: try row[0], version: try row[1], edits: try row[2]) }
}
