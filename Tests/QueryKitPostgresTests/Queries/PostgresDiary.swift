#if Postgres
import Foundation
import QueryKit
import TestSupport

@testable import QueryKitPostgres

/// A use case over a repository over a database. It doesn't know about clients.
struct PostgresDiary: Sendable {
    let scratch: ScratchDatabase
    let database: PostgresDatabase

    static let migrations: PostgresMigrations = [
        PostgresMigration(
            "diary",
            """
            CREATE TABLE entries (id bigserial PRIMARY KEY, day text NOT NULL);
            CREATE TABLE food (id bigserial PRIMARY KEY);
            CREATE TABLE notes (id bigserial PRIMARY KEY);
            CREATE VIEW everything AS SELECT (SELECT count(*) FROM entries) * 100 + (SELECT count(*) FROM food) AS number;
            CREATE FUNCTION count_of(isfood boolean) RETURNS bigint LANGUAGE plpgsql AS $$
            BEGIN
                IF isfood THEN RETURN (SELECT count(*) FROM food); END IF;
                RETURN (SELECT count(*) FROM notes);
            END
            $$;
            CREATE FUNCTION hidden_count() RETURNS bigint LANGUAGE plpgsql AS $$
            DECLARE n bigint;
            BEGIN
                BEGIN
                    SELECT count(*) INTO n FROM food;
                    RAISE EXCEPTION 'undo';
                EXCEPTION WHEN OTHERS THEN NULL;
                END;
                RETURN n;
            END
            $$;
            """
        )
    ]

    static func configuration(_ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }) -> PostgresDatabase.Configuration {
        var configuration = PostgresDatabase.Configuration()
        configuration.name = "diary"
        configuration.partitions = [PostgresPartition(table: "entries", column: "day")]
        change(&configuration)
        return configuration
    }

    static func open(
        _ scratch: ScratchDatabase? = nil,
        _ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }
    ) async throws -> PostgresDiary {
        let scratch = if let scratch { scratch } else { try await ScratchDatabase.make() }
        let database = try await PostgresDatabase.open(scratch.url, migrations: migrations, configuration: configuration(change))
        return PostgresDiary(scratch: scratch, database: database)
    }

    /// Opens a database whose tables exist already.
    static func openExisting(_ scratch: ScratchDatabase) async throws -> PostgresDiary {
        PostgresDiary(scratch: scratch, database: try await PostgresDatabase.open(scratch.url, configuration: configuration()))
    }

    /// What a request can ask, by its number.
    enum Query: Int, CaseIterable {
        case entries = 1
        case food, both, monday, tuesday, notes, view, branch, hidden
    }

    func result(of query: Query) async throws -> Int {
        switch query {
        case .entries: try await count("SELECT count(*) FROM entries")
        case .food: try await count("SELECT count(*) FROM food")
        case .notes: try await count("SELECT count(*) FROM notes")
        case .monday: try await count("SELECT count(*) FROM entries WHERE day = \(partition: "monday", of: "entries")")
        case .tuesday: try await count("SELECT count(*) FROM entries WHERE day = \(partition: "tuesday", of: "entries")")
        case .view: try await count("SELECT number FROM everything")
        case .branch: try await count("SELECT count_of(true)")
        case .hidden: try await count("SELECT hidden_count()")
        case .both: try await both()
        }
    }

    /// In two concurrent child tasks.
    private func both() async throws -> Int {
        async let entries = result(of: .entries)
        async let food = result(of: .food)
        return try await entries * 100 + food
    }

    func count(_ sql: SQL) async throws -> Int {
        try await database.read { db in try await db.value(Int.self, sql) ?? 0 }
    }

    func addEntry(on day: String = "monday") async throws {
        try await database.write { db in try await db.execute("INSERT INTO entries (day) VALUES (\(day))") }
    }

    func addFood() async throws {
        try await database.write { db in try await db.execute("INSERT INTO food DEFAULT VALUES") }
    }
}

/// A client whose numbers are the results of a diary.
struct PostgresBench: Sendable {
    let diary: PostgresDiary
    let bench: TestBench

    init(_ diary: PostgresDiary, connects: Bool = true, configuration: QueryClient.Configuration = .isolated) {
        self.diary = diary
        bench = TestBench(configuration: configuration) { call in
            guard let query = PostgresDiary.Query(rawValue: call.id) else { throw TestError("no query \(call.id)") }
            return try await diary.result(of: query)
        }
        if connects { client.connect(to: diary.database) }
    }

    static func make() async throws -> PostgresBench { PostgresBench(try await PostgresDiary.open()) }

    var client: QueryClient { bench.client }

    func store(_ query: PostgresDiary.Query) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: Number(query.rawValue).ttl(.infinity))
    }

    /// How often a query was executed.
    func count(_ query: PostgresDiary.Query) -> Int { bench.backend.fetched.filter { $0 == query.rawValue }.count }

    func counts(_ queries: PostgresDiary.Query...) -> [Int] { queries.map(count) }

    /// Observes the results from now on, and waits for the first of each.
    func watch(_ queries: PostgresDiary.Query...) async -> [QuerySubscription] {
        let subscriptions = queries.map { store($0).record(Recorder()) }
        await client.settled()
        return subscriptions
    }

    /// Waits until a result satisfies a closure.
    func wait(_ query: PostgresDiary.Query, until condition: @escaping @Sendable (QueryState<Int?, Int>) -> Bool) async {
        for await holds in store(query).select(condition) where holds { return }
    }

    /// Waits until a result has a value and is up to date.
    func wait(_ query: PostgresDiary.Query, for value: Int) async {
        await wait(query) { $0.value == value && !$0.isFetching && !$0.isInvalidated }
    }
}
#endif
