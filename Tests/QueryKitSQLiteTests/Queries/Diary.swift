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
    enum Question: Int, CaseIterable {
        case entries = 1
        case food, both, monday, tuesday, notes
    }

    func answer(_ question: Question) async throws -> Int {
        switch question {
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
        async let entries = answer(.entries)
        async let food = answer(.food)
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

/// A client whose numbers are the answers of a diary.
struct DiaryBench: Sendable {
    let diary: Diary
    let bench: TestBench

    init(_ diary: Diary, connects: Bool = true) {
        self.diary = diary
        bench = TestBench { call in
            guard let question = Diary.Question(rawValue: call.id) else { throw TestError("no question \(call.id)") }
            return try await diary.answer(question)
        }
        if connects { client.connect(to: diary.database) }
    }

    static func make(_ location: SQLiteDatabase.Location = .temporary) async throws -> DiaryBench {
        DiaryBench(try await Diary.open(location))
    }

    var client: QueryClient { bench.client }

    func store(_ question: Diary.Question) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: Number(question.rawValue).ttl(.infinity))
    }

    /// How often a question was asked.
    func count(_ question: Diary.Question) -> Int { bench.backend.fetched.filter { $0 == question.rawValue }.count }

    func counts(_ questions: Diary.Question...) -> [Int] { questions.map(count) }

    /// Observes the answers from now on, and waits for the first of each.
    func watch(_ questions: Diary.Question...) async -> [QuerySubscription] {
        let subscriptions = questions.map { store($0).record(Recorder()) }
        await client.settled()
        return subscriptions
    }

    /// Waits until an answer satisfies a closure.
    func wait(_ question: Diary.Question, until condition: @escaping @Sendable (QueryState<Int?, Int>) -> Bool) async {
        for await holds in store(question).select(condition) where holds { return }
    }
}
