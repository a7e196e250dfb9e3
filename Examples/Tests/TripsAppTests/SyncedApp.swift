import QueryKit
import QueryKitSQLite
import QueryKitTesting
import TripsApp

/// The server, whose requests and answers the test can hold or make fail.
struct HeldServer: TripServer {
    let server: MemoryTripServer
    let requests = Gate()
    /// Where the answer to a change waits, after the server has made it.
    let answers = Gate()
    /// The priority of each call.
    let priorities = FakeFunction<TaskPriority?, Void>()

    func changes(after version: Int, limit: Int) async throws -> ServerPage {
        try await priorities(Task.basePriority)
        try await requests.pass()
        return try await server.changes(after: version, limit: limit)
    }

    func put(_ content: TripDetails?, for id: Trip.ID, over version: Int, by device: String) async throws -> Int {
        let version = try await server.put(content, for: id, over: version, by: device)
        try await answers.pass()
        return version
    }
}

/// The app over an empty database, with a server that sends two trips at once.
@MainActor
struct SyncedApp {
    let server = MemoryTripServer()
    let clock = ManualClock()
    let held: HeldServer
    let trips: SQLiteTrips
    let client: QueryClient
    let model: TripListModel
    let navigator: TripNavigator
    let sync: SyncModel
    var requests: Gate { held.requests }

    init() async throws {
        let database = try await SQLiteDatabase.open(.inMemory, migrations: SQLiteTrips.migrations)
        held = HeldServer(server: server)
        trips = SQLiteTrips(database: database)
        var context = QueryContext.trips(trips)
        context.sync = TripSync(trips, with: held, pageSize: 2)
        client = QueryClient.test(clock: clock, context: context)
        client.connect(to: database)
        (model, navigator, sync) = (
            TripListModel(queryClient: client), TripNavigator(queryClient: client), SyncModel(queryClient: client)
        )
        held.requests.open()
        held.answers.open()
    }

    /// Shows the screen and begins to synchronize, and waits until all is done that needs neither time nor a gate.
    func appear() async {
        _ = (model.trips, model.totalDays, model.problem, sync.status)
        await client.settled()
    }

    /// Synchronizes now, as pulling to refresh does.
    func synchronize() async {
        await sync.synchronize().finished()
        await client.settled()
    }
}

extension MemoryTripServer {
    /// Another device adds a trip of seven days.
    @discardableResult
    func add(_ name: String, _ start: String) throws -> Trip {
        let trip = try Trip(planning: name, from: start, days: 7)
        make(.add(trip))
        return trip
    }
}
