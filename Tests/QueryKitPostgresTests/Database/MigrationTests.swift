#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct MigrationTests {
    private let first = PostgresMigration("first", "CREATE TABLE a (id bigint PRIMARY KEY); INSERT INTO a VALUES (1)")
    private let second = PostgresMigration("second", revision: 1) { db in try await db.execute("INSERT INTO a VALUES (\(2))") }

    private func error(_ url: String, _ migrations: PostgresMigrations) async -> PostgresError? {
        do {
            try await PostgresDatabase.open(url, migrations: migrations).close()
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    private func ids(_ url: String) async throws -> [Int] {
        let database = try await PostgresDatabase.open(url)
        let ids = try await database.read { db in try await db.values(Int.self, "SELECT id FROM a ORDER BY id") }
        await database.close()
        return ids
    }

    @Test func `missing migrations are applied in order, each once`() async throws {
        try await PostgresServer.withDatabase { url in
            #expect(await error(url, [first]) == nil)
            #expect(await error(url, [first, second]) == nil)
            #expect(await error(url, [first, second]) == nil)
            let ids = try await ids(url)
            #expect(ids == [1, 2])
        }
    }

    @Test func `ten instances that start at once migrate once`() async throws {
        try await PostgresServer.withDatabase { url in
            let errors = await withTaskGroup(of: PostgresError?.self) { group in
                for _ in 0..<10 { group.addTask { await error(url, [first, second]) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == Array(repeating: nil, count: 10))
            let ids = try await ids(url)
            #expect(ids == [1, 2])
        }
    }

    @Test func `a changed migration and a newer schema are refused`() async throws {
        try await PostgresServer.withDatabase { url in
            _ = await error(url, [first, second])
            let changed = PostgresMigration("first", "CREATE TABLE a (id int)")
            #expect(await error(url, [changed, second])?.code == .migration)
            #expect(await error(url, [first])?.code == .newerSchema)
            #expect(await error(url, [second, first])?.code == .migration)
            #expect(await error(url, [first, first])?.code == .migration)
        }
    }

    @Test func `a migration that fails is named, undone and tried again the next time`() async throws {
        try await PostgresServer.withDatabase { url in
            let wrong = PostgresMigration("wrong", "CREATE TABLE b (id int); INSERT INTO missing VALUES (1)")
            let failure = await error(url, [first, wrong])
            #expect(failure?.code == .undefinedTable)
            #expect(failure?.message == "The migration \"wrong\" failed and was rolled back: relation \"missing\" does not exist")
            let right = PostgresMigration("wrong", "CREATE TABLE b (id int)")
            #expect(await error(url, [first, right]) == nil)
        }
    }

    @Test func `a migration that ends its transaction is refused`() async throws {
        try await PostgresServer.withDatabase { url in
            #expect(await error(url, [PostgresMigration("ends", "CREATE TABLE b (id int); COMMIT")])?.code == .misuse)
            #expect(await error(url, [PostgresMigration("begins", "BEGIN; CREATE TABLE b (id int); COMMIT")])?.code == .misuse)
            #expect(await error(url, [PostgresMigration("commits", "CREATE TABLE b (id int); COMMIT; BEGIN")])?.code == .misuse)
            #expect(await error(url, [PostgresMigration("copies", "COPY pg_class TO STDOUT")])?.code == .misuse)
            // Nothing of them was committed.
            #expect(await error(url, [PostgresMigration("right", "CREATE TABLE b (id int)")]) == nil)
        }
    }
}
#endif
