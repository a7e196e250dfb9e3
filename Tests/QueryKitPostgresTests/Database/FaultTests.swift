#if Postgres
import Foundation
import PostgresTestSupport
import QueryKitTesting
@testable import QueryKitPostgres
import Testing

/// Each test has a server of its own, because it stops the server or its processes.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(3)), .serialized)
struct FaultTests {
    private func error(opening url: String, timeout: Duration = .seconds(10)) async -> PostgresError? {
        await postgresError {
            var configuration = PostgresDatabase.Configuration()
            configuration.connectTimeout = timeout
            try await PostgresDatabase.open(url, configuration: configuration).close()
        }
    }

    /// Opens a database with one connection, and closes it afterwards.
    private func withDatabase(
        _ url: String,
        statementTimeout: Duration? = nil,
        connectTimeout: Duration = .seconds(10),
        connectionLimit: Int = 1,
        _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = connectionLimit
        configuration.statementTimeout = statementTimeout
        configuration.connectTimeout = connectTimeout
        configuration.isFollowed = false
        let database = try await PostgresDatabase.open(url, migrations: TransactionTests.food, configuration: configuration)
        do {
            try await body(database)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }

    /// The server process of the one connection. A write, because it waits until its transaction has ended.
    private func process(_ database: PostgresDatabase) async throws -> Int32 {
        try await database.write { db in try await db.value(Int32.self, "SELECT pg_backend_pid()") } ?? 0
    }

    private func terminate(_ process: Int32, _ url: String) async throws {
        try await PostgresServer.psql("SELECT pg_terminate_backend(\(process), 5000)", at: url)
    }

    /// Waits until a process runs a statement with this text.
    private func wait(for text: String, of process: Int32, _ url: String) async throws {
        let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
        defer { connection.close() }
        let sql: SQL = "SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = \(process) AND state = 'active' AND query LIKE \(text)"
        var isTrue: Bool?
        while isTrue != true { isTrue = try await connection.run(sql).first { try $0[0] } }
    }

    @Test func `what can be wrong when connecting has an error of its own, without the password`() async throws {
        try await PrivateServer.with { server in
            let port = try await server.listen()
            try await PostgresServer.psql("CREATE USER diary PASSWORD 'correct'", at: port.url)
            #expect(await error(opening: port.url(user: "diary", password: "correct")) == nil)
            let wrong = await error(opening: port.url(user: "diary", password: "incorrect"))
            #expect(wrong?.code == .authentication)
            #expect(wrong?.description.contains("incorrect") == false)
            #expect(await error(opening: port.url(user: "diary", password: "correct", database: "missing"))?.code == .unknownDatabase)
            #expect(await error(opening: port.url(user: "diary", password: "correct", options: "?sslmode=require"))?.code == .tls)
            #expect(await error(opening: "postgresql://diary:secret@missing.invalid/diary")?.code == .unavailable)
            try await server.crash()
            let down = await error(opening: port.url(user: "diary", password: "correct"))
            #expect(down?.code == .unavailable)
            #expect(down?.description.contains("correct") == false)
        }
    }

    @Test func `a server that accepts connections and doesn't answer is a timeout`() async throws {
        let listener = try SilentListener()
        let error = await error(opening: "postgresql://127.0.0.1:\(listener.port)/diary", timeout: .milliseconds(300))
        #expect(error?.code == .timeout)
    }

    @Test func `connections that the server has ended are replaced`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url) { database in
                for _ in 0..<3 {
                    try await terminate(try await process(database), server.url)
                    try await database.write { db in try await db.execute("INSERT INTO food VALUES (1, 'Oats') ON CONFLICT DO NOTHING") }
                }
            }
        }
    }

    @Test func `a running statement whose connection is ended fails, and the next one works`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url) { database in
                let process = try await process(database)
                let read = Task { try await database.read { db in try await db.value(String.self, "SELECT pg_sleep(1000)::text") } }
                try await wait(for: "%pg_sleep%", of: process, server.url)
                try await terminate(process, server.url)
                // The statement was the first of its transaction, so it is repeated on a new connection.
                let next = try await self.next(after: process, server.url)
                try await terminate(next, server.url)
                let error = await postgresError { _ = try await read.value }
                #expect(error?.code == .unavailable)
                #expect(error?.sqlState == "57P01")
                let last = try await self.process(database)
                #expect(last != next)
            }
        }
    }

    /// Waits until another process than this one sleeps.
    private func next(after process: Int32, _ url: String) async throws -> Int32 {
        let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
        defer { connection.close() }
        let sql: SQL = """
            SELECT pid FROM pg_stat_activity
            WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid NOT IN (\(process), pg_backend_pid())
            """
        while true {
            if let found = try await connection.run(sql).first({ try $0[0] as Int32 }) { return found }
        }
    }

    @Test func `a write that loses its connection between two statements saves nothing`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url) { database in
                let process = try await process(database)
                let error = await postgresError {
                    try await database.write { db in
                        try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                        try await terminate(process, server.url)
                        try await db.execute("INSERT INTO food VALUES (2, 'Milk')")
                    }
                }
                #expect(error?.code == .unavailable)
                let count = try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM food") }
                #expect(count == 0)
            }
        }
    }

    @Test func `a connection that is lost during the commit leaves the outcome unknown`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url) { database in
                try await PostgresServer.psql(
                    """
                    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1000); RETURN NULL; END';
                    CREATE CONSTRAINT TRIGGER stall AFTER INSERT ON food DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stall()
                    """,
                    at: server.url
                )
                let process = try await process(database)
                let write = Task { try await database.write { db in try await db.execute("INSERT INTO food VALUES (1, 'Oats')") } }
                try await wait(for: "COMMIT", of: process, server.url)
                try await terminate(process, server.url)
                let error = await postgresError { _ = try await write.value }
                #expect(error?.code == .outcomeUnknown)
            }
        }
    }

    @Test func `a connection that is lost before the commit has changed nothing for certain`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url) { database in
                let error = await postgresError {
                    try await database.write { db in
                        try await db.execute("INSERT INTO food VALUES (1, 'Oats')")
                        let process = try await db.value(Int32.self, "SELECT pg_backend_pid()") ?? 0
                        try await terminate(process, server.url)
                    }
                }
                #expect(error?.code == .unavailable)
                let count = try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM food WHERE id = 1") }
                #expect(count == 0)
            }
        }
    }

    @Test func `a server process that hangs is given up after the timeout`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url, statementTimeout: .milliseconds(500), connectTimeout: .seconds(1)) { database in
                let (processes, hanging) = AsyncStream.makeStream(of: Int32.self)
                let error = await postgresError {
                    try await database.read { db in
                        let process = try await db.value(Int32.self, "SELECT pg_backend_pid()") ?? 0
                        setHanging(true, process)
                        hanging.yield(process)
                        _ = try await db.value(Int.self, "SELECT 1")
                    }
                }
                let process = await processes.first { _ in true } ?? 0
                defer { setHanging(false, process) }
                #expect(error?.code == .timeout)
                let other = try await self.process(database)
                #expect(other != process)
            }
        }
    }

    @Test func `a task that waits for a process that hangs can be cancelled`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url, connectTimeout: .seconds(1)) { database in
                let (processes, hanging) = AsyncStream.makeStream(of: Int32.self)
                let read = Task {
                    try await database.read { db in
                        let process = try await db.value(Int32.self, "SELECT pg_backend_pid()") ?? 0
                        setHanging(true, process)
                        hanging.yield(process)
                        return try await db.value(Int.self, "SELECT 1")
                    }
                }
                let process = await processes.first { _ in true } ?? 0
                defer { setHanging(false, process) }
                read.cancel()
                await #expect(throws: CancellationError.self) { try await read.value }
                let other = try await self.process(database)
                #expect(other != process)
            }
        }
    }

    @Test func `of a hundred reads while the server restarts none hangs`() async throws {
        try await PrivateServer.with { server in
            try await withDatabase(server.url, connectionLimit: 10) { database in
                let reads = (0..<100).map { number in
                    Task { () -> PostgresError? in
                        do {
                            let value = try await database.read { db in
                                _ = try await db.value(String.self, "SELECT pg_sleep(0.05)::text")
                                return try await db.value(Int.self, "SELECT \(number)")
                            }
                            #expect(value == number)
                            return nil
                        } catch {
                            return error as? PostgresError ?? PostgresError(.misuse, "\(error)")
                        }
                    }
                }
                try await server.crash()
                try await server.start()
                var codes: Set<PostgresError.Code> = []
                var successes = 0
                for read in reads {
                    if let error = await read.value { codes.insert(error.code) } else { successes += 1 }
                }
                #expect(codes.isSubset(of: [.unavailable]))
                // At most the ten that were running have failed.
                #expect(successes >= 90)
            }
        }
    }
}

/// A port that accepts connections and never answers.
private struct SilentListener: ~Copyable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, streamType, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(descriptor, address, length)
                _ = listen(descriptor, 5)
                _ = getsockname(descriptor, address, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}

#if canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
#elseif canImport(Darwin)
import Darwin
private let streamType = SOCK_STREAM
#endif
#endif
