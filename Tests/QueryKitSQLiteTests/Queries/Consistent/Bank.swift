import QueryKit
import SQLiteTestSupport

@testable import QueryKitSQLite

/// A request for one number.
struct BankNumber: QueryRequest {
    let name: String
    let read: @Sendable () async throws -> Int

    var path: QueryPath { QueryPath(["number", name]) }

    static func == (left: BankNumber, right: BankNumber) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { try await read() }
}

/// Two accounts whose sum never changes, and a list whose count is in another table. Reads of one snapshot preserve both.
struct Bank {
    enum Storage: CaseIterable, Sendable {
        case file, memory
    }

    private static let schema: StaticString = """
        CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE counts (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
        INSERT INTO accounts (id, amount) VALUES (1, 50), (2, 50);
        INSERT INTO counts VALUES (1, 0);
        """

    /// The migrations that create the tables.
    static var migrations: SQLiteMigrations { [SQLiteMigration("tables", schema)] }

    let database: SQLiteDatabase
    let client: QueryClient

    init(
        _ storage: Storage,
        limit: Duration = .seconds(200),
        readerCount: Int = 2,
        configure: (inout SQLiteDatabase.Configuration) -> Void = { _ in }
    ) async throws {
        database = try await SQLiteDatabase.make(storage == .file ? .temporary : .inMemory, Self.schema) {
            $0.readerCount = readerCount
            configure(&$0)
        }
        var configuration = QueryClient.Configuration.isolated
        configuration.consistencyLimit = limit
        client = QueryClient(configuration: configuration)
        client.connect(to: database)
    }

    func number(_ name: String, _ sql: SQL) -> BankNumber {
        BankNumber(name: name) { [database] in try await database.read { try $0.value(Int.self, sql) ?? -1 } }
    }

    /// Also reads the version, so that some commits concern this account alone.
    var first: BankNumber { number("first", "SELECT amount FROM accounts WHERE id = 1 AND version >= 0") }
    var second: BankNumber { number("second", "SELECT amount FROM accounts WHERE id = 2") }
    var items: BankNumber { number("items", "SELECT count(*) FROM items") }
    var count: BankNumber { number("count", "SELECT count FROM counts WHERE id = 1") }

    /// Commits that keep both sums, with others in between that concern the first account alone.
    func write(_ count: Int, to other: SQLiteDatabase? = nil) async throws {
        for number in 0..<count {
            try await (other ?? database).write { db in
                if number.isMultiple(of: 2) {
                    let amount = number % 90
                    try db.execute("UPDATE accounts SET amount = \(amount) WHERE id = 1")
                    try db.execute("UPDATE accounts SET amount = \(100 - amount) WHERE id = 2")
                } else {
                    try db.execute("INSERT INTO items (name) VALUES ('x')")
                    try db.execute("UPDATE counts SET count = count + 1")
                }
            }
            if number % 4 == 3 { try await touchFirst() }
            if number.isMultiple(of: 7) { await Task.yield() }
        }
    }

    /// A commit that concerns the first account alone.
    func touchFirst() async throws {
        try await database.write { try $0.execute("UPDATE accounts SET version = version + 1 WHERE id = 1") }
    }
}

/// A point in a fetch that waits until the test opens it.
final class FetchGate: Sendable {
    private let opened = AsyncStream.makeStream(of: Void.self)
    private let arrived = AsyncStream.makeStream(of: Void.self)

    func wait() async throws {
        arrived.continuation.yield()
        for await _ in opened.stream { return }
    }

    func arrival() async { for await _ in arrived.stream { return } }

    func open() { opened.continuation.finish() }
}
