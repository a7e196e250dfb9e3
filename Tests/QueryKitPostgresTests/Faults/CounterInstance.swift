#if Postgres
import PostgresTestSupport
import QueryKit
import QueryKitPostgres

/// An instance of an app: a database with a client, whose stores each show one counter. Counters are partitions of one table.
final class CounterInstance: Sendable {
    static let migrations: PostgresMigrations = [
        PostgresMigration(
            "counters",
            """
            CREATE TABLE counters (id bigint PRIMARY KEY, value bigint NOT NULL DEFAULT 0);
            INSERT INTO counters SELECT * FROM generate_series(0, 999);
            CREATE TABLE calls (key text PRIMARY KEY, counter bigint NOT NULL);
            CREATE TABLE effects (call text NOT NULL);
            """
        )
    ]

    /// The counter that no writer increases. A new value shows that all earlier commits were reported.
    static let fence = 0

    let database: PostgresDatabase
    let client = QueryClient(configuration: .isolated)
    private let runs = Lock<[Int: Int]>([:])
    private let subscriptions = Lock<[QuerySubscription]>([])

    private init(_ database: PostgresDatabase) {
        self.database = database
        client.connect(to: database)
    }

    static func open(
        _ url: String,
        _ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }
    ) async throws -> CounterInstance {
        var configuration = PostgresDatabase.Configuration()
        configuration.partitions = [PostgresPartition(table: "counters", column: "id")]
        change(&configuration)
        return CounterInstance(try await PostgresDatabase.open(url, migrations: migrations, configuration: configuration))
    }

    // MARK: Stores

    func store(_ id: Int) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: CounterValue(id: id, instance: self).ttl(.infinity))
    }

    /// Observes counters from now on, and waits for their values.
    func watch(_ ids: some Sequence<Int>) async {
        let new = ids.map { store($0).subscribe(with: QueryEventHandler { _, _ in }) }
        subscriptions.withLock { $0 += new }
        await client.settled()
    }

    /// Increases the fence as another process does.
    static func raiseFence(at url: String) async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        let database = try await PostgresDatabase.open(url, configuration: configuration)
        try await database.increase(fence)
        await database.close()
    }

    /// Waits until the fence has a value. All commits before it were reported then, because they are reported in their order.
    func wait(forFence value: Int) async {
        for await current in store(Self.fence).select(\.value) where (current ?? 0) >= value { break }
        await client.settled()
    }

    /// How often the fetch closure ran, by counter.
    var runCounts: [Int: Int] { runs.withLock { $0 } }

    fileprivate func value(of id: Int) async throws -> Int {
        runs.withLock { $0[id, default: 0] += 1 }
        return try await database.read { db in
            try await db.value(Int.self, "SELECT value FROM counters WHERE id = \(partition: id, of: "counters")") ?? 0
        }
    }

    /// Ends all observation, and closes the database.
    func close() async {
        for subscription in subscriptions.withLock({ $0 }) { subscription.cancel() }
        await database.close()
    }
}

extension PostgresDatabase {
    /// All counters that were increased, with their values.
    func counters() async throws -> [Int: Int] {
        let pairs = try await read { db in
            try await db.map("SELECT id, value FROM counters WHERE value > 0") { row in (try row[0] as Int, try row[1] as Int) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Increases a counter.
    func increase(_ id: Int) async throws {
        try await write { db in try await db.execute("UPDATE counters SET value = value + 1 WHERE id = \(id)") }
    }

    /// Increases a counter, but only the first time that it is called with a key. So a caller that doesn't know the outcome can repeat it.
    func increase(_ id: Int, once key: String) async throws {
        try await write { db in
            let isNew = try await db.execute("INSERT INTO calls VALUES (\(key), \(id)) ON CONFLICT DO NOTHING") == 1
            if isNew { try await db.execute("UPDATE counters SET value = value + 1 WHERE id = \(id)") }
        }
    }
}

private struct CounterValue: QueryRequest {
    let id: Int
    let instance: CounterInstance

    var path: QueryPath { ["counter", id] }

    static func == (left: CounterValue, right: CounterValue) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await instance.value(of: id)
    }
}
#endif
