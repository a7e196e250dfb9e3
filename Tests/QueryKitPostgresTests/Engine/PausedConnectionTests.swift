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
}
#endif
