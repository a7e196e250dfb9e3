#if Postgres
import Dispatch
import Foundation
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Connection {
    /// Blocks the thread until a statement has ended.
    fileprivate func wait(for text: String) {
        let end = DispatchSemaphore(value: 0)
        submit([.once(text)], within: .seconds(20)) { _ in end.signal() }
        end.wait()
    }
}

/// The time that all threads of the process have used.
private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

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

    private func waitForPause(_ connection: Connection) { while !connection.isPaused { sched_yield() } }

    @Test func `a connection can be closed when a pause ends`() async throws {
        for _ in 0..<10 {
            let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
            let (closings, closing) = AsyncStream.makeStream(of: Void.self)
            var count = 0
            let (outcome, _) = try await stream(connection) { number in
                count = number
                guard number == 1 else { return }
                waitForPause(connection)
                Thread.detachNewThread {
                    // The pause may end and begin again, until all rows have been taken.
                    while connection.isPaused { sched_yield() }
                    connection.close()
                    closing.yield()
                }
            }
            #expect(outcome.isLost || count == 100_000)
            for await _ in closings { break }
            #expect(connection.isClosed)
        }
    }

    @Test func `a connection can be closed during a pause`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        let (outcome, _) = try await stream(connection) { number in
            guard number == 1 else { return }
            waitForPause(connection)
            connection.close()
        }
        #expect(outcome.isLost)
    }

    // A process of its own, because its time on the processor is measured.
    @Test func `a connection that ends during a pause uses no time until the pause ends`() async {
        await #expect(processExitsWith: .success) {
            let url = PostgresServer.url ?? ""
            let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
            let other = try await Connection.open(try Endpoint(url), within: .seconds(10))
            let statement = Request.statement("SELECT g FROM generate_series(1, 100000) g", try Parameters([]) { "" })
            var count = 0
            var used = Duration.zero
            let (outcome, _) = await connection.perform([statement], streaming: 0) { _ in
                count += 1
                guard count == 1 else { return }
                while !connection.isPaused { sched_yield() }
                other.wait(for: "SELECT pg_terminate_backend(\(connection.process), 5000)")
                let before = processorTime()
                other.wait(for: "SELECT pg_sleep(0.5)")
                used = processorTime() - before
            }
            precondition(outcome.isLost && count >= ConnectionState.rowLimit)
            precondition(used < .milliseconds(100), "\(used)")
        }
    }

    @Test func `a few large rows pause a connection`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        defer { connection.close() }
        let statement = Request.statement("SELECT repeat('x', 1000000) FROM generate_series(1, 50)", try Parameters([]) { "" })
        var count = 0
        let (outcome, failure) = await connection.perform([statement], streaming: 0) { _ in
            count += 1
            guard count == 1 else { return }
            waitForPause(connection)
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
