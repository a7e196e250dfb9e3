#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// The listener alone, with short intervals.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(1)))
struct ListenerTests {
    private struct Bench {
        let scratch: ScratchDatabase
        let follower: Follower
        let changes: AsyncStream<ChangeSet>
        let subscription: QuerySubscription
        /// The server processes of the listener's connections.
        let processes: Recorder<Int32>

        static func make(_ script: String = "CREATE TABLE food (id integer); CREATE TABLE notes (id integer)") async throws -> Bench {
            let scratch = try await ScratchDatabase.make()
            let admin = try await scratch.connect()
            defer { admin.close() }
            try await admin.runScript(script)
            let follower = Follower(columns: [:])
            _ = try await ServerInstallation(columns: [:]).perform(on: admin)
            try await Listener.takePosition(of: follower, on: admin)
            follower.setInstalled(true)
            let processes = Recorder<Int32>()
            let listener = Listener(follower: follower, pollInterval: nil, checkInterval: .milliseconds(50)) {
                var limits = Connection.Limits()
                limits.statement = .milliseconds(500)
                let connection = try await Connection.open(Endpoint(scratch.url), within: .seconds(30), limits: limits)
                processes.note(connection.process)
                return connection
            }
            let (changes, changed) = AsyncStream.makeStream(of: ChangeSet.self)
            let subscription = follower.subscribe { change, _ in
                changed.yield(change)
                return {}
            } listening: {
                await listener.run()
            }
            return Bench(scratch: scratch, follower: follower, changes: changes, subscription: subscription, processes: processes)
        }

        /// Waits for a change of a table.
        func wait(for table: String) async {
            for await change in changes where change.regions.contains(where: { $0.overlaps(PostgresRegion(table: table)) }) { return }
        }
    }

    @Test func `R18 a listener whose server process hangs connects again, and nothing is missed`() async throws {
        let bench = try await Bench.make()
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        let process = try #require(bench.processes.last)
        #expect(kill(process, SIGSTOP) == 0)
        defer { kill(process, SIGCONT) }
        try await bench.scratch.run("INSERT INTO notes VALUES (1)")
        await bench.wait(for: "notes")
        #expect(bench.processes.count >= 2)
        bench.subscription.cancel()
    }

    @Test func `R18 a listener whose log was removed installs it again, and everything counts as changed`() async throws {
        let bench = try await Bench.make()
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        try await bench.scratch.run("DROP SCHEMA querykit CASCADE")
        try await bench.scratch.run("INSERT INTO notes VALUES (1)")
        await bench.wait(for: "notes")
        try await bench.scratch.run("INSERT INTO food VALUES (2)")
        await bench.wait(for: "food")
        bench.subscription.cancel()
    }

    @Test func `a listener ends with its last subscription, and leaves no connection`() async throws {
        let bench = try await Bench.make()
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        bench.subscription.cancel()
        let admin = try await bench.scratch.connect()
        defer { admin.close() }
        let others = "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        while try await admin.texts(others) != ["0"] { await Task.yield() }
    }
}
#endif
