#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct CancellationTests {
    /// Waits until a statement with this text runs or waits for a lock.
    private func wait(for condition: SQL, _ database: PostgresDatabase) async throws {
        var isTrue: Bool?
        while isTrue != true { isTrue = try await database.read { db in try await db.value(Bool.self, condition) } }
    }

    private static let isStalled: SQL = """
        SELECT count(*) = 1 FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()
        """

    @Test func `cancelling a task cancels its statement on the server`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let task = Task { try await database.read { db in try await db.value(String.self, "SELECT pg_sleep(1000)::text") } }
            try await wait(for: Self.isStalled, database)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await wait(for: "SELECT NOT (\(Self.isStalled))", database)
        }
    }

    @Test func `a write that is cancelled leaves nothing behind`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food) { database in
            let task = Task {
                try await database.write { db in
                    try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                    _ = try await db.value(String.self, "SELECT pg_sleep(1000)::text")
                }
            }
            try await wait(for: Self.isStalled, database)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let count = try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM food") }
            #expect(count == 0)
        }
    }

    @Test func `a task that is cancelled before its transaction gets no connection`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await database.read { db in try await db.value(Int.self, "SELECT 1") }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `a task that waits for a connection leaves the queue when it is cancelled`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            try await database.read { db in
                _ = try await db.value(Int.self, "SELECT 1")
                let task = Task { try await database.read { db in try await db.value(Int.self, "SELECT 2") } }
                while database.core.waitingCount == 0 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(database.core.waitingCount == 0)
            }
            let three = try await database.read { db in try await db.value(Int.self, "SELECT 3") }
            #expect(three == 3)
        }
    }

    @Test func `a statement that takes longer than the timeout fails, and the connection is used again`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.statementTimeout = .seconds(1)
        configuration.connectionLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            let process = try await database.read { db in try await db.value(Int.self, "SELECT pg_backend_pid()") }
            await #expect {
                try await database.read { db in try await db.value(String.self, "SELECT pg_sleep(1000)::text") }
            } throws: {
                ($0 as? PostgresError)?.code == .timeout
            }
            let next = try await database.read { db in try await db.value(Int.self, "SELECT pg_backend_pid()") }
            #expect(next == process)
        }
    }
}
#endif
