import QueryKit
import QueryKitSQLite
import QueryKitTesting
import TripsApp

/// The app's repository, whose reads and writes the test can hold or make fail.
struct HeldTrips: TripRepository {
    let trips: SQLiteTrips
    let reads: Gate
    let writes: Gate

    func trips(matching text: String) async throws -> [Trip] {
        try await reads.pass()
        return try await trips.trips(matching: text)
    }

    func details(of id: Trip.ID) async throws -> TripDetails? {
        try await reads.pass()
        return try await trips.details(of: id)
    }

    func totalDays() async throws -> Int {
        try await reads.pass()
        return try await trips.totalDays()
    }

    func save(_ change: TripChange) async throws {
        try await writes.pass()
        try await trips.save(change)
    }
}

/// The app over its own database with two trips. Gates are open unless a test closes them.
@MainActor
struct TestApp {
    let reads = Gate()
    let writes = Gate()
    let trips: SQLiteTrips
    let client: QueryClient
    let model: TripListModel

    init(_ location: SQLiteDatabase.Location = .inMemory) async throws {
        let database = try await SQLiteDatabase.open(location, migrations: SQLiteTrips.migrations)
        trips = SQLiteTrips(database: database)
        client = QueryClient.test(context: .trips(HeldTrips(trips: trips, reads: reads, writes: writes)))
        client.connect(to: database)
        model = TripListModel(queryClient: client)
        try await trips.save(.add(Trip(planning: "Rome", from: "2027-03-01", days: 4)))
        try await trips.save(.add(Trip(planning: "Oslo", from: "2026-12-01", days: 3)))
        reads.open()
        writes.open()
    }

    /// Starts the reads of the screen, and waits until they have finished.
    func appear() async {
        _ = (model.trips, model.totalDays, model.problem)
        await client.settled()
    }

    var names: [String] { model.trips.map(\.name) }

    func trip(_ name: String) throws -> Trip {
        guard let trip = model.trips.first(where: { $0.name == name }) else { throw TripError.gone(name) }
        return trip
    }
}

/// The error of a broken disk.
struct DiskError: Error, CustomStringConvertible {
    let description = "The disk is broken."
}
