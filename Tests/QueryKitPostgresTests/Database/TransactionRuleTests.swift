#if Postgres
import PostgresTestSupport
import QueryKitTesting
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct TransactionRuleTests {
    private func code(_ body: () async throws -> Void) async -> PostgresError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? PostgresError)?.code
        }
    }

    private func count(_ database: PostgresDatabase) async throws -> Int? {
        try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM food") }
    }

    @Test(
        arguments: [
            "COMMIT", "-- why not\nCOMMIT AND CHAIN", "/* a */ rollback", "ROLLBACK AND CHAIN", "end", "ABORT", "BEGIN",
            "START TRANSACTION",
            "SAVEPOINT a", "RELEASE a", "COPY food TO STDOUT",
        ] as [SQL]
    )
    func `statements that would end the transaction are refused before they are sent`(_ sql: SQL) async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            try await database.write { db in
                try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                #expect(await code { try await db.execute(sql) } == .misuse)
            }
            let count = try await count(database)
            #expect(count == 1)
        }
    }

    @Test func `a closure that ignores the error of a statement can't commit`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            let codes = await (
                code {
                    try await database.write { db in
                        try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                        _ = try? await db.execute("INSERT INTO food VALUES (1, 'Oats again')")
                    }
                },
                code {
                    try await database.write { db in
                        _ = try? await db.execute("SELECT 1 / 0")
                        try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                    }
                }
            )
            #expect(codes == (.failedTransaction, .failedTransaction))
            let count = try await count(database)
            #expect(count == 0)
        }
    }

    @Test func `a deferred constraint that fails at the commit is an error, and nothing is saved`() async throws {
        let migrations: PostgresMigrations = [
            PostgresMigration(
                "deferred",
                """
                CREATE TABLE parent (id int PRIMARY KEY);
                CREATE TABLE food (id int, parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
                """
            )
        ]
        try await PostgresServer.withOpenDatabase(migrations: migrations) { database in
            let code = await code { try await database.write { db in _ = try await db.execute("INSERT INTO food VALUES (1, 7)") } }
            #expect(code == .constraint)
            let count = try await count(database)
            #expect(count == 0)
        }
    }

    @Test func `nested savepoints are undone one by one`() async throws {
        struct Stop: Error {}
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            try await database.write { db in
                try await db.savepoint {
                    try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                    do {
                        try await db.savepoint {
                            try await db.execute("INSERT INTO food VALUES (2, 'Milk')")
                            throw Stop()
                        }
                    } catch is Stop {}
                    try await db.execute("INSERT INTO food VALUES (3, 'Salt')")
                }
            }
            let ids = try await database.read { db in try await db.values(Int.self, "SELECT id FROM food ORDER BY id") }
            #expect(ids == [1, 3])
        }
    }

    @Test func `a savepoint that ignores an error undoes its changes and throws`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            try await database.write { db in
                try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                let code = await code {
                    try await db.savepoint {
                        try await db.execute("INSERT INTO food VALUES (2, 'Milk')")
                        _ = try? await db.execute("SELECT 1 / 0")
                    }
                }
                #expect(code == .failedTransaction)
            }
            let count = try await count(database)
            #expect(count == 1)
        }
    }

    @Test func `a transaction kept beyond its closure refuses statements`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            var kept: PostgresWriteTransaction?
            try await database.write { db in kept = db }
            #expect(await code { try await kept?.execute("INSERT INTO food VALUES (1, 'Oats')") } == .misuse)
        }
    }

    @Test func `a transaction without statements takes no round trip and returns its value`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let values = try await (database.write { _ in 7 }, database.read { _ in "a" })
            #expect(values == (7, "a"))
        }
    }

    @Test func `a full queue refuses more transactions`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        configuration.waitingLimit = 0
        try await PostgresServer.withOpenDatabase { _ in }
        configuration.waitingLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            try await database.read { db in
                _ = try await db.value(Int.self, "SELECT 1")
                let waiting = Task { try await database.read { db in try await db.value(Int.self, "SELECT 2") } }
                while database.core.waitingCount == 0 { await Task.yield() }
                #expect(await code { _ = try await database.read { _ in } } == .queueFull)
                waiting.cancel()
                _ = try? await waiting.value
            }
        }
    }

    @Test func `closing waits for transactions that run, and later ones fail`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            let gate = Gate()
            let write = Task {
                try await database.write { db in
                    try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                    try await gate.pass()
                    return try await db.execute("INSERT INTO food VALUES (2, 'Milk')")
                }
            }
            await gate.arrived(1)
            let closing = Task { await database.close() }
            while await code({ try await database.read { _ in } }) != .closed {}
            gate.open()
            let count = try await write.value
            #expect(count == 1)
            await closing.value
            #expect(await code { try await database.write { _ in } } == .closed)
        }
    }

    @Test func `a hundred reads share few connections`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 3
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask { try await database.read { db in try await db.value(Int.self, "SELECT \(number)") ?? -1 } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.sorted() == Array(0..<100))
        }
    }
}
#endif
