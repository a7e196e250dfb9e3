//! Requests that follow a PostgreSQL database, on each machine that uses
//! it. `make test-postgres` runs the sample; it needs the package trait
//! Postgres and a server.
#if Postgres
    import Foundation
    import QueryKit
    import QueryKitPostgres

    // snippet.repository
    struct Delays: Sendable {
        let database: PostgresDatabase

        func minutes(at station: Int) async throws -> Int {
            try await database.read { db in
                try await db.value(
                    Int.self,
                    """
                    SELECT minutes FROM delays
                    WHERE station = \(partition: station, of: "delays")
                    """
                ) ?? 0
            }
        }

        func set(_ minutes: Int, at station: Int) async throws {
            try await database.write { db in
                try await db.execute(
                    """
                    INSERT INTO delays (station, minutes)
                    VALUES (\(station), \(minutes))
                    ON CONFLICT (station)
                    DO UPDATE SET minutes = excluded.minutes
                    """
                )
            }
        }
    }
    // snippet.end

    // snippet.open
    nonisolated extension QueryDependencies {
        var delays: QueryDependency<Delays> { .required() }
    }

    /// Opens the database and creates the client of the process; call it
    /// once, when the process starts.
    func start(_ url: String) async throws -> (Delays, QueryClient) {
        var configuration = PostgresDatabase.Configuration()
        configuration.name = "timetable"
        configuration.partitions = [
            PostgresPartition(table: "delays", column: "station")
        ]
        let database = try await PostgresDatabase.open(
            url,
            migrations: [
                PostgresMigration(
                    "delays",
                    """
                    CREATE TABLE delays (
                        station BIGINT PRIMARY KEY,
                        minutes BIGINT NOT NULL
                    )
                    """
                )
            ],
            configuration: configuration
        )
        let delays = Delays(database: database)
        var context = QueryContext()
        context.delays = delays
        context.networkMode = .always
        let client = QueryClient(
            context: context,
            configuration: .isolated
        )
        client.connect(to: database)
        return (delays, client)
    }

    // snippet.end

    // snippet.query
    func delay(at station: Int) -> some QueryRequest<
        Int, QueryState<Int?, Int>
    > {
        InlineQuery("delays", station) { context in
            try await context.delays.minutes(at: station)
        }
        .freshUntilChanged()
    }
    // snippet.end

    // snippet.hide
    let environment = ProcessInfo.processInfo.environment
    guard let url = environment["QUERYKIT_POSTGRES"] else {
        print("QUERYKIT_POSTGRES has no connection string.")
        exit(0)
    }
    // snippet.show

    // snippet.follow
    // Two machines would do this; here, one process does both.
    let (oslo, osloClient) = try await start(url)
    let (rome, romeClient) = try await start(url)

    let shown = romeClient.store(for: delay(at: 5))
    let other = romeClient.store(for: delay(at: 6))
    let subscriptions = [shown, other].map { store in
        store.subscribe(with: QueryEventHandler())
    }
    await romeClient.settled()

    try await oslo.set(12, at: 5)
    for await minutes in shown.select(\.value) where minutes == 12 {
        break
    }
    print(shown.value ?? 0)  // 12
    // The station is a hash: otherProcess(timetable/delays/‹0c5f2a91›)
    print(shown.state.cause)
    // The other station was not read again.
    print(other.valueUpdateCount)  // 1
    // snippet.end
    // snippet.hide
    precondition(shown.value == 12 && other.valueUpdateCount == 1)
    try await oslo.database.write { db in
        try await db.execute("DROP TABLE delays")
    }
    for subscription in subscriptions { subscription.cancel() }
    await oslo.database.close()
    await rome.database.close()
// snippet.show
#else
    print("This sample needs the package trait Postgres.")
#endif
