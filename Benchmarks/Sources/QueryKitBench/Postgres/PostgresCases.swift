#if Postgres
import CPostgres
import Foundation
import QueryKit
import QueryKitPostgres

extension Case {
    static let postgresCases = [
        postgresDecode, postgresRead(isFollowed: false), postgresRead(isFollowed: true), postgresPipeline,
        postgresCommit(isFollowed: false), postgresCommit(isFollowed: true), postgresForeign, postgresWriters, postgresPolling,
    ]

    private static let postgresDecode = Case(
        name: "postgres.decode10k",
        summary: "one row of 10,000 in a read, by index; floor: libpq, one prepared statement without a transaction, into the same type",
        kind: .time {
            let count = 10_000
            let fixture = try await PostgresFixture { $0.isFollowed = false }
            let raw = fixture.raw()
            return (
                Workload(batch: count) { _ in
                    discard(try await fixture.database.read { db in try await db.rows(Food.self, .select(from: 0, count)) })
                },
                floor: Workload(batch: count) { _ in
                    discard(RawPostgres.foods(raw.execute("select", [.integer(0), .integer(Int64(count))])))
                    discard(fixture)
                }
            )
        }
    )

    /// A read of a few rows, alone or by a request that follows commits.
    private static func postgresRead(isFollowed: Bool) -> Case {
        Case(
            name: "postgres.read8" + (isFollowed ? ".followed" : ""),
            summary: isFollowed
                ? "the read of postgres.read8 with its tables recorded, as requests of a connected client do; floor: the same"
                : "database.read of 8 rows by key, awaited; floor: libpq, BEGIN, SELECT and COMMIT in one round trip",
            kind: .time {
                let fixture = try await PostgresFixture { $0.isFollowed = isFollowed }
                let client = QueryClient(configuration: .isolated)
                if isFollowed { client.connect(to: fixture.database) }
                let raw = fixture.raw()
                raw.enterPipeline()
                func read(_ times: Int) async throws {
                    for time in 0..<times {
                        let first = time % 9_000
                        discard(try await fixture.database.read { db in try await db.rows(Food.self, .select(from: first, 8)) })
                    }
                }
                return (
                    Workload { times in
                        if isFollowed { _ = try await QueryReads.collecting { try await read(times) } } else { try await read(times) }
                        discard(client)
                    },
                    floor: Workload { times in
                        for time in 0..<times {
                            raw.send("begin.read")
                            raw.send("select", [.integer(Int64(time % 9_000)), .integer(8)])
                            raw.send("commit")
                            raw.sync()
                            PQclear(raw.take())
                            discard(RawPostgres.foods(raw.take()))
                            PQclear(raw.take())
                            raw.takeSync()
                        }
                        discard(fixture)
                    }
                )
            }
        )
    }

    private static let postgresPipeline = Case(
        name: "postgres.pipelined100",
        summary: "100 reads of 8 rows in one call of map(each:); floor: libpq, the same statements with BEGIN and COMMIT in one pipeline",
        kind: .time {
            let fixture = try await PostgresFixture { $0.isFollowed = false }
            let raw = fixture.raw()
            raw.enterPipeline()
            return (
                Workload { times in
                    for time in 0..<times {
                        let statements = (0..<100).map { SQL.select(from: (time + $0 * 80) % 9_000, 8) }
                        discard(try await fixture.database.read { db in try await db.map(each: statements) { try Food(row: $0) } })
                    }
                },
                floor: Workload { times in
                    for time in 0..<times {
                        raw.send("begin.read")
                        for number in 0..<100 { raw.send("select", [.integer(Int64((time + number * 80) % 9_000)), .integer(8)]) }
                        raw.send("commit")
                        raw.sync()
                        PQclear(raw.take())
                        discard((0..<100).map { _ in RawPostgres.foods(raw.take()) })
                        PQclear(raw.take())
                        raw.takeSync()
                    }
                    discard(fixture)
                }
            )
        }
    )

    private static func postgresCommit(isFollowed: Bool) -> Case {
        Case(
            name: "postgres.commit" + (isFollowed ? ".followed" : ""),
            summary: "database.write of one row\(isFollowed ? " of a followed table" : ""), awaited; "
                + "floor: libpq, BEGIN and INSERT in one round trip, COMMIT in another",
            kind: .time {
                let fixture = try await PostgresFixture { $0.isFollowed = isFollowed }
                let client = QueryClient(configuration: .isolated)
                if isFollowed { client.connect(to: fixture.database) }
                let raw = fixture.raw()
                raw.enterPipeline()
                return (
                    Workload { times in
                        for time in 0..<times { try await fixture.database.replace(Food(number: time % 10_000)) }
                        discard(client)
                    },
                    floor: Workload { times in
                        for time in 0..<times {
                            raw.send("begin")
                            raw.send("replace", Food(number: time % 10_000).values)
                            raw.sync()
                            PQclear(raw.take())
                            PQclear(raw.take())
                            raw.takeSync()
                            raw.send("commit")
                            raw.sync()
                            PQclear(raw.take())
                            raw.takeSync()
                        }
                        discard(fixture)
                    }
                )
            }
        )
    }

    // MARK: Many instances

    private static let postgresForeign = Case(
        name: "postgres.foreign",
        summary: "from the end of a write's closure in another process to the new state in a subscriber",
        sampleLimit: 500,
        kind: .delay { count in
            let fixture = try await PostgresFixture()
            let client = QueryClient(configuration: .isolated)
            client.connect(to: fixture.database)
            let arrivals = Arrivals()
            let subscription = client.store(for: PostgresFoodName(id: 1, database: fixture.database)).subscribe(
                with: QueryEventHandler(onResultReceived: { result, _ in arrivals.note(try? result.get()) })
            )
            await client.settled()
            let other = try OtherProcess(writingTo: fixture.url)
            var delays: [Double] = []
            for number in 0..<count {
                let name = "name \(number)"
                other.write(name)
                let end = await arrivals.wallTime(of: name)
                let start = await other.commitTime()
                delays.append((end - start) * 1e9)
            }
            other.end()
            subscription.cancel()
            return (delays, nil)
        }
    )

    private static let postgresWriters = Case(
        name: "postgres.notify16",
        summary: "a commit, while 16 tasks write one row each as often as they can, with a notification; floor: without followed tables",
        sampleLimit: 15,
        kind: .time {
            (
                try await PostgresWriters.workload(try await PostgresFixture()),
                floor: try await PostgresWriters.workload(try await PostgresFixture { $0.isFollowed = false })
            )
        }
    )

    private static let postgresPolling = Case(
        name: "postgres.poll16",
        summary: "the same while the log is read every 100 ms instead, without notifications; floor: without followed tables",
        sampleLimit: 15,
        kind: .time {
            (
                try await PostgresWriters.workload(
                    try await PostgresFixture(setting: "querykit.notify = 'off'") { $0.pollInterval = .milliseconds(100) }
                ),
                floor: try await PostgresWriters.workload(try await PostgresFixture { $0.isFollowed = false })
            )
        }
    )
}

/// Sixteen tasks that write rows.
private enum PostgresWriters {
    static func workload(_ fixture: PostgresFixture) async throws -> Workload {
        let client = QueryClient(configuration: .isolated)
        client.connect(to: fixture.database)
        return Workload(batch: 1_600) { times in
            try await withThrowingDiscardingTaskGroup { group in
                for writer in 0..<16 {
                    group.addTask {
                        for time in 0..<(times / 16) { try await fixture.database.replace(Food(number: writer * 600 + time % 600)) }
                    }
                }
            }
            discard(client)
        }
    }
}

private struct PostgresFoodName: QueryRequest {
    let id: Int
    let database: PostgresDatabase

    var path: QueryPath { ["food", "name", id] }

    static func == (left: PostgresFoodName, right: PostgresFoodName) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
        try await database.read { db in try await db.value(String.self, "SELECT name FROM food WHERE id = \(id)") ?? "" }
    }
}

extension OtherProcess {
    /// The work of the second process. The time is that of the end of the closure, because the commit may be visible before it is reported.
    static func servePostgres(_ url: String) async throws {
        let database = try await PostgresDatabase.open(url)
        print("ready")
        fflush(nil)
        while let name = readLine() {
            let time = try await database.write { db in
                try await db.execute("UPDATE food SET name = \(name) WHERE id = 1")
                return Date().timeIntervalSince1970
            }
            print(time)
            fflush(nil)
        }
        await database.close()
    }
}
#else
extension Case {
    /// The package trait `Postgres` is off; see `make bench-postgres`.
    static let postgresCases: [Case] = []
}
#endif
