//! Four questions about each query: what is its key, how long is it
//! fresh, how long is it kept, and what changes it.
import Foundation
import QueryKit
import QueryKitSQLite

// snippet.repository
nonisolated struct Trip: Equatable, Sendable {
    let id: Int
    let name: String
    let country: String
}

nonisolated extension Trip: SQLiteRowDecodable {
    init(row: borrowing SQLiteRow) throws {
        (id, name, country) = (try row[0], try row[1], try row[2])
    }
}

nonisolated struct TripRepository: Sendable {
    let database: SQLiteDatabase

    func trips(in country: String) async throws -> [Trip] {
        try await database.read { db in
            try db.rows(
                Trip.self,
                """
                SELECT id, name, country FROM trips
                WHERE country = \(country) ORDER BY id
                """
            )
        }
    }

    func add(_ name: String, in country: String) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO trips (name, country)
                VALUES (\(name), \(country))
                """
            )
        }
    }
}
// snippet.end

actor ForecastServer {
    private(set) var calls = 0

    func forecast(for city: String) -> String {
        calls += 1
        return "Sun in \(city), call \(calls)"
    }
}

nonisolated extension QueryDependencies {
    var trips: QueryDependency<TripRepository> { .required() }
    var server: QueryDependency<ForecastServer> {
        .init(ForecastServer())
    }
}

// snippet.key
/// The key is the request itself: everything that changes
/// the answer is a property.
struct TripsInCountry: QueryRequest {
    let country: String

    // For patterns, from the general to the specific.
    var path: QueryPath { ["trips", "country", country] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[Trip]>
    ) async throws -> [Trip] {
        try await context.trips.trips(in: country)
    }
}

struct Forecast: QueryRequest {
    let city: String

    var path: QueryPath { ["forecast", city] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String {
        await context.server.forecast(for: city)
    }
}
// snippet.end

// snippet.hide
let clock = ManualClock()
let database = try await SQLiteDatabase.open(
    .inMemory,
    migrations: [
        SQLiteMigration(
            "trips",
            """
            CREATE TABLE trips (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                country TEXT NOT NULL
            ) STRICT;
            CREATE INDEX trips_country ON trips (country);
            """
        )
    ]
)
let repository = TripRepository(database: database)
let server = ForecastServer()
var context = QueryContext()
context.trips = repository
context.server = server
let client = QueryClient.test(clock: clock, context: context)
client.connect(to: database)
// snippet.show

// snippet.same
let norway = client.store(for: TripsInCountry(country: "Norway"))
let again = client.store(
    for: TripsInCountry(country: "Norway").ttl(.seconds(60))
)
print(norway == again)  // true: a modifier is not part of the key

let other = client.store(for: TripsInCountry(country: "Portugal"))
print(norway == other)  // false
// snippet.end
// snippet.hide
precondition(norway == again && norway != other)
// snippet.show

// snippet.fresh
// A server: fresh for five minutes, kept for an hour without observers.
let oslo = Forecast(city: "Oslo")
    .ttl(.seconds(300))
    .keep(for: .seconds(3600))

_ = try await client.fetch(oslo)
_ = try await client.fetch(oslo)
print(await server.calls)  // 1: still fresh

clock.advance(by: .seconds(300))
let store = client.store(for: oslo)
print(store.isStale)  // true
print(store.value ?? "")  // Sun in Oslo, call 1: still shown
_ = try await client.fetch(oslo)
print(await server.calls)  // 2

await client.settled()
// snippet.end
// snippet.hide
let calls = await server.calls
precondition(calls == 2)
clock.advance(by: .seconds(300))
precondition(store.isStale && store.value == "Sun in Oslo, call 2")
// snippet.show

// snippet.changed
// A database: fresh until a commit changes what the request has read.
let trips = client.store(
    for: TripsInCountry(country: "Norway").freshUntilChanged()
)
let portugal = client.store(
    for: TripsInCountry(country: "Portugal").freshUntilChanged()
)
let observers = [trips, portugal].map {
    $0.subscribe(with: QueryEventHandler())
}
await client.settled()

try await repository.add("Oslo", in: "Norway")
await client.settled()
// ["Oslo"], without an invalidation.
print(trips.value?.map(\.name) ?? [])
// 2 1: Portugal did not run again.
print(trips.valueUpdateCount, portugal.valueUpdateCount)
// snippet.end
// snippet.hide
precondition(trips.value?.map(\.name) == ["Oslo"])
precondition(
    trips.valueUpdateCount == 2 && portugal.valueUpdateCount == 1
)
clock.advance(by: .seconds(3600))
precondition(!trips.isStale)
// snippet.show

// snippet.why
// What each value was read from.
print(client.snapshot().stores.map(\.reads))
// Why the latest run ran.
print(trips.state.cause)
// snippet.end
// snippet.hide
withExtendedLifetime(observers) {}
precondition(trips.state.cause.region != nil)
await database.close()
// snippet.show
