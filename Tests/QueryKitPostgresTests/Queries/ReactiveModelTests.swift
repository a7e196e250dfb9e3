#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// Random writes to a database and to an equal model: every observed request must show the model's sums, and run again only when a table or
/// partition that it reads was written.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(15)))
struct PostgresReactiveModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil

    @Test func `R18 each request follows exactly what it reads`() async throws {
        for seed in 1...(Self.isLong ? 20 : 2) {
            let bench = try await SumBench()
            var dice = Dice(seed: seed)
            for step in 1...40 {
                let write = SumWrite.random(&dice)
                let concerned = bench.concerned(by: write)
                let before = bench.runCounts
                try await write.perform(on: bench.database)
                await bench.client.settled()
                try #require(bench.shown == bench.expected, "seed \(seed), step \(step): \(write)")
                let ran = zip(bench.runCounts, before).map { $0 - $1 }
                try #require(ran == concerned.map { $0 ? 1 : 0 }, "seed \(seed), step \(step): \(write)")
            }
            await bench.database.close()
        }
    }

    @Test func `R18 no change is missed while writers of several processes hold transactions and listeners are terminated`() async throws {
        for seed in 1...(Self.isLong ? 20 : 3) {
            let bench = try await SumBench()
            let other = try await PostgresDatabase.open(bench.scratch.url, configuration: SumBench.configuration)
            try await withThrowingTaskGroup { group in
                for writer in 0..<4 {
                    group.addTask {
                        var dice = Dice(seed: seed * 10 + writer)
                        for _ in 0..<30 {
                            try await SumWrite.random(&dice).perform(on: writer == 0 ? bench.database : other)
                        }
                    }
                }
                group.addTask {
                    // A writer that commits after others that began later.
                    let holder = try await bench.scratch.connect()
                    defer { holder.close() }
                    for number in 1...10 {
                        try await holder.run("BEGIN")
                        try await holder.run("INSERT INTO t1 (day, amount) VALUES (0, \(number))")
                        for _ in 0..<3 {
                            try await other.write { db in try await db.execute("INSERT INTO t2 (day, amount) VALUES (1, 1)") }
                        }
                        try await holder.run(number.isMultiple(of: 4) ? "ROLLBACK" : "COMMIT")
                    }
                }
                group.addTask {
                    let admin = try await bench.scratch.connect()
                    defer { admin.close() }
                    for _ in 1...10 {
                        try await admin.terminateListeners()
                        try await other.write { db in try await db.execute("INSERT INTO t0 (day, amount) VALUES (1, 1)") }
                    }
                }
                try await group.waitForAll()
            }
            let expected = try await bench.read()
            // Writes of another process are noticed a moment later.
            for (index, store) in bench.stores.enumerated() {
                for await value in store.select(\.value) where value == expected[index] { break }
            }
            await other.close()
            await bench.database.close()
        }
    }
}

/// A step of the model. Table 0 is divided by day, the others are not.
private enum SumWrite {
    case insert(table: Int, day: Int, amount: Int)
    case move(from: Int, to: Int)
    case delete(table: Int, day: Int)
    case several(day: Int, amount: Int)
    case nothing
    case undone(table: Int)

    struct Undo: Error {}

    static func random(_ dice: inout Dice) -> SumWrite {
        switch dice.roll(8) {
        case 0...2: .insert(table: dice.roll(3), day: dice.roll(3), amount: 1 + dice.roll(9))
        case 3: .move(from: dice.roll(3), to: dice.roll(3))
        case 4: .delete(table: dice.roll(3), day: dice.roll(3))
        case 5: .several(day: dice.roll(3), amount: 1 + dice.roll(9))
        case 6: .nothing
        default: .undone(table: dice.roll(3))
        }
    }

    private static func name(_ table: Int) -> SQL { ["t0", "t1", "t2"][table] }

    func perform(on database: PostgresDatabase) async throws {
        do {
            try await database.write { db in
                switch self {
                case .insert(let table, let day, let amount):
                    try await db.execute("INSERT INTO \(Self.name(table)) (day, amount) VALUES (\(day), \(amount))")
                case .move(let from, let to): try await db.execute("UPDATE t0 SET day = \(to) WHERE day = \(from)")
                case .delete(let table, let day): try await db.execute("DELETE FROM \(Self.name(table)) WHERE day = \(day)")
                case .several(let day, let amount):
                    try await db.execute(each: [
                        "INSERT INTO t0 (day, amount) VALUES (\(day), \(amount))",
                        "INSERT INTO t1 (day, amount) VALUES (\(day), \(amount))",
                    ])
                case .nothing: try await db.execute("UPDATE t2 SET amount = 0 WHERE day = 99")
                case .undone(let table):
                    try await db.execute("INSERT INTO \(Self.name(table)) (day, amount) VALUES (0, 1)")
                    throw Undo()
                }
            }
        } catch is Undo {}
    }
}

/// The same tables as arrays of rows.
private struct SumModel {
    /// What a write affects: tables, and days of the first one.
    struct Touched {
        var tables: Set<Int> = []
        var days: Set<Int> = []
    }

    private var rows: [[(day: Int, amount: Int)]] = [[], [], []]

    mutating func apply(_ write: SumWrite) -> Touched {
        switch write {
        case .insert(let table, let day, let amount):
            rows[table].append((day, amount))
            return Touched(tables: [table], days: [day])
        case .move(let from, let to):
            guard rows[0].contains(where: { $0.day == from }) else { return Touched() }
            for index in rows[0].indices where rows[0][index].day == from { rows[0][index].day = to }
            return Touched(tables: [0], days: [from, to])
        case .delete(let table, let day):
            guard rows[table].contains(where: { $0.day == day }) else { return Touched() }
            rows[table].removeAll { $0.day == day }
            return Touched(tables: [table], days: [day])
        case .several(let day, let amount):
            for table in 0...1 { rows[table].append((day, amount)) }
            return Touched(tables: [0, 1], days: [day])
        case .nothing, .undone: return Touched()
        }
    }

    func sum(_ request: SumRequest) -> Int {
        request.tables.map { table in
            rows[table].filter { request.day == nil || table != 0 || $0.day == request.day }.map(\.amount).reduce(0, +)
        }.reduce(0, +)
    }
}

private enum DatabaseKey: QueryContext.Key {
    static var defaultValue: PostgresDatabase? { nil }
}

/// What a request reads: some tables, and possibly a single day of the first one.
private struct SumRequest: QueryRequest {
    let tables: [Int]
    var day: Int?

    var path: QueryPath { ["sum", self] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        guard let database = context[DatabaseKey.self] else { throw QueryError(.invalidParameters) }
        let statements: [SQL] = tables.map { table in
            switch table {
            case 0: day.map { "SELECT sum(amount) FROM t0 WHERE day = \(partition: $0, of: "t0")" } ?? "SELECT sum(amount) FROM t0"
            case 1: "SELECT sum(amount) FROM t1"
            default: "SELECT sum(amount) FROM t2"
            }
        }
        return try await database.read { db in
            var total = 0
            for sql in statements { total += try await db.value(Int.self, sql) ?? 0 }
            return total
        }
    }

    func isConcerned(_ touched: SumModel.Touched) -> Bool {
        tables.contains { touched.tables.contains($0) && ($0 != 0 || day == nil || day.map(touched.days.contains) == true) }
    }
}

private final class SumBench: Sendable {
    static let requests = [
        SumRequest(tables: [0]), SumRequest(tables: [0], day: 0), SumRequest(tables: [0], day: 1), SumRequest(tables: [1]),
        SumRequest(tables: [2]), SumRequest(tables: [0, 1], day: 2), SumRequest(tables: [1, 2]), SumRequest(tables: [0, 1, 2]),
    ]

    static var configuration: PostgresDatabase.Configuration {
        var configuration = PostgresDatabase.Configuration()
        configuration.name = "sums"
        configuration.partitions = [PostgresPartition(table: "t0", column: "day")]
        return configuration
    }

    let scratch: ScratchDatabase
    let database: PostgresDatabase
    let client: QueryClient
    let stores: [QueryStore<QueryState<Int?, Int>>]
    private let subscriptions: [QuerySubscription]
    private let model = Lock(SumModel())

    init() async throws {
        let scratch = try await ScratchDatabase.make()
        try await scratch.run(
            "CREATE TABLE t0 (id serial, day integer, amount integer); CREATE TABLE t1 (LIKE t0); CREATE TABLE t2 (LIKE t0)"
        )
        try await scratch.run("ALTER TABLE t1 ALTER id DROP NOT NULL; ALTER TABLE t2 ALTER id DROP NOT NULL")
        let database = try await PostgresDatabase.open(scratch.url, configuration: Self.configuration)
        var context = QueryContext()
        context[DatabaseKey.self] = database
        let client = QueryClient(context: context, configuration: .isolated)
        client.connect(to: database)
        // Equal values are not published, but each run must be counted.
        stores = Self.requests.map { client.store(for: $0.ttl(.infinity)) }
        subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        self.scratch = scratch
        self.database = database
        self.client = client
        await client.settled()
    }

    var shown: [Int?] { stores.map(\.value) }

    var expected: [Int?] { model.withLock { model in Self.requests.map { model.sum($0) } } }

    var runCounts: [Int] { stores.map(\.state.valueUpdateCount) }

    /// The requests affected by a write, which this also makes in the model.
    func concerned(by write: SumWrite) -> [Bool] {
        model.withLock { model in
            let touched = model.apply(write)
            return Self.requests.map { $0.isConcerned(touched) }
        }
    }

    /// The database's own answer, independent of all runs.
    func read() async throws -> [Int] {
        let other = QueryClient(context: client.context, configuration: .isolated)
        other.connect(to: database)
        var values: [Int] = []
        for request in Self.requests { values.append(try await other.fetch(request)) }
        return values
    }
}
#endif
