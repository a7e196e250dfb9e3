import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Random schemas, statements and writes: a read whose result has changed must overlap what the commit says it changed.
@Suite(.timeLimit(.minutes(60)))
struct RowModelTests {
    private static let seeds = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 60 : 10_000

    @Test func `D11 no change of a result is missed`() async throws {
        let first = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        var (changed, told, byRow) = (0, 0, 0)
        for seed in first.map({ $0...$0 }) ?? 1...Self.seeds {
            var world = try await RowWorld(seed: seed)
            for step in 1...20 {
                let outcome = try await world.step()
                try #require(outcome.missed == [], "seed \(seed), step \(step): \(outcome.write)")
                changed += outcome.changed
                told += outcome.told
                byRow += outcome.spared
            }
            await world.database.close()
        }
        // So that it can't come about because everything is told, or nothing happens.
        #expect(changed > 0)
        #expect(byRow > told / 20, "\(told) reads were told, \(byRow) were spared by their rows")
    }
}

/// A database of a random schema, and questions that are asked again after each write.
private struct RowWorld {
    struct Outcome {
        var write = ""
        /// Questions whose answer has changed, though no region of theirs was told.
        var missed: [String] = []
        var changed = 0
        var told = 0
        /// Questions that were not told, though a table of theirs was written.
        var spared = 0
    }

    let database: SQLiteDatabase
    private let client = QueryClient.test()
    private var dice: Dice
    /// Whether most rows are found by unique keys, and stay long enough for that.
    private let isKeyed: Bool
    private let changes = Lock<[SQLiteChangeSet]>([])
    private let subscription: QuerySubscription

    init(seed: Int) async throws {
        var dice = Dice(seed: seed)
        isKeyed = seed.isMultiple(of: 2)
        database = try await SQLiteDatabase.make(.inMemory) { configuration in
            configuration.name = "db"
            configuration.partitions = [SQLitePartition(table: "t0", column: "x")]
        }
        client.connect(to: database)
        let changes = changes
        subscription = database.core.feed.subscribe { change in changes.withLock { $0.append(change) } }
        for table in 0..<3 {
            let name = Self.name(table)
            let references: [SQL] = [
                "", " REFERENCES t0 (id) ON DELETE CASCADE ON UPDATE CASCADE", " REFERENCES t0 (id) ON DELETE SET NULL ON UPDATE SET NULL",
            ]
            let reference = table > 0 ? references[dice.roll(3)] : ""
            let unique: SQL = isKeyed ? " UNIQUE" : ["", "", " UNIQUE", " UNIQUE ON CONFLICT REPLACE"][dice.roll(4)]
            let computed: SQL = isKeyed ? "" : ["", "", "", ", z AS (x + y)", ", z AS (x * 2) STORED"][dice.roll(5)]
            let columns: SQL = "id INTEGER PRIMARY KEY, x INTEGER\(unique), y INTEGER\(reference)\(computed)"
            try await database.execute("CREATE TABLE \(name) (\(columns))")
            let indexed: [SQL] = [isKeyed ? "(y)" : "(x)", "(y)", "(y, x)", "(y) WHERE x > 3", "(x + y)", isKeyed ? "(y, id)" : "(x, id)"]
            if dice.roll(3) > 0 { try await database.execute("CREATE INDEX \(Self.index(table)) ON \(name) \(indexed[dice.roll(6)])") }
        }
        let collation: SQL = ["", "", " COLLATE NOCASE"][dice.roll(3)]
        let columns: [SQL] = [
            "a INTEGER, b INTEGER, UNIQUE (a, b)", "a, b TEXT, UNIQUE (b, a)", "a REAL, b BLOB, UNIQUE (a, id), UNIQUE (b)",
        ]
        try await database.execute(
            "CREATE TABLE codes (id INTEGER PRIMARY KEY, code TEXT\(collation) UNIQUE, rowid TEXT, \(columns[dice.roll(3)]))"
        )
        if dice.roll(4) == 0 { try await database.execute("CREATE UNIQUE INDEX other ON codes (code COLLATE NOCASE)") }
        try await database.execute("CREATE TABLE keyed (code TEXT PRIMARY KEY, n INTEGER UNIQUE) WITHOUT ROWID")
        try await database.execute("CREATE VIEW v AS SELECT id, x FROM t1")
        if dice.roll(2) == 0 {
            let event: SQL = ["INSERT ON t1", "UPDATE ON t1", "DELETE ON t1"][dice.roll(3)]
            let actions: [SQL] = [
                "UPDATE OR IGNORE t2 SET x = x + 3 WHERE id = 2", "DELETE FROM t2 WHERE id = 3",
                "INSERT OR IGNORE INTO t2 VALUES (4, 5, 1)",
                "REPLACE INTO t2 VALUES (4, 5, 1)",
            ]
            let action = actions[dice.roll(4)]
            try await database.execute("CREATE TRIGGER told AFTER \(event) BEGIN \(action); END")
        }
        self.dice = dice
        if isKeyed { try await fill() }
    }

    /// Puts rows there that are found by their keys.
    private func fill() async throws {
        try await database.write { db in
            for table in 0..<3 {
                for id in 0..<8 { try db.execute("INSERT OR IGNORE INTO \(Self.name(table)) (id, x, y) VALUES (\(id), \(id), \(7 - id))") }
            }
            for id in 0..<8 {
                let code = ["a", "b", "c", "A", "0", "1", "2", "3"][id]
                try db.execute("INSERT OR IGNORE INTO codes (id, code, a, b) VALUES (\(id), \(code), \(id), \(id / 2))")
                try db.execute("INSERT INTO keyed VALUES (\(code), \(id))")
            }
        }
    }

    private static func name(_ table: Int) -> SQL { ["t0", "t1", "t2"][table] }
    private static func index(_ table: Int) -> SQL { ["i0", "i1", "i2"][table] }

    private mutating func table() -> SQL { Self.name(dice.roll(3)) }

    private mutating func id() -> Int { dice.roll(8) }

    /// Few enough that unique ones meet.
    private mutating func value() -> Int { dice.roll(10) }

    private mutating func code() -> SQLiteValue {
        switch dice.roll(9) {
        case 0: .null
        case 1: .integer(Int64(dice.roll(4)))
        case 2: .text("\(dice.roll(4))")
        case 3: .real(Double(dice.roll(4)))
        case 4: .text("B")
        default: .text(["a", "b", "c", "A"][dice.roll(4)])
        }
    }

    /// Questions that name rows by other keys than their ids.
    private mutating func keyQuestion() -> SQL {
        let (a, x, c, d) = (table(), id(), code(), code())
        switch dice.roll(26) {
        case 0, 1, 2: return "SELECT * FROM codes WHERE code = \(c)"
        case 3: return "SELECT id FROM codes WHERE code = \(c)"
        case 4: return "SELECT a, b FROM codes WHERE code IN (\(c), \(d)) ORDER BY 1, 2"
        case 5, 6: return "SELECT code FROM codes WHERE a = \(c) AND b = \(d)"
        case 7: return "SELECT p.x FROM codes c JOIN \(a) p ON p.id = c.a WHERE c.code = \(c)"
        case 8: return "SELECT c.code, c.b FROM \(a) p JOIN codes c ON c.id = p.y WHERE p.id = \(x)"
        case 9: return "SELECT q.id, q.b FROM codes p JOIN codes q ON q.code = p.b WHERE p.code = \(c)"
        case 10: return "SELECT q.id FROM codes p LEFT JOIN codes q ON q.a = p.id AND q.b = p.b WHERE p.code = \(c)"
        case 11: return "SELECT count(*) FROM codes WHERE code IS \(c)"
        case 12: return "SELECT id FROM codes WHERE code >= \(c) AND code <= \(d) ORDER BY id"
        case 13: return "SELECT id FROM codes WHERE code = CAST(\(c) AS INTEGER)"
        case 14: return "SELECT id FROM codes WHERE code = \(c) COLLATE NOCASE ORDER BY id"
        case 15:
            return """
                WITH RECURSIVE up (id, x) AS (SELECT id, y FROM \(a) WHERE id = \(x) UNION SELECT p.id, p.y FROM \(a) p JOIN up ON p.id = up.x)
                SELECT * FROM up ORDER BY 1, 2
                """
        case 16: return "SELECT n FROM keyed WHERE code = \(c)"
        case 17: return "SELECT code FROM keyed WHERE n = \(x)"
        case 18: return "SELECT c.id FROM keyed k JOIN codes c ON c.code = k.code WHERE k.n = \(x)"
        case 19: return "SELECT (SELECT x FROM \(a) WHERE id = c.b), c.a FROM codes c WHERE c.code = \(c) OR c.id = \(x)"
        case 20: return "SELECT p.x, r.x FROM t1 p JOIN t0 q ON q.id = p.y JOIN t2 r ON r.id = q.y WHERE p.id = \(x)"
        case 21, 22, 23: return "SELECT count(*), sum(y) FROM \(a) WHERE x >= \(x) AND x <= \(id() + 4)"
        case 24: return "SELECT count(*), sum(y) FROM \(a) WHERE x BETWEEN 2 AND 6"
        default: return "SELECT id FROM codes WHERE a = \(x) AND id = \(id())"
        }
    }

    private mutating func keyWrite() -> SQL {
        let (x, y, c, d) = (id(), id(), code(), code())
        switch dice.roll(10) {
        case 0, 1: return "INSERT OR IGNORE INTO codes (id, code, a, b) VALUES (\(x), \(c), \(code()), \(d))"
        case 2: return "UPDATE OR IGNORE codes SET code = \(c) WHERE id = \(x)"
        case 3: return "UPDATE OR IGNORE codes SET a = \(c), b = \(d) WHERE id = \(x)"
        case 4: return "DELETE FROM codes WHERE id = \(x)"
        case 5: return "UPDATE OR IGNORE codes SET id = \(x) WHERE id = \(y)"
        case 6: return "UPDATE codes SET rowid = \(c) WHERE code = \(d)"
        case 7: return "INSERT OR IGNORE INTO keyed VALUES (\(c), \(x))"
        case 8: return "UPDATE OR IGNORE keyed SET n = \(x) WHERE n = \(y)"
        default: return "UPDATE codes SET b = NULL WHERE code = \(c)"
        }
    }

    private mutating func question() -> SQL {
        if dice.roll(isKeyed ? 2 : 6) == 0 { return keyQuestion() }
        let (a, b, x, y) = (table(), table(), id(), id())
        switch dice.roll(26) {
        case 16: return "SELECT y FROM \(a)"
        case 17: return "SELECT x FROM \(a) WHERE y > \(y) LIMIT 3"
        case 18: return "SELECT count(*) FROM \(a)"
        case 19: return "SELECT p.id FROM \(a) p JOIN \(b) q USING (y)"
        case 20: return "SELECT count(*) FROM \(a) NATURAL JOIN \(b)"
        case 21: return "SELECT * FROM v WHERE id > \(x)"
        case 22: return "SELECT id FROM \(a) ORDER BY y, x"
        case 23: return "SELECT id, (SELECT count(*) FROM \(b) q WHERE q.y = p.id) FROM \(a) p"
        case 24: return "SELECT y, count(*) FROM \(a) GROUP BY y"
        case 25: return "SELECT DISTINCT y FROM \(a) WHERE x > 3"
        case 0, 1, 2: return "SELECT * FROM \(a) WHERE id = \(x)"
        case 3: return "SELECT x, y FROM \(a) WHERE id IN (\(x), \(y), \(id())) ORDER BY x, y"
        case 4: return "SELECT p.x, q.x FROM \(a) p JOIN \(b) q ON q.id = p.y WHERE p.id = \(x)"
        case 5: return "SELECT count(*), sum(x) FROM \(a) WHERE id = \(x) OR id = \(y)"
        case 6: return "SELECT p.x, q.y FROM \(a) p LEFT JOIN \(b) q ON q.id = \(y) WHERE p.id = \(x)"
        case 7: return "SELECT exists (SELECT 1 FROM \(a) WHERE id = \(x)), (SELECT y FROM \(b) WHERE id = \(y))"
        case 8: return "SELECT x FROM \(a) WHERE id = \(x) UNION SELECT y FROM \(b) WHERE id = \(y) ORDER BY 1"
        case 9: return "SELECT id FROM \(a) WHERE x = \(x) ORDER BY id"
        case 10: return "SELECT id FROM \(a) WHERE id BETWEEN \(x) AND \(y) ORDER BY id"
        case 11: return "SELECT x FROM \(a) WHERE id IN (SELECT y FROM \(b) WHERE id = \(x)) ORDER BY x"
        case 12: return "SELECT sum(y) FROM t0 WHERE x = \(partition: x, of: "t0")"
        case 13:
            return "SELECT CASE WHEN \(y) > 3 THEN (SELECT x FROM \(a) WHERE id = \(x)) ELSE (SELECT y FROM \(a) WHERE rowid = \(y)) END"
        case 14:
            return
                "WITH one AS (SELECT * FROM \(a) WHERE id = \(x)) SELECT one.x, p.y FROM one, \(b) p WHERE p.id IN (\(y), 1) ORDER BY 1, 2"
        default: return "SELECT max(x), min(y) FROM \(a) WHERE id = \(x) GROUP BY y HAVING count(*) > 0 ORDER BY 1 LIMIT 3"
        }
    }

    private mutating func write() -> SQL {
        let (a, x, y) = (table(), id(), id())
        if dice.roll(3) == 0 { return keyWrite() }
        switch dice.roll(19) {
        case 0, 1: return "INSERT OR IGNORE INTO \(a) (id, x, y) VALUES (\(x), \(value()), \(y))"
        case 3, 4: return "UPDATE \(a) SET x = \(value()) WHERE id = \(x)"
        case 5: return "UPDATE \(a) SET y = \(y) WHERE id IN (\(x), \(y))"
        case 6: return "UPDATE OR IGNORE \(a) SET id = \(x) WHERE id = \(y)"
        case 7: return "UPDATE OR IGNORE \(a) SET rowid = \(x) WHERE x > \(value())"
        case 8: return "DELETE FROM \(a) WHERE id = \(x)"
        case 9 where !isKeyed: return "DELETE FROM \(a)"
        case 2 where !isKeyed, 10 where !isKeyed: return "REPLACE INTO \(a) (id, x, y) VALUES (\(x), \(value()), \(y))"
        case 11: return "INSERT INTO \(a) (id, x, y) VALUES (\(x), \(value()), \(y)) ON CONFLICT (id) DO UPDATE SET x = x + 7"
        case 2, 9, 10: return "UPDATE OR IGNORE \(a) SET x = \(x) WHERE id = \(y)"
        case 12: return "INSERT INTO \(a) (x, y) VALUES (\(value()), \(y))"
        case 14: return "UPDATE \(a) SET x = \(value()) WHERE id = \(x)"
        case 16, 17: return "UPDATE \(a) SET y = \(y)"
        case 18: return "UPDATE OR IGNORE \(a) SET y = \(y), x = \(value()) WHERE id > \(x)"
        case 15: return "INSERT OR IGNORE INTO \(a) (x, y) SELECT x + 9, y FROM \(table()) LIMIT 3"
        default: return "UPDATE OR IGNORE \(a) SET x = x + 1 WHERE y = \(y)"
        }
    }

    private func answer(_ sql: SQL) async throws -> (text: String, regions: Set<QueryRegion>) {
        let (text, regions) = try await QueryReads.collectingColumns {
            try await database.read { db in
                try db.map(sql) { row in
                    try (0..<row.count).map { String(describing: try row[$0] as SQLiteValue) }.joined(separator: ",")
                }.joined(separator: ";")
            }
        }
        return (text, regions)
    }

    mutating func step() async throws -> Outcome {
        var questions: [(sql: SQL, text: String, regions: Set<QueryRegion>)] = []
        for _ in 0..<6 {
            let sql = question()
            let (text, regions) = try await answer(sql)
            questions.append((sql, text, regions))
        }
        let writes = (0...dice.roll(3)).map { _ in write() }
        changes.withLock { $0 = [] }
        // One that fails undoes them all.
        try? await database.write { db in for sql in writes { try db.execute(sql) } }
        let told = changes.withLock { $0 }.flatMap(\.details).map {
            QueryRegion(source: "db", name: $0.table, partition: $0.partition, row: $0.rowID.map(String.init), columns: $0.columns)
        }
        var outcome = Outcome(write: "\(writes.map(\.text))")
        for question in questions {
            let isTold = question.regions.contains { region in told.contains(where: region.overlaps) }
            let isOfTable = question.regions.contains { region in told.contains { $0.name == nil || $0.name == region.name } }
            let isChanged = try await answer(question.sql).text != question.text
            if isChanged { outcome.changed += 1 }
            if isTold { outcome.told += 1 }
            if isOfTable, !isTold { outcome.spared += 1 }
            if isChanged, !isTold {
                outcome.missed.append("\(question.sql.text) \(question.sql.values): reads \(question.regions), told \(told)")
            }
        }
        return outcome
    }
}
