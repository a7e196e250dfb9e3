import CSQLite
import Dispatch
import Foundation
import QueryKit
import QueryKitSQLite

extension Case {
    static let databaseCases = [
        rows(1), rows(8), rows(8, hops: true), rows(10), decode, insert, commit(), commit(hops: true), readers(), readers(hops: true),
        observedInsert(0), observedInsert(100), manyKeys(.rows), manyKeys(.ranges), tracking,
        pool(.alternating), pool(.short),
    ]

    private static func floor(_ hops: Bool) -> String { hops ? "on a queue with a continuation" : "without a hop" }

    /// A read of a few rows, awaited.
    private static func rows(_ count: Int64, hops: Bool = false) -> Case {
        Case(
            name: "sqlite.read\(count)" + (hops ? ".hop" : ""),
            summary: "database.read of \(count) rows by key, awaited; floor: the C interface \(floor(hops))",
            kind: .time {
                let fixture = try await DatabaseFixture(rows: 10_000)
                let raw = fixture.raw()
                let select = RawStatement(handle: raw.prepare(DatabaseFixture.select))
                return (
                    Workload { times in
                        for time in 0..<times {
                            let first = Int64(time % 9_000)
                            discard(try await fixture.database.read { db in try db.rows(Food.self, .select(first, count)) })
                        }
                    },
                    floor: Workload { times in
                        for time in 0..<times {
                            let first = Int64(time % 9_000)
                            discard(await raw.use(hops) { _ in select.foods(from: first, count: count) })
                        }
                        discard(fixture)
                    }
                )
            }
        )
    }

    private static let decode = Case(
        name: "sqlite.decode10k",
        summary: "one row of 10,000 in a read, by index; floor: the C interface, into the same type",
        kind: .time {
            let count = 10_000
            let fixture = try await DatabaseFixture(rows: count)
            let raw = fixture.raw()
            let select = RawStatement(handle: raw.prepare(DatabaseFixture.select))
            return (
                Workload(batch: count) { _ in
                    discard(try await fixture.database.read { db in try db.rows(Food.self, .select(0, Int64(count))) })
                },
                floor: Workload(batch: count) { _ in
                    discard(select.foods(from: 0, count: Int64(count)))
                    discard(fixture)
                }
            )
        }
    )

    private static let insert = Case(
        name: "sqlite.insert100k",
        summary: "one row of 100,000 in a write, by a prepared statement; floor: the C interface",
        sampleLimit: 15,
        kind: .time {
            let count = 100_000
            let fixture = try await DatabaseFixture(rows: 0)
            let raw = fixture.raw()
            return (
                Workload(batch: count) {
                    try await fixture.empty()
                } run: { _ in
                    try await fixture.insert(count)
                },
                floor: Workload(batch: count) {
                    await raw.hop { raw in
                        raw.run("DELETE FROM food")
                        raw.checkpoint()
                    }
                } run: { _ in
                    await raw.hop { raw in
                        raw.run("BEGIN IMMEDIATE")
                        let insert = RawStatement(handle: raw.prepare(DatabaseFixture.insert))
                        for number in 0..<count { insert.insert(Food(number: number)) }
                        sqlite3_finalize(insert.handle)
                        raw.run("COMMIT")
                    }
                    discard(fixture)
                }
            )
        }
    )

    private static func commit(hops: Bool = false) -> Case {
        Case(
            name: "sqlite.commit" + (hops ? ".hop" : ""),
            summary:
                "database.write of one row, awaited; floor: the same row and one for the change log, by the C interface \(floor(hops))",
            kind: .time {
                let fixture = try await DatabaseFixture(rows: 10_000)
                let raw = fixture.raw()
                // Checkpoints the log without truncating it, as the engine itself does. `checkpoint()` empties the log, and extending a
                // file takes longer than overwriting it.
                let engineFile = RawSQLite(fixture.path)
                let insert = RawStatement(handle: raw.prepare(DatabaseFixture.insert))
                raw.run(RawSQLite.changeLog)
                let note = RawStatement(handle: raw.prepare(RawSQLite.noteChange))
                let begin = RawStatement(handle: raw.prepare("BEGIN IMMEDIATE"))
                let commit = RawStatement(handle: raw.prepare("COMMIT"))
                return (
                    // Both start with a short log, because commits get slower as it grows. The first commit to an empty log waits for the
                    // disk.
                    Workload(batch: 250) {
                        await engineFile.hop { $0.checkpoint() }
                        try await fixture.database.write { db in try db.replace(Food(number: 0)) }
                        // The engine now marks the file as in use again, because another connection has written the log back. That waits
                        // for the disk, and a second write waits for that.
                        try await fixture.database.write { _ in }
                    } run: { times in
                        for time in 0..<times {
                            let food = Food(number: time % 10_000)
                            try await fixture.database.write { db in try db.replace(food) }
                        }
                    },
                    floor: Workload(batch: 250) {
                        await raw.hop { raw in
                            raw.checkpoint()
                            insert.insert(Food(number: 0))
                        }
                    } run: { times in
                        for time in 0..<times {
                            let food = Food(number: time % 10_000)
                            await raw.use(hops) { _ in
                                sqlite3_step(begin.handle)
                                sqlite3_reset(begin.handle)
                                insert.insert(food)
                                sqlite3_step(note.handle)
                                sqlite3_reset(note.handle)
                                sqlite3_step(commit.handle)
                                sqlite3_reset(commit.handle)
                            }
                        }
                        discard(fixture)
                    }
                )
            }
        )
    }

    /// Two tasks that read while a third writes, compared with two threads that use the C interface beside the same writer.
    private static func readers(hops: Bool = false) -> Case {
        Case(
            name: "sqlite.readers2" + (hops ? ".hop" : ""),
            summary:
                "one of many reads of 10 rows by two tasks at once, beside a writer; floor: two threads, the C interface \(floor(hops))",
            kind: .time {
                var configuration = SQLiteDatabase.Configuration()
                configuration.readerCount = 2
                let fixture = try await DatabaseFixture(rows: 10_000, configuration: configuration)
                let raws = [fixture.raw(), fixture.raw()]
                let selects = raws.map { RawStatement(handle: $0.prepare(DatabaseFixture.select)) }
                let writer = fixture.raw()
                let insert = RawStatement(handle: writer.prepare(DatabaseFixture.insert))
                let batch = 4_000
                return (
                    Workload(batch: batch) { _ in
                        try await withThrowingTaskGroup { group in
                            for _ in 0..<2 {
                                group.addTask {
                                    for time in 0..<batch / 2 {
                                        discard(try await fixture.database.read { db in try db.rows(Food.self, .select(Int64(time), 10)) })
                                    }
                                }
                            }
                            group.addTask {
                                for time in 0..<20 {
                                    let food = Food(number: time)
                                    try await fixture.database.write { db in try db.replace(food) }
                                }
                            }
                            try await group.waitForAll()
                        }
                    },
                    floor: Workload(batch: batch) { _ in
                        await withTaskGroup { group in
                            for index in 0..<2 {
                                group.addTask {
                                    for time in 0..<batch / 2 {
                                        discard(await raws[index].use(hops) { _ in selects[index].foods(from: Int64(time), count: 10) })
                                    }
                                }
                            }
                            group.addTask {
                                await writer.hop { _ in
                                    for time in 0..<20 { insert.insert(Food(number: time)) }
                                }
                            }
                        }
                        discard(fixture)
                    }
                )
            }
        )
    }

    /// A bulk insert with observed stores, compared with an insert without observers.
    private static func observedInsert(_ count: Int) -> Case {
        Case(
            name: "sqlite.insert100k.observed\(count)",
            summary: "one row of 100,000 in a write while \(count) stores that read the table are observed; floor: no client at all",
            sampleLimit: 15,
            kind: .time {
                let rows = 100_000
                let fixture = try await DatabaseFixture(rows: 0)
                let plain = try await DatabaseFixture(rows: 0)
                let client = QueryClient(configuration: .isolated)
                client.connect(to: fixture.database)
                let subscriptions = (0..<count).map { id in
                    client.store(for: FoodCount(id: id, database: fixture.database)).subscribe(with: QueryEventHandler { _, _ in })
                }
                await client.settled()
                return (
                    Workload(batch: rows) {
                        try await fixture.empty()
                        await client.settled()
                    } run: { _ in
                        try await fixture.insert(rows)
                        discard(subscriptions)
                    },
                    floor: Workload(batch: rows) {
                        try await plain.empty()
                    } run: { _ in
                        try await plain.insert(rows)
                    }
                )
            }
        )
    }

    /// What the observed stores have read.
    private enum Listeners: String {
        case rows, ranges
    }

    /// A commit that changes a thousand rows while stores that read other rows are observed, compared with a commit without observers.
    private static func manyKeys(_ listeners: Listeners) -> Case {
        Case(
            name: "sqlite.commit1k.\(listeners)",
            summary: "an update of 1,000 rows by their keys in one commit beside 100 observed \(listeners); floor: no client at all",
            sampleLimit: 200,
            kind: .time {
                let (watched, plain) = (try await DatabaseFixture(rows: 10_000), try await DatabaseFixture(rows: 10_000))
                for fixture in [watched, plain] {
                    try await fixture.database.write { db in try db.execute("CREATE INDEX food_grams ON food (grams)") }
                }
                let client = QueryClient(configuration: .isolated)
                client.connect(to: watched.database)
                let subscriptions = (0..<100).map { number in
                    let sql: SQL =
                        switch listeners {
                        case .rows: "SELECT grams FROM food WHERE id = \(9_000 + number)"
                        case .ranges: "SELECT count(grams) FROM food WHERE grams BETWEEN \(10_000 + number) AND \(20_000)"
                        }
                    return client.store(for: FoodCount(id: number, database: watched.database, sql: sql))
                        .subscribe(with: QueryEventHandler { _, _ in })
                }
                await client.settled()
                return (
                    Workload {
                        await client.settled()
                    } run: { times in
                        for time in 0..<times { try await watched.changeGrams(of: 1_000, by: time % 7) }
                        discard(subscriptions)
                    },
                    floor: Workload { times in
                        for time in 0..<times { try await plain.changeGrams(of: 1_000, by: time % 7) }
                    }
                )
            }
        )
    }

    /// What the tasks beside an empty task read.
    private enum PoolReads: String {
        case alternating = "alternate reads of 8 rows and of 190 ms at one call site"
        case short = "keep reading 8 rows"
    }

    /// Whether reads on callers' threads leave room for other tasks.
    private static func pool(_ reads: PoolReads) -> Case {
        Case(
            name: "sqlite.pool" + (reads == .short ? ".short" : ""),
            summary: "an empty task while two tasks \(reads.rawValue); floor: the same task alone",
            sampleLimit: 300,
            kind: .delay { samples in
                let fixture = try await DatabaseFixture(rows: 10_000)
                @Sendable func read(_ sql: SQL) async throws {
                    discard(try await fixture.database.read { db in try db.map(sql) { row in try row[0] as Int64 } })
                }
                func delays() async throws -> [Double] {
                    var delays: [Double] = []
                    for _ in 0..<samples {
                        let start = ContinuousClock().now
                        await Task {}.value
                        delays.append((ContinuousClock().now - start).nanoseconds)
                        try await Task.sleep(for: .milliseconds(3))
                    }
                    return delays
                }
                let idle = try await delays()
                let beside = try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            while !Task.isCancelled {
                                for first in 0..<8 { try? await read(.select(Int64(first), 8)) }
                                // About 190 ms on this machine.
                                if reads == .alternating {
                                    try? await read("SELECT count(*) FROM food AS a JOIN food AS b ON b.id < a.id WHERE a.id < \(700)")
                                }
                            }
                        }
                    }
                    let measured = try await delays()
                    group.cancelAll()
                    return measured
                }
                return (beside, idle)
            }
        )
    }

    private static let tracking = Case(
        name: "track.overhead",
        summary: "database.read of one row in a run, with its regions recorded; floor: the same read outside of any run",
        kind: .time {
            let fixture = try await DatabaseFixture(rows: 10_000)
            let client = QueryClient(configuration: .isolated)
            client.connect(to: fixture.database)
            return (
                // Many reads, because a run and the first read in it cost more.
                Workload(batch: 10_000) { times in
                    _ = try await client.fetch(InlineQuery("food/reads") { _ in try await fixture.readFoods(times) })
                },
                floor: Workload(batch: 10_000) { times in _ = try await fixture.readFoods(times) }
            )
        }
    )
}

extension SQL {
    fileprivate static func select(_ first: Int64, _ count: Int64) -> SQL {
        "SELECT id, name, kcal, grams, category FROM food WHERE id >= \(first) ORDER BY id LIMIT \(count)"
    }
}

extension SQLiteWriteTransaction {
    fileprivate func replace(_ food: Food) throws {
        try execute(
            """
            INSERT OR REPLACE INTO food (id, name, kcal, grams, category)
            VALUES (\(food.id), \(food.name), \(food.kilocalories), \(food.grams), \(food.category))
            """
        )
    }
}

extension DatabaseFixture {
    /// Reads one food at a time.
    fileprivate func readFoods(_ times: Int) async throws -> Int {
        for time in 0..<times {
            let first = Int64(time % 9_000)
            discard(try await database.read { db in try db.rows(Food.self, .select(first, 1)) })
        }
        return times
    }

    fileprivate func empty() async throws {
        try await database.write { db in try db.execute("DELETE FROM food") }
        _ = try await database.checkpoint()
    }

    fileprivate func changeGrams(of count: Int, by difference: Int) async throws {
        try await database.write { db in
            let update = try db.prepare("UPDATE food SET grams = ? WHERE id = ?")
            for number in 0..<count { try update.run(number % 500 + difference, number) }
        }
    }

    fileprivate func insert(_ count: Int) async throws {
        try await database.write { db in
            let insert = try db.prepare("INSERT OR REPLACE INTO food (id, name, kcal, grams, category) VALUES (?, ?, ?, ?, ?)")
            for number in 0..<count {
                let food = Food(number: number)
                try insert.run(food.id, food.name, food.kilocalories, food.grams, food.category)
            }
        }
    }
}

/// The number of foods, as a repository would read it.
struct FoodCount: QueryRequest {
    let id: Int
    let database: SQLiteDatabase
    var sql: SQL = "SELECT count(*) FROM food"

    var path: QueryPath { ["food", "count", id] }

    static func == (left: FoodCount, right: FoodCount) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await database.read { [sql] db in try db.value(Int.self, sql) ?? 0 }
    }
}
