#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct TrackerTests {
    final class Recorder: TransactionTracker {
        let opening: String? = "SELECT 'opening'"
        let companion: String? = "SELECT 'companion'"
        let closing: String? = "SELECT 'closing'"
        let log = Lock<[String]>([])

        func note(_ text: String) { log.withLock { $0.append(text) } }
        func text(_ result: PostgresResult?) -> String { (try? result?.first { try $0[0] as String }) ?? "nothing" }
        func didBegin(_ result: PostgresResult?) { note("begin \(text(result))") }
        func didRun(_ sql: SQL, _ companion: PostgresResult?) { note("\(sql.text): \(text(companion))") }
        func didFail() { note("failed") }
        func willCommit(_ closing: PostgresResult?) { note("commit \(text(closing))") }
        func didEnd(_ outcome: TransactionOutcome) { note("\(outcome)") }
    }

    @Test func `making a tracker takes as many calls for the last transaction as for the first`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            let depths = Lock<[Int]>([])
            database.core.setTracker { _ in
                let depth = Thread.callStackSymbols.count
                depths.withLock { $0.append(depth) }
                return nil
            }
            for _ in 0..<10 { try await database.read { _ in } }
            let all = depths.withLock { $0 }
            #expect(all.count == 10 && Set(all).count == 1, "\(all)")
        }
    }

    @Test func `a tracker gets its results in the order of the statements`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let recorder = Recorder()
            database.core.setTracker { isWrite in isWrite ? recorder : nil }
            _ = try await database.read { db in try await db.value(Int.self, "SELECT 0") }
            try await database.write { db in
                _ = try await db.map(each: ["SELECT 1", "SELECT 2"]) { try $0[0] as Int }
                try await db.forEach("SELECT 3") { _ in }
            }
            #expect(
                recorder.log.withLock { $0 } == [
                    "begin opening", "SELECT 1: companion", "SELECT 2: companion", "SELECT 3: companion", "commit closing", "committed",
                ]
            )
        }
    }

    @Test func `a tracker learns about failures and rollbacks`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let recorder = Recorder()
            database.core.setTracker { _ in recorder }
            await #expect(throws: PostgresError.self) {
                try await database.write { db in try await db.map(each: ["SELECT 1", "SELECT 1 / 0", "SELECT 2"]) { try $0[0] as Int } }
            }
            #expect(recorder.log.withLock { $0 } == ["begin opening", "SELECT 1: companion", "failed", "rolledBack"])
        }
    }

    @Test func `R18 a tracker learns that a transaction has got no connection, or could not begin`() async throws {
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 1
        try await PostgresServer.withOpenDatabase(configuration: configuration) { database in
            for isWrite in [false, true] {
                let recorder = Recorder()
                try await database.read { _ in
                    database.core.setTracker { _ in recorder }
                    // The transaction around it holds the only connection.
                    await #expect(throws: PostgresError.self) {
                        if isWrite { try await database.write { _ in } } else { try await database.read { _ in } }
                    }
                }
                #expect(recorder.log.withLock { $0 } == ["failed", "rolledBack"])
            }
            let recorder = Recorder()
            let connection = try await database.core.openConnection()
            connection.close()
            let run = TransactionRun(on: connection, .readCommitted, isWrite: false, recorder)
            await #expect(throws: (any Error).self) { try await run.run(["SELECT 1"]) }
            #expect(recorder.log.withLock { $0 } == ["failed"])
        }
    }

    @Test(.timeLimit(.minutes(1))) func `notifications arrive in the order of the commits`() async throws {
        try await PostgresServer.withOpenDatabase { database in
            let connection = try await database.core.openConnection(options: ["lock_timeout": "5s"])
            defer { connection.close() }
            let (stream, continuation) = AsyncStream.makeStream(of: ServerNotification.self)
            connection.onNotification { continuation.yield($0) }
            try await connection.run("LISTEN food")
            #expect(try await connection.run("SHOW lock_timeout").map { try $0[0] as String } == ["5s"])
            try await database.write { db in _ = try await db.value(String.self, "SELECT pg_notify('food', 'one')::text") }
            try await database.write { db in _ = try await db.value(String.self, "SELECT pg_notify('food', 'two')::text") }
            var payloads: [String] = []
            for await notification in stream {
                payloads.append(notification.payload)
                if payloads.count == 2 { break }
            }
            #expect(payloads == ["one", "two"])
        }
    }
}
#endif
