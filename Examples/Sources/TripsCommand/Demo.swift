import QueryKit
import QueryKitSQLite
import TripsApp

/// A scripted session with a database and a server in memory: navigation, a synchronization, a conflict. Time is a manual clock, so a
/// retry needs no waiting.
@MainActor
struct Demo {
    func run() async throws {
        let database = try await SQLiteDatabase.open(.inMemory, migrations: SQLiteTrips.migrations)
        let trips = SQLiteTrips(database: database)
        let server = MemoryTripServer()
        let clock = ManualClock()
        var context = QueryContext.trips(trips)
        context.sync = TripSync(trips, with: server, pageSize: 2)
        let client = QueryClient.test(clock: clock, context: context)
        client.connect(to: database)
        let (model, navigator, sync) = (
            TripListModel(queryClient: client), TripNavigator(queryClient: client), SyncModel(queryClient: client)
        )
        let screen = NavigatorScreen(list: TripListScreen(model: model), navigator: navigator)

        func show(_ event: String) async {
            _ = (screen.lines, sync.status)
            await client.settled()
            Output.write(["# \(event)"] + screen.lines + ["[\(sync.status)]", ""])
        }

        let rome = try Trip(planning: "Rome", from: "2027-03-01", days: 4)
        for trip in [
            rome, try Trip(planning: "Oslo", from: "2026-12-01", days: 3), try Trip(planning: "Bergen", from: "2026-12-05", days: 2),
        ] {
            await server.make(.add(trip))
        }
        await show("The first synchronization fills the database. The list follows the commits.")

        model.submit { try .add(Trip(planning: "Lisbon", from: "2026-12-20", days: 5)) }
        await show("A trip is added here, and sent: \(try await names(of: server, after: client)).")

        await server.fail(times: 1)
        await server.make(.addStop(Stop(place: "Trastevere", nights: 2), to: rome))
        navigator.open(rome.id)
        sync.synchronize()
        await show("Rome is open, and another device adds a stop. The server is busy.")
        clock.advance(by: .seconds(1))
        await show("After the backoff the stop is there.")

        await server.make(.delete(rome))
        clock.advance(by: .seconds(60))
        await show("Another device deletes Rome. The open screen closes.")
        await database.close()
    }

    private func names(of server: MemoryTripServer, after client: QueryClient) async throws -> String {
        await client.settled()
        return await server.names.joined(separator: ", ")
    }
}
