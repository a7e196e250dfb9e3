#if Postgres
import Dispatch
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(1)))
struct PausedConnectionTests {
    private static let rows: SQL = "SELECT g FROM generate_series(1, 100000) g"

    private func stream(
        _ connection: Connection,
        _ body: @escaping (_ number: Int) throws -> Void
    ) async throws -> (BatchOutcome, (any Error)?) {
        let statement = Request.statement(Self.rows, try Parameters([]) { "" })
        var number = 0
        return await connection.perform([statement], streaming: 0) { _ in
            number += 1
            try body(number)
        }
    }

    @Test func `a connection can be closed between the end of a pause and the next read`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        let (outcome, _) = try await stream(connection) { number in
            guard number == 1 else { return }
            while !connection.isPaused { connection.queue.sync {} }
            connection.queue.suspend()
            Task.detached {
                while connection.isPaused { await Task.yield() }
                connection.close()
                connection.queue.resume()
            }
        }
        #expect(outcome.isLost)
        #expect(connection.isClosed)
    }

    @Test func `a connection can be closed during a pause`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        let (outcome, _) = try await stream(connection) { number in
            guard number == 1 else { return }
            while !connection.isPaused { connection.queue.sync {} }
            connection.close()
        }
        #expect(outcome.isLost)
    }

    @Test func `a few large rows pause a connection`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        defer { connection.close() }
        let statement = Request.statement("SELECT repeat('x', 1000000) FROM generate_series(1, 50)", try Parameters([]) { "" })
        var count = 0
        let (outcome, failure) = await connection.perform([statement], streaming: 0) { _ in
            count += 1
            guard count == 1 else { return }
            while !connection.isPaused { connection.queue.sync {} }
        }
        #expect(outcome.error == nil && failure == nil)
        #expect(count == 50)
    }

    @Test func `a batch may take longer than the limit of a statement, as long as the server answers`() async throws {
        let limits = Connection.Limits(statement: .milliseconds(150))
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10), limits: limits)
        defer { connection.close() }
        let outcome = await connection.perform(Array(repeating: .once("SELECT pg_sleep(0.01)"), count: 250))
        #expect(outcome.error == nil)
        #expect(outcome.results.count == 250)
    }
}
#endif
