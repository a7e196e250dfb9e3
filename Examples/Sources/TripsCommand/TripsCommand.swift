import Foundation
import QueryKit
import QueryKitSQLite
import TripsApp

/// Keeps trips from the command line.
@main
enum TripsCommand {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Output.complain((error as? SQLiteError)?.message ?? "\(error)")
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func run(_ words: [String]) async throws {
        var words = words
        var file = ProcessInfo.processInfo.environment["TRIPS_FILE"] ?? "trips.sqlite"
        if words.first == "--file" {
            guard words.count > 1 else { throw UsageError("Write: trips --file PATH COMMAND") }
            file = words[1]
            words.removeFirst(2)
        }
        let call = try TripsCall(words)
        guard call != .help else { return Output.write([TripsCall.helpText]) }
        guard call != .demo else { return try await Demo().run() }
        let database = try await SQLiteDatabase.open(.file(URL(fileURLWithPath: file)), migrations: SQLiteTrips.migrations)
        do {
            try await run(call, in: database)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }

    private static func run(_ call: TripsCall, in database: SQLiteDatabase) async throws {
        if call == .watch {
            let client = QueryClient(context: .trips(SQLiteTrips(database: database)))
            client.connect(to: database)
            await Watch(client: client).run()
        } else {
            Output.write(try await TripsProgram(trips: SQLiteTrips(database: database)).run(call))
        }
    }
}
