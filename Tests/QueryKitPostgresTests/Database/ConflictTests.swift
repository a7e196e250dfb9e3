#if Postgres
import PostgresTestSupport
import QueryKit
import QueryKitTesting
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct ConflictTests {
    private static let counter: PostgresMigrations = [
        PostgresMigration(
            "counter",
            "CREATE TABLE counter (id bigint PRIMARY KEY, n bigint NOT NULL); INSERT INTO counter VALUES (1, 0), (2, 0)"
        )
    ]

    private func increment(_ database: PostgresDatabase, _ isolation: PostgresDatabase.Isolation) async throws {
        try await database.write(isolation) { db in
            let n = try await db.value(Int.self, "SELECT n FROM counter WHERE id = 1") ?? 0
            try await db.execute("UPDATE counter SET n = \(n + 1) WHERE id = 1")
        }
    }

    @Test(arguments: [PostgresDatabase.Isolation.repeatableRead, .serializable])
    func `concurrent increments are repeated until none is lost`(_ isolation: PostgresDatabase.Isolation) async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.retryLimit = 100
        try await PostgresServer.withOpenDatabase(migrations: Self.counter, configuration: configuration) { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { for _ in 0..<10 { try await increment(database, isolation) } } }
                try await group.waitForAll()
            }
            let n = try await database.read { db in try await db.value(Int.self, "SELECT n FROM counter WHERE id = 1") }
            #expect(n == 80)
        }
    }

    @Test(arguments: [true, false])
    func `a conflict is an error if the limit is 0 or the closure can't be repeated, and the closure is called once`(
        _ isRepeatable: Bool
    ) async throws {
        var configuration = PostgresDatabase.Configuration()
        if isRepeatable { configuration.retryLimit = 0 }
        try await PostgresServer.withOpenDatabase(migrations: Self.counter, configuration: configuration) { database in
            var calls = 0
            await #expect {
                try await database.write(.repeatableRead, isRepeatable: isRepeatable) { db in
                    calls += 1
                    _ = try await db.value(Int.self, "SELECT n FROM counter WHERE id = 1")
                    try await increment(database, .readCommitted)
                    try await db.execute("UPDATE counter SET n = 7 WHERE id = 1")
                }
            } throws: {
                ($0 as? PostgresError)?.code == .serialization
            }
            #expect(calls == 1)
        }
    }

    @Test func `a deadlock is resolved by repeating one of the writes`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: Self.counter) { database in
            let gates = [Gate(), Gate()]
            let calls = Lock(0)
            func write(_ first: Int, _ second: Int, _ gate: Gate) async throws {
                try await database.write { db in
                    try await db.execute("UPDATE counter SET n = n + 1 WHERE id = \(first)")
                    calls.withLock { $0 += 1 }
                    try await gate.pass()
                    try await db.execute("UPDATE counter SET n = n + 1 WHERE id = \(second)")
                }
            }
            async let one: Void = write(1, 2, gates[0])
            async let two: Void = write(2, 1, gates[1])
            for gate in gates { await gate.arrived(1) }
            for gate in gates { gate.open() }
            _ = try await (one, two)
            #expect(calls.withLock { $0 } == 3)
            let numbers = try await database.read { db in try await db.values(Int.self, "SELECT n FROM counter ORDER BY id") }
            #expect(numbers == [2, 2])
        }
    }

    @Test func `a statement whose table has changed is prepared again`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            func columns() async throws -> [Int] {
                try await database.read { db in try await db.map("SELECT * FROM food") { $0.count } }
            }
            try await database.write { db in try await db.execute("INSERT INTO food VALUES (1, 'Oats')") }
            #expect(try await columns() == [3])
            try await database.write { db in try await db.execute("ALTER TABLE food ADD COLUMN note text") }
            #expect(try await columns() == [4])
            // Not the first statement of its transaction, so the closure is called again.
            try await database.write { db in try await db.execute("ALTER TABLE food ADD COLUMN more text") }
            let counts = try await database.read { db in
                _ = try await db.value(Int.self, "SELECT 1")
                return try await db.map("SELECT * FROM food") { $0.count }
            }
            #expect(counts == [5])
        }
    }

    @Test func `statements that the server has forgotten are prepared again`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            for _ in 0..<2 {
                let one = try await database.read { db in try await db.value(Int.self, "SELECT \(1)") }
                #expect(one == 1)
                try await database.write { db in _ = try await db.run.connection.run("DEALLOCATE ALL") }
            }
        }
    }

    @Test func `statements beyond the limit are deallocated`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        configuration.statementLimit = 8
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            for number in 0..<50 {
                let sql = SQL(text: "SELECT \(number)")
                let value = try await database.read { db in try await db.value(Int.self, sql) }
                #expect(value == number)
            }
            let count = try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM pg_prepared_statements") }
            #expect(try #require(count) <= 12)
        }
    }
}
#endif
