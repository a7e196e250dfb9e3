//! The tutorial, steps 2 and 3: trips in SQLite, and a request.
//! The later steps repeat it in hidden lines.
// snippet.hide
// swift-format-ignore-file: OrderedImports
// snippet.show
import Foundation
import QueryKit
import QueryKitSQLite

// snippet.trip
import Foundation

nonisolated struct Trip: Hashable, Identifiable, Sendable {
    let id: UUID
    let name: String
}

nonisolated protocol TripRepository: Sendable {
    func all() async throws -> [Trip]
    func add(_ trip: Trip) async throws
}

nonisolated struct NameTaken: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name) is on the list already." }
}
// snippet.end

// snippet.reading
import Foundation
import QueryKitSQLite

nonisolated struct SQLiteTrips: TripRepository {
    let database: SQLiteDatabase

    static func open(_ file: URL) async throws -> SQLiteTrips {
        let database = try await SQLiteDatabase.open(
            .file(file),
            migrations: [
                SQLiteMigration(
                    "trips",
                    """
                    CREATE TABLE trips (
                        id BLOB PRIMARY KEY NOT NULL,
                        name TEXT NOT NULL UNIQUE
                    ) STRICT
                    """
                ),
                SQLiteMigration(
                    "first trip",
                    """
                    INSERT INTO trips VALUES (randomblob(16), 'Oslo')
                    """
                ),
            ]
        )
        return SQLiteTrips(database: database)
    }

    func all() async throws -> [Trip] {
        try await database.read { db in
            try db.rows(
                Trip.self,
                "SELECT id, name FROM trips ORDER BY name"
            )
        }
    }
}

nonisolated extension Trip: SQLiteRowDecodable {
    init(row: borrowing SQLiteRow) throws {
        self.init(id: try row[0], name: try row[1])
    }
}
// snippet.end

// snippet.writing
import QueryKitSQLite

nonisolated extension SQLiteTrips {
    func add(_ trip: Trip) async throws {
        do {
            try await database.write { db in
                try db.execute(
                    """
                    INSERT INTO trips (id, name)
                    VALUES (\(trip.id), \(trip.name))
                    """
                )
            }
        } catch let error as SQLiteError
            where error.constraint == .unique
        {
            throw NameTaken(name: trip.name)
        }
    }

    func remove(_ name: String) async throws {
        try await database.write { db in
            try db.execute("DELETE FROM trips WHERE name = \(name)")
        }
    }
}
// snippet.end

// snippet.request
import QueryKit

nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .required() }
}

nonisolated extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.trips.all()
    }
}
// snippet.end

// snippet.client
import QueryKit

nonisolated extension QueryClient {
    /// A client that follows a database of trips.
    static func following(_ trips: SQLiteTrips) -> QueryClient {
        var context = QueryContext()
        context.trips = trips
        context.ttl = .infinity  // the database reports each change
        context.retry.limit = 0  // an error is shown at once
        let client = QueryClient(context: context)
        client.connect(to: trips.database)
        return client
    }
}
// snippet.end

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
// snippet.show

// snippet.main
import Foundation
import QueryKit

let trips = try await SQLiteTrips.open(
    URL(fileURLWithPath: "trips.sqlite")
)
let client = QueryClient.following(trips)
print(try await client.fetch(Trip.all).map(\.name))
await trips.database.close()
// snippet.end

// snippet.hide
let again = try await SQLiteTrips.open(
    URL(fileURLWithPath: "trips.sqlite")
)
try await again.add(Trip(id: UUID(), name: "Lisbon"))
do {
    try await again.add(Trip(id: UUID(), name: "Lisbon"))
    preconditionFailure("a name is unique")
} catch let error as NameTaken {
    precondition(error.name == "Lisbon")
}
try await again.remove("Oslo")
let names = try await again.all().map(\.name)
precondition(names == ["Lisbon"], "\(names)")
await again.database.close()

try FileManager.default.removeItem(at: folder)
// snippet.show
