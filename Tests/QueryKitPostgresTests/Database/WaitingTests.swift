#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import QueryKitTesting
import Testing

/// What must end although it seems to wait for itself, or for a server process that hangs.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(1)))
struct WaitingTests {
    struct Stop: Error {}

    private static func configuration(connections: Int) -> PostgresDatabase.Configuration {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = connections
        configuration.connectTimeout = .seconds(2)
        configuration.isFollowed = false
        return configuration
    }

    private func process(_ db: PostgresReadTransaction) async throws -> Int32 {
        try #require(try await db.value(Int32.self, "SELECT pg_backend_pid()"))
    }

    private func one(_ database: PostgresDatabase) async throws -> Int? {
        try await database.read { db in try await db.value(Int.self, "SELECT 1") }
    }

    // MARK: Transactions within transactions

    @Test func `a read within a read fails if it would wait for its own connection`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 1)) { database in
            await #expect {
                try await database.read { db in
                    _ = try await db.value(Int.self, "SELECT 1")
                    return try await one(database)
                }
            } throws: {
                ($0 as? PostgresError)?.code == .misuse
            }
            let value = try await one(database)
            #expect(value == 1)
        }
    }

    @Test func `of reads within reads that wait for each other one fails, and the others go on`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 3)) { database in
            let codes = await withTaskGroup(of: PostgresError.Code?.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            try await database.read { db in
                                while database.core.leasedCount < 3 { await Task.yield() }
                                _ = try await one(database)
                            }
                            return nil
                        } catch {
                            return (error as? PostgresError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == .misuse }.count == 1)
            #expect(codes.filter { $0 == nil }.count == 2)
        }
    }

    @Test func `a database can be closed within a closure`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 1)) { database in
            let two = try await database.read { db in
                await database.close()
                return try await db.value(Int.self, "SELECT 2")
            }
            #expect(two == 2)
            await #expect { try await one(database) } throws: { ($0 as? PostgresError)?.code == .closed }
        }
    }

    @Test func `a task that outlives the closure in which it began doesn't keep the database`() async throws {
        try await PostgresServer.withDatabase { url in
            let gate = Gate()
            var database: PostgresDatabase? = try await PostgresDatabase.open(url, configuration: Self.configuration(connections: 1))
            weak let core = database?.core
            let task = try await database?.read { db in
                _ = try await db.value(Int.self, "SELECT 1")
                return Task { try await gate.pass() }
            }
            await gate.arrived(1)
            database = nil
            while core != nil { await Task.yield() }
            gate.open()
            try await task?.value
        }
    }

    // MARK: Processes that hang

    @Test func `a rollback doesn't wait for a process that hangs`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 1)) { database in
            var hanging: Int32 = 0
            await #expect(throws: Stop.self) {
                try await database.write { db in
                    hanging = try await process(db)
                    setHanging(true, hanging)
                    throw Stop()
                }
            }
            let value = try await one(database)
            #expect(value == 1)
            setHanging(false, hanging)
        }
    }

    @Test func `a read whose process hangs at its end gives the connection up`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 1)) { database in
            let hanging = try await database.read { db in
                let process = try await process(db)
                setHanging(true, process)
                return process
            }
            let value = try await one(database)
            #expect(value == 1)
            setHanging(false, hanging)
        }
    }

    @Test func `a commit that hangs ends some time after its task was cancelled, with an unknown outcome`() async throws {
        try await PostgresServer.withOpenDatabase(configuration: Self.configuration(connections: 1)) { database in
            let write = Task { () -> (Int32, (any Error)?) in
                var hanging: Int32 = 0
                do {
                    try await database.write { db in
                        _ = try await db.execute("CREATE TABLE food (id int)")
                        hanging = try await process(db)
                        setHanging(true, hanging)
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                    return (hanging, nil)
                } catch {
                    return (hanging, error)
                }
            }
            let (hanging, error) = await write.value
            setHanging(false, hanging)
            #expect((error as? PostgresError)?.code == .outcomeUnknown)
        }
    }
}
#endif
