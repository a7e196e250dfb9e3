#if Postgres
import Foundation
@testable import QueryKitPostgres
import Testing

/// The texts of errors that need no server: what happened, where, and what to do next.
struct PostgresErrorTextTests {
    private let start = ContinuousClock.now

    private func pool(connections: Int, waiting: Int = 10) -> PoolState {
        var limits = PoolState.Limits()
        limits.connections = connections
        limits.waiting = waiting
        return PoolState(limits, jitter: { 1 })
    }

    /// The text of the error with which the first waiting transaction ends.
    private func message(_ actions: [PoolState.Action]) -> String? {
        if case .fail(_, let error)? = actions.first { error.message } else { nil }
    }

    // MARK: The pool

    @Test func `a closed database says so to transactions that wait and to those that come later`() {
        var pool = pool(connections: 1)
        _ = pool.acquire(1, start)
        #expect(message(pool.close()) == "The database was closed. Open it again to use it.")
        #expect(message(pool.acquire(2, start)) == "The database was closed. Open it again to use it.")
    }

    @Test func `a transaction within a transaction that can get no connection is told two ways out`() {
        var pool = pool(connections: 2)
        for waiter in 1...2 { _ = pool.acquire(waiter, start) + pool.connected(waiter, start) }
        _ = pool.acquire(3, holding: [1], start) + pool.acquire(4, holding: [2], start)
        #expect(
            message(pool.tick(start + .seconds(10))) == """
                A transaction within a transaction needs a second connection, but all 2 are held by transactions that wait for one. Pass \
                the outer transaction on instead, or raise connectionLimit.
                """
        )
    }

    @Test func `a full queue names its length and the limits`() {
        var pool = pool(connections: 2, waiting: 3)
        for waiter in 1...3 { _ = pool.acquire(waiter, start) }
        #expect(
            message(pool.acquire(4, start)) == """
                3 transactions already wait for one of 2 connections. Try again later, or raise connectionLimit or waitingLimit.
                """
        )
    }

    // MARK: Connecting

    @Test func `a connection string that can't be read is answered with the right form`() {
        let error = #expect(throws: PostgresError.self) { _ = try Endpoint("postgresql://me:secret@server/diary?nonsense=1") }
        #expect(error?.code == .misuse)
        #expect(
            error?.message == """
                The connection string can't be read. Write it as postgresql://user:password@host:port/database?sslmode=require; characters \
                such as @ or / in a password are written as %40 or %2F.
                """
        )
    }

    @Test func `a server that isn't there is an error with advice`() async {
        let error = await #expect(throws: PostgresError.self) {
            _ = try await Connection.open(try Endpoint("postgresql:///diary?host=/nowhere&user=me"), within: .seconds(10))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.hint == "Check the host and the port, and whether the server is running.")
    }

    // MARK: Values

    @Test func `too many values are counted, and the limit is named`() {
        let values = Array(repeating: SQLValue.null, count: 65_536)
        let error = #expect(throws: PostgresError.self) { _ = try Parameters(values) { "SELECT 1" } }
        #expect(error?.code == .limit)
        #expect(
            error?.message == "The statement has 65536 values, but PostgreSQL allows at most 65,535. Divide it into several statements."
        )
    }

    @Test func `values that are too large together are told with their size`() {
        let error = #expect(throws: PostgresError.self) {
            _ = try Parameters([.integer(1), .text("0123456789")], byteLimit: 15) { "SELECT $1, $2" }
        }
        #expect(error?.code == .limit)
        #expect(
            error?.message == """
                The first 2 values of the statement have 20 bytes, but PostgreSQL takes at most 1 GB in one message. Divide them, or store \
                files elsewhere.
                """
        )
    }

    @Test func `a date outside the range is told with its position and the range`() {
        let values: [SQLValue] = [.integer(1), .date(Date(timeIntervalSince1970: .infinity))]
        let error = #expect(throws: PostgresError.self) { _ = try Parameters(values) { "SELECT $1, $2" } }
        #expect(error?.code == .invalidValue)
        #expect(
            error?.message == """
                Value 2 of the statement is a date that PostgreSQL can't store: it must be between 4713 BC and 294276 AD.
                """
        )
    }
}
#endif
