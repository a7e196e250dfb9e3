import QueryKit
import SQLiteTestSupport
import TestSupport

@testable import QueryKitSQLite

/// A use case over a repository over a database. It doesn't know about clients.
struct Diary: Sendable {
    let database: SQLiteDatabase

    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "diary",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, day TEXT NOT NULL) STRICT;
            CREATE TABLE food (id INTEGER PRIMARY KEY) STRICT;
            CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;
            """
        )
    ]

    static var configuration: SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        configuration.name = "diary"
        configuration.partitions = [SQLitePartition(table: "entries", column: "day")]
        return configuration
    }

    static func open(_ location: SQLiteDatabase.Location = .temporary) async throws -> Diary {
        Diary(database: try await SQLiteDatabase.open(location, migrations: migrations, configuration: configuration))
    }

    /// What a request can ask, by its number.
    enum Query: Int, CaseIterable {
        case entries = 1
        case food, both, monday, tuesday, notes
    }

    func result(of query: Query) async throws -> Int {
        switch query {
        case .entries: try await count("SELECT count(*) FROM entries")
        case .food: try await count("SELECT count(*) FROM food")
        case .notes: try await count("SELECT count(*) FROM notes")
        case .monday: try await count("SELECT count(*) FROM entries WHERE day = \(partition: "monday", of: "entries")")
        case .tuesday: try await count("SELECT count(*) FROM entries WHERE day = \(partition: "tuesday", of: "entries")")
        case .both: try await both()
        }
    }

    /// In two concurrent child tasks.
    private func both() async throws -> Int {
        async let entries = result(of: .entries)
        async let food = result(of: .food)
        return try await entries * 100 + food
    }

    private func count(_ sql: SQL) async throws -> Int {
        try await database.read { db in try db.value(Int.self, sql) ?? 0 }
    }

    func addEntry(on day: String = "monday") async throws {
        try await database.write { db in try db.execute("INSERT INTO entries (day) VALUES (\(day))") }
    }

    func addFood() async throws {
        try await database.write { db in try db.execute("INSERT INTO food DEFAULT VALUES") }
    }
}

/// A client whose numbers are the results of a diary.
struct DiaryBench: Sendable {
    let diary: Diary
    let bench: TestBench

    init(_ diary: Diary, connects: Bool = true) {
        self.diary = diary
        bench = TestBench { call in
            guard let query = Diary.Query(rawValue: call.id) else { throw TestError("no query \(call.id)") }
            return try await diary.result(of: query)
        }
        if connects { client.connect(to: diary.database) }
    }

    static func make(_ location: SQLiteDatabase.Location = .temporary) async throws -> DiaryBench {
        DiaryBench(try await Diary.open(location))
    }

    var client: QueryClient { bench.client }

    func store(_ query: Diary.Query) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: Number(query.rawValue).ttl(.infinity))
    }

    /// How often a query was executed.
    func count(_ query: Diary.Query) -> Int { bench.backend.fetched.filter { $0 == query.rawValue }.count }

    func counts(_ queries: Diary.Query...) -> [Int] { queries.map(count) }

    /// Observes the results from now on, and waits for the first of each.
    func watch(_ queries: Diary.Query...) async -> [QuerySubscription] {
        let subscriptions = queries.map { store($0).record(Recorder()) }
        await client.settled()
        return subscriptions
    }

    /// Waits until a result satisfies a closure.
    func wait(_ query: Diary.Query, until condition: @escaping @Sendable (QueryState<Int?, Int>) -> Bool) async {
        for await holds in store(query).select(condition) where holds { return }
    }
}
