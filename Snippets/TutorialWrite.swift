//! The tutorial, step 5: a write that refetches the list.
// snippet.hide
// swift-format-ignore-file: OrderedImports
// snippet.show
import Foundation
import Observation
import QueryKit
import QueryKitSQLite

// snippet.hide
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

nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .required() }
}

nonisolated extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.trips.all()
    }
}

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
// snippet.show

// snippet.add
import QueryKit

nonisolated extension Trip {
    static let add = InlineMutation("trips/add") {
        (trip: Trip, context) in try await context.trips.add(trip)
    }
}
// snippet.end

// snippet.model
import Foundation
import Observation
import QueryKit

@MainActor @Observable
final class TripsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(Trip.all, default: []) var trips
    @ObservationIgnored @SharedMutation(Trip.add) private var addTrip

    var isLoading: Bool { $trips.isLoading }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func add(_ name: String) throws {
        try addTrip.submit(Trip(id: UUID(), name: name))
    }
}
// snippet.end

// snippet.screen
extension TripsModel {
    var lines: [String] {
        isLoading ? ["Loading…"] : trips.map(\.name)
    }

    func enter(_ line: String) throws { try add(line) }
}
// snippet.end

// snippet.hide
/// Prints the lines of a model when they change, and reads input.
@MainActor
final class Terminal {
    private let model: TripsModel
    private var printed: [String] = []

    /// The input of the loop: a line that was typed, or `nil` after
    /// the model has changed.
    private let (events, signal) = AsyncStream.makeStream(
        of: String?.self
    )

    init(_ model: TripsModel) { self.model = model }

    /// Returns at the end of the input.
    func run() async throws {
        Thread { [signal] in
            while let line = readLine() { signal.yield(line) }
            signal.finish()
        }.start()
        draw()
        for await line in events {
            if let line { try model.enter(line) } else { draw() }
        }
        await model.queryClient.settled()
        draw()
    }

    private func draw() {
        let lines = withObservationTracking {
            model.lines
        } onChange: { [signal] in
            signal.yield(nil)
        }
        guard lines != printed else { return }
        printed = lines
        print(lines.joined(separator: "\n"), terminator: "\n\n")
    }
}

let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
try FileManager.default.createDirectory(
    at: folder,
    withIntermediateDirectories: true
)
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)

// The terminal reads its input from a pipe that has ended.
func typing(_ text: String) throws {
    let input = Pipe()
    dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
}

try typing("Lisbon\nBergen\n")

let trips = try await SQLiteTrips.open(
    URL(fileURLWithPath: "trips.sqlite")
)
let client = QueryClient.following(trips)
try await Terminal(TripsModel(queryClient: client)).run()
await trips.database.close()

let shown = client.value(for: Trip.all)?.map(\.name)
precondition(shown == ["Bergen", "Lisbon", "Oslo"], "\(shown ?? [])")

try FileManager.default.removeItem(at: folder)
// snippet.show
