#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct PostgresConnectionTests {
    // MARK: Own commits

    @Test func `R18 a commit reruns the requests that read the table, through all layers, and no others`() async throws {
        let bench = try await PostgresBench.make()
        let seen = Recorder<String>()
        let watched = bench.store(.food).record(seen)
        let others = await bench.watch(.entries, .both, .notes, .view, .branch)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "0", "0 fetching invalidated", "1"])
        #expect(bench.counts(.food, .both, .view, .branch, .entries, .notes) == [2, 2, 2, 2, 1, 1])
        #expect(bench.store(.both).value == 1 && bench.store(.view).value == 1 && bench.store(.branch).value == 1)
        #expect(bench.store(.food).state.cause == .regionChanged)
        #expect(bench.store(.food).state.cause.region == QueryRegion(source: "diary", name: "food"))
        for subscription in others + [watched] { subscription.cancel() }
    }

    @Test func `R18 D5 a write to one partition does not rerun queries of another`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.monday, .tuesday, .entries)
        try await bench.diary.addEntry(on: "monday")
        await bench.client.settled()
        #expect(bench.counts(.monday, .tuesday, .entries) == [2, 1, 2])
        try await bench.diary.database.write { db in try await db.execute("UPDATE entries SET day = 'tuesday'") }
        await bench.client.settled()
        #expect(bench.counts(.monday, .tuesday, .entries) == [3, 2, 3])
        #expect(bench.store(.monday).value == 0 && bench.store(.tuesday).value == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 D4 a write that is rolled back reruns nothing`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food)
        await #expect(throws: TestError.self) {
            try await bench.diary.database.write { db in
                try await db.execute("INSERT INTO food DEFAULT VALUES")
                throw TestError()
            }
        }
        await bench.client.settled()
        #expect(bench.count(.food) == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `D5 the echo of an own commit causes no second run`() async throws {
        let bench = try await PostgresBench.make()
        let other = try await PostgresDiary.open(bench.diary.scratch) { $0.isFollowed = false }
        let watched = await bench.watch(.food, .notes)
        for _ in 1...20 { try await bench.diary.addFood() }
        await bench.client.settled()
        let runs = bench.count(.food)
        // The listener has read the log up to the commit of another process, and therefore the earlier ones too.
        try await other.database.write { db in try await db.execute("INSERT INTO notes DEFAULT VALUES") }
        await bench.wait(.notes, for: 1)
        #expect(bench.count(.food) == runs && runs <= 21)
        for subscription in watched { subscription.cancel() }
        await other.database.close()
    }

    @Test func `R18 R14 without observers a commit only marks, and the next observer sees the new rows`() async throws {
        let bench = try await PostgresBench.make()
        _ = try await bench.store(.food).fetch()
        _ = try await bench.store(.entries).fetch()
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.store(.food).isStale && !bench.store(.entries).isStale)
        #expect(bench.count(.food) == 1)
        #expect(try await bench.client.fetch(Number(PostgresDiary.Query.food.rawValue).ttl(.infinity)) == 1)
    }

    @Test func `R18 D5 a change of the schema reruns everything, and new tables are followed`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food, .monday, .notes)
        try await bench.diary.database.write { db in try await db.execute("CREATE TABLE other (id integer PRIMARY KEY)") }
        await bench.client.settled()
        #expect(bench.counts(.food, .monday, .notes) == [2, 2, 2])
        #expect(bench.store(.food).state.cause.region == QueryRegion(source: "diary"))
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a run that catches the error of a lost or missing connection runs again after the next commit`() async throws {
        let diary = try await PostgresDiary.open { $0.connectionLimit = 2 }
        let fault = Lock("lost")
        let count: @Sendable () async throws -> Int = { try await diary.count("SELECT count(*) FROM food") }
        let bench = TestBench { _ in
            let fault = fault.withLock { $0 }
            if fault == "missing" {
                // The transactions around it hold all connections.
                return try await diary.database.read { _ in try await diary.database.read { _ in (try? await count()) ?? -2 } }
            }
            let number = try? await diary.database.read { db in
                if fault == "lost" { _ = try await db.value(Bool.self, "SELECT pg_terminate_backend(pg_backend_pid())") }
                return try await db.value(Int.self, "SELECT count(*) FROM food")
            }
            return number ?? -1
        }
        bench.client.connect(to: diary.database)
        let watched = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == -1)
        fault.withLock { $0 = "missing" }
        try await diary.addFood()
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == -2)
        fault.withLock { $0 = "" }
        try await diary.addFood()
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == 2)
        watched.cancel()
    }

    @Test func `R18 a read in a block with an exception handler, which releases its locks, is followed`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.hidden)
        for number in 1...3 {
            try await bench.diary.addFood()
            await bench.client.settled()
            #expect(bench.store(.hidden).value == number)
        }
        for subscription in watched { subscription.cancel() }
    }

    // MARK: Other processes

    @Test func `R18 a commit of another process reruns the requests that read the table, and no others`() async throws {
        let bench = try await PostgresBench.make()
        let other = try await PostgresDiary.open(bench.diary.scratch)
        let watched = await bench.watch(.food, .monday, .tuesday, .entries, .notes)
        try await other.addFood()
        await bench.wait(.food, for: 1)
        #expect(bench.store(.food).state.cause == .otherProcess)
        try await other.addEntry(on: "monday")
        await bench.wait(.monday, for: 1)
        await bench.wait(.entries, for: 1)
        await bench.client.settled()
        #expect(bench.counts(.food, .monday, .tuesday, .entries, .notes) == [2, 2, 1, 2, 1])
        for subscription in watched { subscription.cancel() }
        await other.database.close()
    }

    @Test func `R18 the log is polled if the configuration says so`() async throws {
        let bench = PostgresBench(try await PostgresDiary.open { $0.pollInterval = .milliseconds(20) })
        let other = try await PostgresDiary.open(bench.diary.scratch)
        let watched = await bench.watch(.food)
        for number in 1...3 {
            try await other.addFood()
            await bench.wait(.food, for: number)
        }
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a writer without notifications can prepare its commit, and is followed by polling`() async throws {
        let bench = PostgresBench(try await PostgresDiary.open { $0.pollInterval = .milliseconds(20) })
        let watched = await bench.watch(.food)
        let writer = try await bench.diary.scratch.connect()
        try await writer.run("BEGIN")
        try await writer.run("INSERT INTO food DEFAULT VALUES")
        // The server refuses to prepare a transaction that has notified.
        await #expect(throws: PostgresError.self) { try await writer.run("PREPARE TRANSACTION '\(bench.diary.scratch.name)'") }
        try await writer.run("SET querykit.notify = off")
        try await writer.run("BEGIN")
        try await writer.run("INSERT INTO food DEFAULT VALUES")
        try await writer.run("PREPARE TRANSACTION '\(bench.diary.scratch.name)'")
        #expect(bench.count(.food) == 1)
        try await writer.run("COMMIT PREPARED '\(bench.diary.scratch.name)'")
        await bench.wait(.food, for: 1)
        writer.close()
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 nothing is missed when the listener's connection is terminated again and again`() async throws {
        let bench = try await PostgresBench.make()
        let other = try await PostgresDiary.open(bench.diary.scratch) { $0.isFollowed = false }
        let watched = await bench.watch(.food)
        let admin = try await bench.diary.scratch.connect()
        for number in 1...20 {
            try await admin.terminateListeners()
            try await other.addFood()
            if number.isMultiple(of: 5) { await bench.wait(.food, for: number) }
        }
        await bench.wait(.food, for: 20)
        admin.close()
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a writer that stays in a transaction while the listener reconnects is not missed`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food, .notes)
        let writer = try await bench.diary.scratch.connect()
        let admin = try await bench.diary.scratch.connect()
        try await writer.run("BEGIN")
        try await writer.run("INSERT INTO food DEFAULT VALUES")
        // Later transactions commit first.
        for number in 1...5 {
            try await admin.run("INSERT INTO notes DEFAULT VALUES")
            try await admin.terminateListeners()
            await bench.wait(.notes, for: number)
        }
        #expect(bench.count(.food) == 1)
        try await writer.run("COMMIT")
        await bench.wait(.food, for: 1)
        #expect(bench.count(.food) == 2)
        for connection in [writer, admin] { connection.close() }
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a log that was trimmed while the listener was away reruns everything`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food, .notes)
        let admin = try await bench.diary.scratch.connect()
        try await admin.runScript(
            """
            BEGIN; INSERT INTO food DEFAULT VALUES; SELECT pg_notify('querykit', ''); DELETE FROM querykit.changes;
            UPDATE querykit.settings SET trimmed = (pg_current_xact_id()::text::bigint + 1)::text::xid8; COMMIT
            """
        )
        await bench.wait(.food, for: 1)
        await bench.wait(.notes) { $0.cause.region == QueryRegion(source: "diary") }
        admin.close()
        for subscription in watched { subscription.cancel() }
    }

    // MARK: Commits during a run

    @Test func `R18 a commit between the snapshot of a read and its note is not missed, of this process or another`() async throws {
        for isOwn in [true, false] {
            let diary = try await PostgresDiary.open()
            let other = try await PostgresDiary.open(diary.scratch) { $0.isFollowed = false }
            let marker = Recorder<Int>()
            let bench = TestBench { call in
                try await diary.database.read { db in
                    // The snapshot is taken here.
                    _ = try await db.value(Int.self, "SELECT 1")
                    if call.number == 1 {
                        let writer = isOwn ? diary.database : other.database
                        try await writer.write { db in try await db.execute("INSERT INTO food DEFAULT VALUES") }
                        // The listener has entered the commit before the region is noted.
                        while !isOwn, diary.database.core.following?.follower.number == 0 { await Task.yield() }
                        marker.note(call.number)
                    }
                    return try await db.value(Int.self, "SELECT count(*) FROM food") ?? 0
                }
            }
            bench.client.connect(to: diary.database)
            let store = bench.client.store(for: Number(1).ttl(.infinity))
            let subscription = store.record(Recorder())
            for await value in store.select(\.value) where value == 1 { break }
            await bench.client.settled()
            #expect(bench.backend.fetched.count == 2 && marker.all == [1], "own: \(isOwn)")
            subscription.cancel()
        }
    }

    @Test func `R18 a request that writes and reads in one transaction sees its own change and runs once`() async throws {
        let diary = try await PostgresDiary.open()
        let bench = TestBench { _ in
            try await diary.database.write { db in
                try await db.execute("INSERT INTO food DEFAULT VALUES")
                return try await db.value(Int.self, "SELECT count(*) FROM food") ?? 0
            }
        }
        bench.client.connect(to: diary.database)
        let store = bench.client.store(for: Number(1).ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.fetched.count == 1 && store.value == 1 && !store.isStale)
        subscription.cancel()
    }

    @Test func `R18 requests of a group follow commits, each with a snapshot of its own`() async throws {
        let bench = try await PostgresBench.make()
        let other = try await PostgresDiary.open(bench.diary.scratch)
        let requests = [PostgresDiary.Query.food, .entries, .view].map { Number($0.rawValue).ttl(.infinity) }
        let group = bench.client.group(requests)
        let subscription = group.subscribe { _ in }
        await bench.client.settled()
        for number in 1...10 {
            try await bench.diary.addFood()
            try await bench.diary.addEntry()
            await bench.client.settled()
            #expect(group.currentStates.map(\.value) == [number, number, number * 101])
        }
        try await other.addFood()
        await bench.wait(.food, for: 11)
        subscription.cancel()
        await other.database.close()
    }

    // MARK: Mistakes

    @Test func `R32 a client that isn't connected is reported once, and its late connection invalidates`() async throws {
        let mistakes = Recorder<QueryMistake>()
        let bench = PostgresBench(try await PostgresDiary.open(), connects: false, configuration: .recording(mistakes))
        let watched = await bench.watch(.food, .notes)
        #expect(mistakes.kinds == [.unconnectedDatabase])
        bench.client.connect(to: bench.diary.database)
        await bench.client.settled()
        #expect(mistakes.kinds == [.unconnectedDatabase, .lateConnection])
        #expect(bench.counts(.food, .notes) == [2, 2])
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.counts(.food, .notes) == [3, 2])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R32 a read of a table that isn't followed is reported once, and its value is stale at once`() async throws {
        let mistakes = Recorder<QueryMistake>()
        let scratch = try await ScratchDatabase.make()
        try await scratch.run("CREATE MATERIALIZED VIEW summary AS SELECT 0 AS number")
        let diary = try await PostgresDiary.open(scratch)
        let bench = TestBench(configuration: .recording(mistakes)) { _ in try await diary.count("SELECT number FROM summary") }
        bench.client.connect(to: diary.database)
        let store = bench.client.store(for: Number(1).ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(mistakes.kinds == [.unfollowedTable])
        #expect(store.value == 0 && store.isStale)
        #expect(try await store.fetch() == 0)
        #expect(bench.backend.fetched.count == 2 && mistakes.kinds == [.unfollowedTable])
        subscription.cancel()
    }

    @Test func `R32 R18 a request that fetches one of an unfollowed table is stale at once, too, and runs once`() async throws {
        let scratch = try await ScratchDatabase.make()
        try await scratch.run("CREATE MATERIALIZED VIEW summary AS SELECT 0 AS number")
        let diary = try await PostgresDiary.open(scratch)
        let bench = TestBench { call in
            if call.number > 40 { throw TestError("The runs don't end.") }
            if call.id == 1 { return try await diary.count("SELECT number FROM summary") }
            return try await call.context.queryClient?.fetch(Number(1)) ?? -1
        }
        bench.client.connect(to: diary.database)
        let outer = bench.client.store(for: Number(2).ttl(.infinity))
        let subscription = outer.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.fetched == [2, 1] && outer.value == 0 && outer.isStale)
        #expect(try await outer.fetch() == 0)
        await bench.client.settled()
        #expect(bench.backend.fetched == [2, 1, 2, 1] && outer.isStale)
        subscription.cancel()
    }

    @Test func `R26 an unavailable server counts as a missing network, and an invalid statement is not retried`() {
        #expect(PostgresError(.unavailable, "gone").queryError?.code == .networkUnavailable)
        #expect(PostgresError(.unavailable, "gone").dependsOnNetwork)
        #expect(PostgresError(.syntax, "wrong").queryError?.code == .invalidParameters)
        #expect(PostgresError(.serialization, "again").queryError == nil)
    }
}
#endif
