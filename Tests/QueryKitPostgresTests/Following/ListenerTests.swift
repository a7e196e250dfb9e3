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
        /// Whether the listener gets no connection.
        let isRefused: Lock<Bool>

        static func make(options: String = "", checkInterval: Duration = .milliseconds(50)) async throws -> Bench {
            let script = "CREATE TABLE food (id integer); CREATE TABLE notes (id integer)"
            let (scratch, isRefused) = (try await ScratchDatabase.make(options), Lock(false))
            let admin = try await scratch.connect()
            defer { admin.close() }
            try await admin.runScript(script)
            let follower = Follower(columns: [:])
            _ = try await ServerInstallation(columns: [:]).perform(on: admin)
            try await Listener.takePosition(of: follower, on: admin)
            follower.setInstalled(true)
            let processes = Recorder<Int32>()
            let listener = Listener(
                follower: follower,
                pollInterval: nil,
                checkInterval: checkInterval,
                outageLimit: .milliseconds(200)
            ) {
                if isRefused.withLock({ $0 }) { throw PostgresError(.unavailable, "There are too many connections.") }
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
            return Bench(
                scratch: scratch,
                follower: follower,
                changes: changes,
                subscription: subscription,
                processes: processes,
                isRefused: isRefused
            )
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

    @Test func `R18 a notification wakes the listener, without any other look at the log`() async throws {
        let bench = try await Bench.make(checkInterval: .seconds(3_600))
        // The listener is ready when it has told its first installation.
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        for _ in 1...3 {
            try await bench.scratch.run("INSERT INTO notes VALUES (1)")
            await bench.wait(for: "notes")
        }
        bench.subscription.cancel()
    }

    @Test func `R18 R32 without a connection for the listener, reads soon count as not followed, and nothing is missed`() async throws {
        let bench = try await Bench.make()
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        bench.isRefused.withLock { $0 = true }
        let admin = try await bench.scratch.connect()
        defer { admin.close() }
        while !bench.follower.isBehind {
            try await admin.terminateListeners()
            await Task.yield()
        }
        // Own writes still know what they change.
        #expect(bench.follower.isInstalled)
        try await bench.scratch.run("INSERT INTO notes VALUES (1)")
        bench.isRefused.withLock { $0 = false }
        var changes = bench.changes.makeAsyncIterator()
        #expect(await changes.next()?.regions == [PostgresRegion(table: "notes")])
        while bench.follower.isBehind { await Task.yield() }
        bench.subscription.cancel()
    }

    @Test func `R18 a listener that has had nothing to read for long isn't behind if it loses its connection`() async throws {
        let bench = try await Bench.make(checkInterval: .seconds(3_600))
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        let end = ContinuousClock.now + .milliseconds(300)
        while .now < end { await Task.yield() }
        let admin = try await bench.scratch.connect()
        defer { admin.close() }
        // `terminateListeners` knows a listener by its latest statement, and this one may not have read the log since its installation.
        let process = try #require(bench.processes.last)
        try await admin.run("SELECT pg_terminate_backend(\(process))")
        while bench.processes.last == process { await Task.yield() }
        #expect(!bench.follower.isBehind)
        bench.subscription.cancel()
    }

    @Test func `R18 a row of the log that is not in UTF-8 counts as a change of everything`() async throws {
        let bench = try await Bench.make(options: ScratchDatabase.anyEncoding)
        try await bench.scratch.run("INSERT INTO food VALUES (1)")
        await bench.wait(for: "food")
        try await bench.scratch.run("INSERT INTO querykit.changes (xid, name) VALUES (pg_current_xact_id(), chr(129)); NOTIFY querykit")
        for await change in bench.changes where change.regions.contains(.everything) { break }
        try await bench.scratch.run("INSERT INTO notes VALUES (1)")
        await bench.wait(for: "notes")
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
