#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import QueryKitPostgres
import Testing

/// The server fails under four writers and two instances that watch them.
@Suite(
    .enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"),
    .timeLimit(.minutes(FaultBench.isLong ? 15 : 3))
)
struct ServerFaultTests {
    @Test func `a server that crashes again and again loses no acknowledged write and no notice`() async throws {
        try await PrivateServer.with { server in
            let tally = try await FaultBench.run(at: server.url) { bench in
                for _ in 0..<(FaultBench.isLong ? 60 : 3) {
                    await bench.progress(by: 30)
                    try await server.crash()
                    try await server.start()
                }
                await bench.progress(by: 30)
            }
            #expect(tally == FaultTally())
        }
    }

    @Test func `100 reads that wait while the server crashes all end`() async throws {
        try await PrivateServer.with { server in
            var configuration = PostgresDatabase.Configuration()
            configuration.connectionLimit = 4
            let database = try await PostgresDatabase.open(server.url, configuration: configuration)
            let reads = (0..<100).map { _ in
                Task {
                    try await database.read { db in try await db.value(Int.self, "SELECT count(*) FROM generate_series(1, 200000)") }
                }
            }
            _ = try await reads[0].value
            try await server.crash()
            try await server.start()
            var count = 0
            for read in reads {
                do {
                    #expect(try await read.value == 200_000)
                } catch let error as PostgresError {
                    #expect(error.code == .unavailable)
                }
                count += 1
            }
            #expect(count == 100)
            await database.close()
        }
    }

    @Test func `each connection is terminated in turn, the listeners' too, and nothing is lost or missed`() async throws {
        try await PostgresServer.withDatabase { url in
            let tally = try await FaultBench.run(at: url) { bench in
                for _ in 0..<(FaultBench.isLong ? 50 : 3) {
                    for process in try await bench.processes() {
                        await bench.progress(by: 3)
                        try await bench.terminate(process)
                    }
                }
                await bench.progress(by: 30)
            }
            #expect(tally == FaultTally())
        }
    }

    @Test func `connections that stall for a while lose nothing and miss nothing`() async throws {
        // A process may be stopped while it holds a lock that all others need, so the server isn't shared.
        try await PrivateServer.with { server in
            let tally = try await FaultBench.run(at: server.url) { bench in
                for _ in 0..<(FaultBench.isLong ? 50 : 1) {
                    for process in try await bench.processes() {
                        await FaultBench.stall(process, for: .milliseconds(100))
                        await bench.progress(by: 1)
                    }
                }
            }
            #expect(tally == FaultTally())
        }
    }

    @Test func `a connection that stalls for too long is given up, and its transaction has no effect`() async throws {
        try await PrivateServer.with { server in
            let instance = try await CounterInstance.open(server.url) { configuration in
                configuration.statementTimeout = .seconds(1)
                configuration.connectTimeout = .seconds(2)
            }
            let database = instance.database
            let stalled = Lock(0)
            let error = await #expect(throws: PostgresError.self) {
                try await database.write { db in
                    try await db.execute("UPDATE counters SET value = 100 WHERE id = 1")
                    let process = try await db.value(Int.self, "SELECT pg_backend_pid()") ?? 0
                    stalled.withLock { $0 = process }
                    kill(pid_t(process), SIGSTOP)
                    try await db.execute("UPDATE counters SET value = 200 WHERE id = 1")
                }
            }
            #expect(error?.code == .timeout)
            #expect(try await database.counters() == [:])
            try await database.increase(2)
            kill(pid_t(stalled.withLock { $0 }), SIGCONT)
            // The row is locked until the process notices that its client has gone.
            while try await database.counters()[1] == nil {
                do { try await database.increase(1) } catch let error as PostgresError where error.code == .timeout {}
            }
            #expect(try await database.counters() == [1: 1, 2: 1])
            await instance.close()
        }
    }
}
#endif
