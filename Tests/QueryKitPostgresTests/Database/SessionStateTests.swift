#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

/// What a transaction may leave behind on its connection.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct SessionStateTests {
    private static let single: PostgresDatabase.Configuration = {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        configuration.isFollowed = false
        return configuration
    }()

    @Test(
        arguments: [
            "SET app.tenant = '7'", "/* a */ set session app.tenant = '7'", "SET search_path TO elsewhere", "SET ROLE postgres",
            "RESET ALL",
            "LISTEN food", "UNLISTEN *", "PREPARE a AS SELECT 1", "PREPARE TRANSACTION 'querykit_test'", "DEALLOCATE ALL", "DISCARD ALL",
            "LOAD 'auto_explain'", "SET TRANSACTION READ WRITE", "SET LOCAL transaction_read_only = off",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        ] as [SQL]
    )
    func `statements whose effect outlasts the transaction are refused`(_ sql: SQL) async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.single) { database in
            #expect(await postgresError { try await database.write { db in _ = try await db.execute(sql) } }?.code == .misuse)
            #expect(await postgresError { _ = try await database.read { db in try await db.values(Int.self, sql) } }?.code == .misuse)
        }
    }

    @Test func `the error says what to do instead`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.single) { database in
            let error = await postgresError { try await database.write { db in _ = try await db.execute("SET app.tenant = '7'") } }
            #expect(error?.message.contains("SET LOCAL") == true)
        }
    }

    @Test func `a local setting ends with its transaction`() async throws {
        try await PostgresServer.withOpenDatabase(migrations: TransactionTests.food, configuration: Self.single) { database in
            try await database.write { db in
                try await db.execute("SET LOCAL app.tenant = '7'")
                try await db.execute("SET CONSTRAINTS ALL DEFERRED")
                let inside = try await db.value(String.self, "SELECT current_setting('app.tenant', true)")
                #expect(inside == "7")
            }
            let outside = try await database.read { db in try await db.value(String.self, "SELECT current_setting('app.tenant', true)") }
            #expect(outside == "" || outside == nil)
        }
    }

    @Test func `a timeout beyond the server's range is the longest that it takes`() async throws {
        for timeout in [Duration.seconds(Int64.max), .seconds(86_400 * 30)] {
            var configuration = Self.single
            configuration.statementTimeout = timeout
            try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
                let setting = try await database.read { db in
                    try await db.value(Int.self, "SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout'")
                }
                #expect(setting == Int(Int32.max))
            }
        }
    }

    @Test func `more outdated statements than repetitions don't matter`() async throws {
        var configuration = Self.single
        configuration.retryLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            let tables = 1...6
            try await database.write { db in
                for table in tables { try await db.execute(SQL(text: "CREATE TABLE t\(table) (id int)")) }
            }
            func columns() async throws -> [Int] {
                try await database.read { db in
                    var counts: [Int] = []
                    for table in tables {
                        counts.append(try await db.map(SQL(text: "SELECT 1 AS one, * FROM t\(table)")) { $0.count }.count)
                    }
                    return counts
                }
            }
            _ = try await columns()
            try await database.write { db in
                for table in tables { try await db.execute(SQL(text: "ALTER TABLE t\(table) ADD COLUMN note text")) }
            }
            #expect(try await columns() == Array(repeating: 0, count: 6))
        }
    }
}
#endif
