import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Random writes to a database and to an equal dictionary: every observed request must show the dictionary's values, and run again only
/// when a table or partition that it reads was written.
struct ReactiveModelTests {
    private static let seeds = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 5 : 100

    @Test func `R18 each request follows exactly what it reads`() async throws {
        let first = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        for seed in first.map({ $0...$0 }) ?? 1...Self.seeds {
            let location: SQLiteDatabase.Location = seed.isMultiple(of: 2) ? .inMemory : .temporary
            let bench = try await ReactiveBench(location)
            var dice = Dice(seed: seed)
            for step in 1...60 {
                let change = DiaryChange.random(&dice)
                let concerned = bench.concerned(by: change)
                let before = bench.runCounts
                try await bench.apply(change)
                await bench.client.settled()
                let shown = bench.shown
                try #require(shown == bench.expected, "seed \(seed), step \(step): \(change)")
                let ran = zip(bench.runCounts, before).map { $0 - $1 }
                try #require(ran == concerned.map { $0 ? 1 : 0 }, "seed \(seed), step \(step): \(change)")
            }
            await bench.database.close()
        }
    }

    @Test func `R18 no change is missed during concurrent writes, including those of another process`() async throws {
        for seed in 1...max(3, Self.seeds / 20) {
            let folder = try TemporaryFolder()
            let bench = try await ReactiveBench(.file(folder.file()))
            let other = try await ReactiveBench.open(.file(folder.file()))
            try await withThrowingTaskGroup { group in
                for writer in 0..<4 {
                    group.addTask {
                        var dice = Dice(seed: seed * 10 + writer)
                        for _ in 0..<40 {
                            let change = DiaryChange.random(&dice)
                            if writer == 3 { try await change.write(to: other) } else { try await change.write(to: bench.database) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let expected = try await bench.read()
            // Another process's writes are noticed a moment later.
            for (index, store) in bench.stores.enumerated() {
                for await value in store.select(\.value) where value == expected[index] { break }
            }
            await other.close()
            await bench.database.close()
        }
    }
}

/// A step of the model.
private enum DiaryChange {
    case insert(table: Int, day: Int, amount: Int)
    case move(from: Int, to: Int)
    case delete(table: Int, day: Int)
    case both(day: Int, amount: Int)
    case nothing
    case failed(table: Int)

    static func random(_ dice: inout Dice) -> DiaryChange {
        switch dice.roll(8) {
        case 0...2: .insert(table: dice.roll(3), day: dice.roll(3), amount: 1 + dice.roll(9))
        case 3: .move(from: dice.roll(3), to: dice.roll(3))
        case 4: .delete(table: dice.roll(3), day: dice.roll(3))
        case 5: .both(day: dice.roll(3), amount: 1 + dice.roll(9))
        case 6: .nothing
        default: .failed(table: dice.roll(3))
        }
    }

    struct Undo: Error {}

    /// Table 0 is divided by day; 1 and 2 are not.
    func write(to database: SQLiteDatabase) async throws {
        do {
            try await database.write { db in
                switch self {
                case .insert(let table, let day, let amount):
                    try db.execute("INSERT INTO \(Self.name(table)) (day, amount) VALUES (\(day), \(amount))")
                case .move(let from, let to): try db.execute("UPDATE t0 SET day = \(to) WHERE day = \(from)")
                case .delete(let table, let day): try db.execute("DELETE FROM \(Self.name(table)) WHERE day = \(day)")
                case .both(let day, let amount):
                    try db.execute("INSERT INTO t0 (day, amount) VALUES (\(day), \(amount))")
                    try db.execute("INSERT INTO t1 (day, amount) VALUES (\(day), \(amount))")
                case .nothing: try db.execute("UPDATE t2 SET amount = 0 WHERE day = 99")
                case .failed(let table):
                    try db.execute("INSERT INTO \(Self.name(table)) (day, amount) VALUES (0, 1)")
                    throw Undo()
                }
            }
        } catch is Undo {}
    }

    private static func name(_ table: Int) -> SQL { ["t0", "t1", "t2"][table] }
}

/// What a change affects: tables, and days of the first one. A move changes no amount.
private struct Touched {
    var tables: Set<Int> = []
    var days: Set<Int> = []
    var isMove = false
}

/// The same tables as dictionaries: amounts by day.
private struct DiaryModel {
    var rows: [[(day: Int, amount: Int)]] = [[], [], []]

    /// Makes a change, and returns what it affects.
    mutating func apply(_ change: DiaryChange) -> Touched {
        switch change {
        case .insert(let table, let day, let amount):
            rows[table].append((day, amount))
            return Touched(tables: [table], days: [day])
        case .move(let from, let to):
            let isAny = rows[0].contains { $0.day == from }
            for index in rows[0].indices where rows[0][index].day == from { rows[0][index].day = to }
            return isAny ? Touched(tables: [0], days: [from, to], isMove: true) : Touched()
        case .delete(let table, let day):
            let isAny = rows[table].contains { $0.day == day }
            rows[table].removeAll { $0.day == day }
            return isAny ? Touched(tables: [table], days: [day]) : Touched()
        case .both(let day, let amount):
            rows[0].append((day, amount))
            rows[1].append((day, amount))
            return Touched(tables: [0, 1], days: [day])
        case .nothing, .failed:
            return Touched()
        }
    }

    func sum(_ sum: SumRequest) -> Int {
        var total = 0
        for table in sum.tables {
            total += rows[table].filter { sum.day == nil || table != 0 || $0.day == sum.day }.map(\.amount).reduce(0, +)
        }
        return total
    }
}

/// What a request reads: some tables, and possibly a single day of the first one.
private struct SumRequest: QueryRequest {
    let tables: [Int]
    let day: Int?

    var path: QueryPath { ["sum", self] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        guard let database = context[DatabaseKey.self] else { throw QueryError(.invalidParameters) }
        // One child task per table, as a use case would do it.
        return try await withThrowingTaskGroup { group in
            for table in tables { group.addTask { try await amount(table, database) } }
            return try await group.reduce(0, +)
        }
    }

    private func amount(_ table: Int, _ database: SQLiteDatabase) async throws -> Int {
        try await database.read { db in
            let sql: SQL =
                switch table {
                case 0: day.map { "SELECT sum(amount) FROM t0 WHERE day = \(partition: $0, of: "t0")" } ?? "SELECT sum(amount) FROM t0"
                case 1: "SELECT sum(amount) FROM t1"
                default: "SELECT sum(amount) FROM t2"
                }
            return try db.value(Int.self, sql) ?? 0
        }
    }

    func isConcerned(_ touched: Touched) -> Bool {
        tables.contains { table in
            guard touched.tables.contains(table) else { return false }
            guard table == 0, let day else { return !touched.isMove }
            return touched.days.contains(day)
        }
    }
}

private enum DatabaseKey: QueryContext.Key {
    static var defaultValue: SQLiteDatabase? { nil }
}

private final class ReactiveBench: Sendable {
    static let requests = [
        SumRequest(tables: [0], day: nil), SumRequest(tables: [0], day: 0), SumRequest(tables: [0], day: 1),
        SumRequest(tables: [1], day: nil),
        SumRequest(tables: [2], day: nil), SumRequest(tables: [0, 1], day: 2), SumRequest(tables: [1, 2], day: nil),
        SumRequest(tables: [0, 1, 2], day: nil),
    ]

    let database: SQLiteDatabase
    let client: QueryClient
    let stores: [QueryStore<QueryState<Int?, Int>>]
    private let subscriptions: [QuerySubscription]
    private let model = Lock(DiaryModel())

    static func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(
            location,
            """
            CREATE TABLE t0 (id INTEGER PRIMARY KEY, day INTEGER, amount INTEGER);
            CREATE TABLE t1 (id INTEGER PRIMARY KEY, day INTEGER, amount INTEGER);
            CREATE TABLE t2 (id INTEGER PRIMARY KEY, day INTEGER, amount INTEGER);
            """
        ) { $0.partitions = [SQLitePartition(table: "t0", column: "day")] }
    }

    init(_ location: SQLiteDatabase.Location) async throws {
        let database = try await Self.open(location)
        var context = QueryContext()
        context[DatabaseKey.self] = database
        let client = QueryClient(context: context, configuration: .isolated)
        client.connect(to: database)
        // Equal values are not published, but each run must be counted.
        stores = Self.requests.map { client.store(for: $0.ttl(.infinity)) }
        subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        self.database = database
        self.client = client
        await client.settled()
    }

    var shown: [Int?] { stores.map(\.value) }

    var expected: [Int?] { model.withLock { model in Self.requests.map { model.sum($0) } } }

    var runCounts: [Int] { stores.map(\.state.valueUpdateCount) }

    /// The requests affected by a change, which this also makes in the model.
    func concerned(by change: DiaryChange) -> [Bool] {
        model.withLock { model in
            let touched = model.apply(change)
            return Self.requests.map { $0.isConcerned(touched) }
        }
    }

    func apply(_ change: DiaryChange) async throws { try await change.write(to: database) }

    /// The database's own answer, independent of all runs.
    func read() async throws -> [Int] {
        let context = client.context
        var values: [Int] = []
        for request in Self.requests {
            let other = QueryClient(context: context, configuration: .isolated)
            values.append(try await other.fetch(request))
        }
        return values
    }
}
