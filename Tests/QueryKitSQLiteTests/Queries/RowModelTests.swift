import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Random schemas, statements and writes: a read whose result has changed must overlap the changes that the commit reports.
struct RowModelTests {
    /// A value of `QUERYKIT_LONG` other than 1 is the number of seeds.
    private static let seeds =
        ProcessInfo.processInfo.environment["QUERYKIT_LONG"].map { Int($0).flatMap { $0 > 1 ? $0 : nil } ?? 10_000 } ?? 20

    @Test func `D11 no change of a result is missed`() async throws {
        let first = ProcessInfo.processInfo.environment["QUERYKIT_SEED"].flatMap { Int($0) }
        var (changed, reported, byRow, byRange) = (0, 0, 0, 0)
        for seed in first.map({ $0...$0 }) ?? 1...Self.seeds {
            var world = try await RowWorld(seed: seed)
            for step in 1...20 {
                let outcome = try await world.step()
                try #require(outcome.missed == [], "seed \(seed), step \(step): \(outcome.write)")
                changed += outcome.changed
                reported += outcome.reported
                byRow += outcome.spared
                byRange += outcome.sparedByRange
            }
            await world.database.close()
        }
        // Ensures that it does not pass because everything is reported, or nothing happens.
        #expect(changed > 0)
        #expect(byRow > reported / 20, "\(reported) reads were affected, \(byRow) were spared by their rows")
        #expect(byRange > reported / 20, "\(reported) reads were affected, \(byRange) were spared by their ranges")
    }
}

/// A database with a random schema, and queries that are executed again after each write.
private struct RowWorld {
    struct Outcome {
        var write = ""
        /// Queries whose result changed although none of their regions was reported.
        var missed: [String] = []
        var changed = 0
        var reported = 0
        /// Queries that were not affected although one of their tables was written.
        var spared = 0
        /// Those of them that read a range of an index.
        var sparedByRange = 0
    }

    let database: SQLiteDatabase
    private let client = QueryClient.test()
    private var dice: Dice
    /// Whether most rows are found by unique keys, and exist long enough for that.
    private let isKeyed: Bool
    /// Whether most queries read ranges.
    private let isRanged: Bool
    /// Whether most queries join tables with equal column names.
    private let isJoined: Bool
    /// In joined worlds, the column that an index of both tables with equal column names begins with.
    private let joinedColumn: SQL
    private let changes = Lock<[SQLiteChangeSet]>([])
    private let subscription: QuerySubscription

    init(seed: Int) async throws {
        var dice = Dice(seed: seed)
        isKeyed = seed.isMultiple(of: 2)
        isRanged = seed.isMultiple(of: 3)
        isJoined = seed % 3 == 1
        joinedColumn = dice.pick(["day", "day", "trip", "note"])
        // In a file, readers have connections of their own.
        database = try await SQLiteDatabase.make(seed.isMultiple(of: 16) ? .temporary : .inMemory) { configuration in
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
            try await database.execute("CREATE TRIGGER reported AFTER \(event) BEGIN \(action); END")
        }
        if dice.roll(12) == 0 {
            try await database.execute("CREATE TEMP TRIGGER hidden AFTER UPDATE ON main.t1 BEGIN REPLACE INTO t2 VALUES (4, 5, 1); END")
        }
        self.dice = dice
        try await makeRanges()
        if isKeyed { try await fill() }
    }

    /// Tables with indexes whose ranges are read.
    private mutating func makeRanges() async throws {
        let typeNumber = dice.roll(6)
        let type: SQL = ["INTEGER", "INTEGER", "TEXT", "REAL", "", "NUMERIC"][typeNumber]
        let action: SQL = ["CASCADE", "SET NULL"][dice.roll(2)]
        let columns: SQL = "id INTEGER PRIMARY KEY, trip INTEGER REFERENCES t0 (id) ON DELETE \(action) ON UPDATE CASCADE, day \(type)"
        let collation: SQL = ["BINARY", "BINARY", "NOCASE"][dice.roll(3)]
        try await database.execute("CREATE TABLE events (\(columns), note TEXT COLLATE \(collation), \"rowid\")")
        let indexes: [SQL] = [
            "(day)", "(day)", "(trip, day)", "(trip, day)", "(trip)", "(note)", "(note, day)", "(day DESC)", "(trip, day DESC, note)",
            "(day, id)",
            "(day) WHERE day > 3", "(note COLLATE BINARY)", "(day, trip, note)",
        ]
        for number in 0..<2 + dice.roll(2) {
            let name: SQL = ["e0", "e1", "e2"][number]
            try await database.execute("CREATE INDEX \(name) ON events \(indexes[dice.roll(indexes.count)])")
        }
        // Other tables with columns of the same names. A statement that fails in a strict table leaves rows.
        let strict: SQL = typeNumber < 4 && dice.roll(2) == 0 ? " STRICT" : ""
        try await database.execute("CREATE TABLE extras (id INTEGER PRIMARY KEY, trip INTEGER, day \(type), note TEXT)\(strict)")
        if isJoined {
            for table in ["events", "extras"] as [SQL] {
                let more: SQL = dice.pick(["", "", ", id", ", note", ", day"])
                try await database.execute("CREATE INDEX joined_\(table) ON \(table) (\(joinedColumn)\(more))")
            }
        }
        if isJoined || dice.roll(3) > 0 { try await database.execute("CREATE INDEX x0 ON extras \(indexes[dice.roll(indexes.count)])") }
        let slotKey: SQL = ["day, id", "id", "trip, day, id", "id, day"][dice.roll(4)]
        try await database.execute(
            "CREATE TABLE slots (id INTEGER, trip INTEGER, day \(type), note TEXT, PRIMARY KEY (\(slotKey))) WITHOUT ROWID"
        )
        if dice.roll(2) == 0 { try await database.execute("CREATE INDEX s0 ON slots \(indexes[dice.roll(indexes.count)])") }
        let key: SQL = ["a, b", "b, a", "a DESC, b", "a COLLATE NOCASE, b"][dice.roll(4)]
        try await database.execute("CREATE TABLE pairs (a TEXT, b INTEGER, n INTEGER, PRIMARY KEY (\(key))) WITHOUT ROWID")
        if dice.roll(2) == 0 { try await database.execute("CREATE INDEX p0 ON pairs (n)") }
        if dice.roll(3) == 0 {
            let triggers: [SQL] = [
                "BEFORE UPDATE ON events WHEN NEW.day = 3 BEGIN SELECT RAISE(IGNORE); END",
                "AFTER UPDATE ON events WHEN NEW.day > 2 BEGIN SELECT RAISE(IGNORE); END",
                "AFTER INSERT ON events WHEN NEW.trip = 2 BEGIN SELECT RAISE(IGNORE); END",
                "AFTER DELETE ON pairs WHEN OLD.b = 2 BEGIN SELECT RAISE(IGNORE); END",
                "BEFORE UPDATE ON events BEGIN UPDATE events SET day = 7 WHERE id = NEW.id + 1; END",
                "BEFORE DELETE ON events BEGIN UPDATE events SET day = 5 WHERE id IN (OLD.id, OLD.id + 1); END",
                "AFTER INSERT ON events BEGIN INSERT OR IGNORE INTO pairs VALUES (NEW.note, NEW.trip, NEW.day); END",
                "AFTER UPDATE ON t0 BEGIN UPDATE events SET day = NEW.x WHERE trip = NEW.id; END",
                "AFTER DELETE ON events BEGIN DELETE FROM pairs WHERE b = OLD.trip; END",
            ]
            try await database.execute("CREATE TRIGGER ranged \(triggers[dice.roll(triggers.count)])")
        }
        try await database.write { db in
            for id in 0..<4 { try db.execute("INSERT OR IGNORE INTO t0 (id, x, y) VALUES (\(id), \(id), \(id))") }
            for id in 0..<8 {
                let note = ["a", "b", "ab", "A", "c", "B", "ba", ""][id]
                try db.execute("INSERT INTO events (id, trip, day, note) VALUES (\(id), \(id / 2), \(id), \(note))")
                try db.execute("INSERT OR IGNORE INTO pairs VALUES (\(note), \(id / 2), \(id))")
                if id.isMultiple(of: 2) { try db.execute("INSERT INTO extras VALUES (\(id), \(id / 3), \(7 - id), \(note))") }
                if id.isMultiple(of: 3) { try db.execute("INSERT INTO slots VALUES (\(id), \(id / 3), \(id), \(note))") }
            }
        }
    }

    /// Inserts rows that are found by their keys.
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

    /// Few enough that unique keys collide.
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

    /// Queries that find rows by keys other than their ids.
    private mutating func keyQuery() -> SQL {
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

    /// A value for a range; mostly one that is compared without conversion.
    private mutating func bound() -> SQLiteValue {
        switch dice.roll(12) {
        case 0: .null
        case 1: .real(Double(dice.roll(16)) / 2)
        case 2: .text("\(dice.roll(8))")
        case 3: .blob(Data([UInt8(dice.roll(3))]))
        default: .integer(Int64(dice.roll(8)))
        }
    }

    private mutating func note() -> SQLiteValue {
        dice.roll(10) == 0 ? code() : .text(["a", "b", "ab", "A", "c", "B", "ba", ""][dice.roll(8)])
    }

    /// Queries that read ranges of an index.
    private mutating func rangeQuery() -> SQL {
        let (i, j, v, w, n, m) = (id(), id(), bound(), bound(), note(), note())
        // SQLite prepares a statement again each time a pattern is bound.
        let pattern = ["a%", "%b", "b", ""][dice.roll(4)]
        switch dice.roll(39) {
        case 0, 1: return "SELECT * FROM events WHERE day BETWEEN \(v) AND \(w) ORDER BY id"
        case 2: return "SELECT id, note FROM events WHERE day = \(v) ORDER BY id"
        case 3: return "SELECT id FROM events WHERE day > \(v) AND day < \(w) ORDER BY id"
        case 4: return "SELECT id, trip FROM events WHERE day >= \(v) AND day < \(w) ORDER BY day DESC, id"
        case 5: return "SELECT id FROM events WHERE day < \(v) ORDER BY id"
        case 6: return "SELECT id FROM events WHERE day >= \(v) ORDER BY day, id LIMIT 2"
        case 7: return "SELECT id FROM events WHERE day <= \(v) ORDER BY day DESC, id LIMIT 2"
        case 8, 9: return "SELECT id, note FROM events WHERE trip = \(i) AND day BETWEEN \(v) AND \(w) ORDER BY id"
        case 10: return "SELECT count(*), max(note) FROM events WHERE trip = \(i) AND day > \(v)"
        case 11: return "SELECT id FROM events WHERE trip = \(i) AND day = \(v) ORDER BY id"
        case 12: return "SELECT max(day) FROM events WHERE trip = \(i)"
        case 13: return "SELECT min(day) FROM events WHERE day > \(v)"
        case 14: return "SELECT id, note FROM events WHERE trip IN (\(i), \(j)) AND day > \(v) ORDER BY id"
        case 15: return "SELECT id FROM events WHERE day IN (\(v), \(w), \(i)) ORDER BY id"
        case 16: return "SELECT day, count(*), sum(trip) FROM events WHERE day BETWEEN \(v) AND \(w) GROUP BY day ORDER BY day DESC"
        case 17: return "SELECT id FROM events WHERE note >= \(n) AND note < \(m) ORDER BY id"
        case 18: return "SELECT id FROM events WHERE note GLOB 'a*' ORDER BY id"
        case 19: return "SELECT id FROM events WHERE note LIKE 'a%' ORDER BY id"
        case 20: return "SELECT p.x, e.day FROM t0 p JOIN events e ON e.trip = p.id WHERE p.id = \(i) ORDER BY e.id"
        case 21: return "SELECT p.id, e.note FROM t1 p LEFT JOIN events e ON e.day = p.y WHERE p.id = \(i) ORDER BY e.id"
        case 22: return "SELECT e.id, f.id FROM events e JOIN events f ON f.day = e.trip WHERE e.id = \(i) ORDER BY f.id"
        case 23: return "SELECT (SELECT count(*) FROM events WHERE trip = p.id), p.x FROM t0 p WHERE p.id IN (\(i), \(j)) ORDER BY p.id"
        case 24: return "SELECT id FROM events WHERE day IS \(v) ORDER BY id"
        case 25: return "SELECT id FROM events WHERE (trip, day) > (\(i), \(v)) ORDER BY id"
        case 26: return "SELECT id FROM events WHERE day = \(v) UNION SELECT id FROM events WHERE trip = \(i) ORDER BY 1"
        case 27: return "SELECT id FROM events WHERE day = \(v) OR note = \(n) ORDER BY id"
        case 28:
            return "SELECT id FROM events WHERE id = \(i) UNION ALL SELECT trip FROM events WHERE day > \(v) AND day <= \(w) ORDER BY 1"
        case 29: return "SELECT id FROM events WHERE day >= CAST(\(v) AS INTEGER) ORDER BY id"
        case 30: return "SELECT n FROM pairs WHERE a = \(n) AND b = \(i)"
        case 31: return "SELECT b, n FROM pairs WHERE a = \(n) ORDER BY b"
        case 32: return "SELECT count(*), sum(n) FROM pairs WHERE a = \(n) AND b > \(i)"
        case 33: return "SELECT n FROM pairs WHERE a >= \(n) AND a <= \(m) ORDER BY a, b"
        case 34: return "SELECT count(*) FROM pairs WHERE n BETWEEN \(v) AND \(w)"
        case 35: return "SELECT id FROM events WHERE note LIKE \(pattern) ORDER BY id"
        case 36: return "SELECT x, day FROM t0 JOIN events e ON trip = t0.id WHERE t0.id = \(i) AND note LIKE \(pattern) ORDER BY e.id"
        // SQLite doesn't report a table if only its column in USING is read.
        case 37: return "SELECT p.x FROM t0 p JOIN t1 USING (id) WHERE p.y <= \(i) AND p.x LIKE \(pattern) ORDER BY p.id"
        default: return "SELECT exists (SELECT 1 FROM events WHERE trip = \(i) AND day >= \(v) AND note = \(n))"
        }
    }

    /// A table of a join, with the names of its columns. The first three tables have equal names.
    private struct Joined {
        let table: SQL
        var id: SQL = "id"
        var trip: SQL = "trip"
        var day: SQL = "day"
        var note: SQL = "note"

        static let all = [
            Joined(table: "events"), Joined(table: "extras"), Joined(table: "slots"), Joined(table: "events"), Joined(table: "extras"),
            Joined(table: "events"), Joined(table: "extras"),
            Joined(table: "t0", trip: "y", day: "x", note: "y"), Joined(table: "codes", trip: "a", day: "b", note: "code"),
            Joined(table: "pairs", id: "b", trip: "b", day: "n", note: "a"),
        ]
    }

    /// Queries that find the rows of one table by the ids of a range of another table, often in an index with all columns that they read.
    private mutating func idJoinQuery() -> SQL {
        let pair: [SQL] = dice.pick([
            ["events", "extras"], ["events", "extras"], ["extras", "events"], ["extras", "events"], ["events", "events"],
            ["slots", "extras"],
        ])
        let (first, second) = ("\(pair[0]) p" as SQL, "\(pair[1]) q" as SQL)
        let (i, j) = (id(), id())
        let column: SQL = "p.\(joinedColumn)"
        let (low, high) = joinedColumn.text == "note" ? (note(), note()) : (.integer(Int64(min(i, j))), .integer(Int64(max(i, j))))
        let condition: SQL = dice.pick([
            "\(column) BETWEEN \(low) AND \(high)", "\(column) >= \(low)", "\(column) < \(high)", "\(column) = \(low)",
            "\(column) = \(low) OR \(column) = \(high)", "\(column) IN (\(low), \(high))",
        ])
        let join: SQL = dice.pick(["CROSS JOIN", "CROSS JOIN", "JOIN", "LEFT JOIN"])
        let result: SQL = dice.pick(["count(*)", "count(q.id)", "count(q.note)", "sum(q.day)", "max(p.id), count(q.id)"])
        let match: SQL = dice.pick(["q.id = p.id", "q.id = p.id", "q.id = p.id", "q.id = p.id AND q.note >= ''", "q.id = \(column)"])
        // The same table is also read as a whole.
        if dice.roll(8) == 0 { return "SELECT count(*), (SELECT count(q.note) FROM \(pair[0]) q) FROM \(first) WHERE \(condition)" }
        return dice.roll(4) == 0
            ? "SELECT \(result) FROM \(second), t0 p WHERE q.id IN (SELECT p.id FROM \(first) WHERE \(condition)) AND p.id = 1"
            : "SELECT \(result) FROM \(first) \(join) \(second) ON \(match) WHERE \(condition)"
    }

    /// Changes of rows that joins find by their ids: most of these rows are outside of the ranges in the other table.
    private mutating func idJoinWrite() -> SQL {
        let table: SQL = dice.pick(["events", "extras", "extras"])
        let (i, j, n) = (id(), id(), note())
        return dice.pick([
            "DELETE FROM \(table) WHERE id = \(i)", "DELETE FROM \(table) WHERE id = \(i)",
            "INSERT OR IGNORE INTO \(table) (id, trip, day, note) VALUES (\(i), NULL, 40, '~')",
            "INSERT OR IGNORE INTO \(table) (id, trip, day, note) VALUES (\(i), NULL, NULL, NULL)",
            "INSERT OR IGNORE INTO \(table) (id, trip, day, note) VALUES (\(i), \(i / 2), \(j), \(n))",
            "UPDATE \(table) SET trip = \(i / 2), day = \(j), note = \(n) WHERE id = \(i)",
        ])
    }

    /// Queries in which a row of one table leads to rows of another table, or of the same one.
    private mutating func joinQuery() -> SQL {
        let (p, q) = (dice.pick(Joined.all), dice.pick(Joined.all))
        let (i, j, v, w, n) = (id(), id(), bound(), bound(), note())
        let (day, trip, note): (SQL, SQL, SQL) = ("p.\(p.day)", "p.\(p.trip)", "p.\(p.note)")
        let condition: SQL = dice.pick([
            "\(day) BETWEEN \(v) AND \(w)", "\(day) BETWEEN \(min(i, j)) AND \(max(i, j))", "\(day) = \(v)", "\(day) > \(v)",
            "\(trip) = \(i)", "\(trip) = \(i) AND \(day) >= \(v)", "\(note) = \(n)", "\(note) >= \(n)", "p.\(p.id) = \(i)",
            "p.\(p.id) IN (\(i), \(j))", "\(day) = \(i) OR \(note) = \(n)",
        ])
        let match: SQL = dice.pick([
            "q.\(q.id) = p.\(p.id)", "q.\(q.id) = p.\(p.id)", "q.\(q.id) = p.\(p.id)", "q.\(q.id) = \(trip)", "q.\(q.day) = \(day)",
            "q.\(q.trip) = p.\(p.id)", "q.\(q.note) = \(note)", "q.\(q.id) = p.\(p.id) AND q.\(q.day) > \(i)",
            "q.\(q.id) = p.\(p.id) OR q.\(q.day) = \(day)",
        ])
        // An index that contains all columns is read without its table.
        let result: SQL = dice.pick([
            "count(*), 0", "count(q.\(q.id)), 0", "q.\(q.id), q.\(q.day)", "p.\(p.id), q.\(q.note)", "\(day), q.\(q.day)",
            "\(note), q.\(q.trip)",
        ])
        let (first, second): (SQL, SQL) = ("\(p.table) p", "\(q.table) q")
        switch dice.roll(10) {
        case 0: return "SELECT \(result) FROM \(first) LEFT JOIN \(second) ON \(match) WHERE \(condition) ORDER BY 1, 2"
        case 1:
            return "SELECT count(*), sum(q.\(q.id)) FROM \(second) WHERE EXISTS (SELECT 1 FROM \(first) WHERE \(match) AND \(condition))"
        case 2:
            return "SELECT count(*), max(q.\(q.day)) FROM \(second) WHERE q.\(q.id) IN (SELECT p.\(p.id) FROM \(first) WHERE \(condition))"
        case 3:
            return "SELECT \(day), (SELECT max(q.\(q.day)) FROM \(second) WHERE \(match)) FROM \(first) WHERE \(condition) ORDER BY 1, 2"
        case 4:
            let r = dice.pick(Joined.all)
            return """
                SELECT p.\(p.id), q.\(q.id), r.\(r.day) FROM \(first) CROSS JOIN \(second) ON \(match)
                CROSS JOIN \(r.table) r ON r.\(r.id) = q.\(q.id) WHERE \(condition) ORDER BY 1, 2, 3
                """
        case 5, 6: return "SELECT \(result) FROM \(first) JOIN \(second) ON \(match) WHERE \(condition) ORDER BY 1, 2"
        // The order in which the tables are read is the written one.
        default: return "SELECT \(result) FROM \(first) CROSS JOIN \(second) ON \(match) WHERE \(condition) ORDER BY 1, 2"
        }
    }

    /// Changes of the tables whose column names are equal.
    private mutating func joinedWrite() -> SQL {
        let table: SQL = ["extras", "extras", "slots", "events"][dice.roll(4)]
        let (i, j, v, n) = (id(), id(), bound(), note())
        switch dice.roll(11) {
        case 7: return "INSERT INTO \(table) (id, trip, day, note) VALUES (\(i), \(j), \(i), \(n)), (\(j), \(i), \(v), \(n))"
        case 8: return "INSERT OR FAIL INTO \(table) (id, trip, day, note) VALUES (\(i), \(j), \(v), \(n)), (\(j), \(i), \(i), \(n))"
        case 9: return "UPDATE OR FAIL \(table) SET id = \(i), day = iif(id < \(j), \(i), \(v))"
        case 0, 1, 2: return "INSERT OR IGNORE INTO \(table) (id, trip, day, note) VALUES (\(i), \(dice.roll(4)), \(v), \(n))"
        case 3: return "UPDATE OR IGNORE \(table) SET day = \(v) WHERE id = \(i)"
        case 4: return "UPDATE \(table) SET note = \(n) WHERE id = \(i)"
        case 5: return "UPDATE OR IGNORE \(table) SET id = \(i) WHERE id = \(j)"
        case 6: return "UPDATE OR IGNORE \(table) SET trip = \(dice.roll(4)) WHERE day = \(v)"
        default: return "DELETE FROM \(table) WHERE id = \(i)"
        }
    }

    private mutating func rangeWrite() -> SQL {
        let (i, j, v, w, n) = (id(), id(), bound(), bound(), note())
        switch dice.roll(24) {
        case 0, 1, 2: return "INSERT OR IGNORE INTO events (id, trip, day, note) VALUES (\(9 + i), \(dice.roll(4)), \(v), \(n))"
        case 3, 4: return "UPDATE events SET day = \(v) WHERE id = \(i)"
        case 5: return "UPDATE events SET note = \(n) WHERE id IN (\(i), \(j))"
        case 6: return "UPDATE OR IGNORE events SET trip = \(dice.roll(4)) WHERE day = \(v)"
        case 7: return "UPDATE events SET day = day + 1 WHERE trip = \(i)"
        case 8: return "UPDATE OR IGNORE events SET id = \(9 + i) WHERE id = \(j)"
        case 9: return "DELETE FROM events WHERE day BETWEEN \(v) AND \(w)"
        case 10: return "DELETE FROM events WHERE id = \(i)"
        case 11: return dice.roll(4) == 0 ? "DELETE FROM events" : "DELETE FROM events WHERE trip = \(i)"
        case 12: return "DELETE FROM t0 WHERE id = \(dice.roll(4))"
        case 13: return "UPDATE OR IGNORE t0 SET id = \(i) WHERE id = \(j)"
        case 14:
            return """
                INSERT INTO events (id, trip, day, note) VALUES (\(i), \(dice.roll(4)), \(v), \(n))
                ON CONFLICT (id) DO UPDATE SET day = excluded.day, note = excluded.note
                """
        case 15: return "INSERT INTO events (trip, day, note) SELECT trip, day, note FROM events WHERE id < \(i) LIMIT 3"
        case 16: return "UPDATE events SET rowid = \(v) WHERE id = \(i)"
        case 17:
            return dice.roll(4) == 0
                ? "REPLACE INTO events (id, trip, day) VALUES (\(i), 1, \(v))" : "UPDATE t0 SET x = x + 30 WHERE id = \(i)"
        case 18, 19: return "INSERT OR IGNORE INTO pairs VALUES (\(n), \(i), \(v))"
        case 20: return "UPDATE pairs SET n = \(v) WHERE a = \(n)"
        case 21: return "UPDATE OR IGNORE pairs SET b = \(i) WHERE b = \(j)"
        case 22: return dice.roll(4) == 0 ? "DELETE FROM pairs" : "DELETE FROM pairs WHERE a = \(n)"
        default:
            switch dice.roll(8) {
            case 0: return "DROP INDEX IF EXISTS e0"
            case 1: return "CREATE INDEX IF NOT EXISTS e0 ON events (day)"
            default: return "INSERT INTO pairs VALUES (\(n), \(i), \(v)) ON CONFLICT DO UPDATE SET n = 5"
            }
        }
    }

    private mutating func query() -> SQL {
        if isJoined, dice.roll(8) > 0 { return dice.roll(2) == 0 ? idJoinQuery() : joinQuery() }
        if dice.roll(isRanged ? 8 : 40) > (isRanged ? 1 : 38) { return dice.roll(4) == 0 ? joinQuery() : rangeQuery() }
        if dice.roll(isKeyed ? 2 : 6) == 0 { return keyQuery() }
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
        if isJoined, dice.roll(8) > 1 { return dice.roll(2) == 0 ? idJoinWrite() : joinedWrite() }
        if dice.roll(isRanged ? 8 : 40) > (isRanged ? 1 : 38) { return dice.roll(3) == 0 ? joinedWrite() : rangeWrite() }
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

    /// Changes of the schema that decide what a write reports.
    private mutating func schemaChange() -> SQL {
        switch dice.roll(8) {
        case 0, 1: "DROP TRIGGER IF EXISTS reported"
        case 2: "DROP TRIGGER IF EXISTS temp.hidden"
        case 3: "CREATE TRIGGER IF NOT EXISTS reported AFTER UPDATE ON t0 BEGIN REPLACE INTO t1 (id, x, y) VALUES (3, 4, 1); END"
        case 4: "CREATE TEMP TRIGGER IF NOT EXISTS hidden AFTER INSERT ON main.t0 BEGIN REPLACE INTO t1 (id, x, y) VALUES (3, 4, 1); END"
        case 5: "DROP INDEX IF EXISTS e0"
        case 6: "ALTER TABLE events ADD COLUMN extra"
        default: "CREATE INDEX IF NOT EXISTS added ON events (day, trip)"
        }
    }

    /// Changes the schema and writes and reads in it, and then undoes all of it, or only the change of the schema.
    private mutating func undoSchemaChange() async {
        let (change, write, read, isPartial) = (schemaChange(), write(), query(), dice.roll(4) == 0)
        let attempt: @Sendable (SQLiteWriteTransaction) throws -> Void = { db in
            try db.execute(change)
            _ = try? db.execute(write)
            try? db.forEach(read) { _ in }
            throw CancellationError()
        }
        try? await database.write { db in
            if isPartial { try? db.savepoint { try attempt(db) } } else { try attempt(db) }
        }
    }

    private func result(of sql: SQL) async throws -> (text: String, regions: Set<QueryRegion>) {
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
        if dice.roll(60) == 0 { try? await database.execute(schemaChange()) }
        if dice.roll(12) == 0 { await undoSchemaChange() }
        var queries: [(sql: SQL, text: String, regions: Set<QueryRegion>)] = []
        for number in 0..<(isJoined ? 14 : 6) {
            let sql = number < 6 ? query() : idJoinQuery()
            let (text, regions) = try await result(of: sql)
            queries.append((sql, text, regions))
        }
        if dice.roll(12) == 0 { await undoSchemaChange() }
        // A single change of one row reveals a read that doesn't depend on it.
        let writes = isJoined && dice.roll(4) > 0 ? [idJoinWrite()] : (0...dice.roll(3)).map { _ in write() }
        changes.withLock { $0 = [] }
        // If one statement fails, all are undone, unless its error is caught.
        let catches = dice.roll(3) == 0
        let undone = dice.roll(isJoined ? 12 : 4) == 0 ? write() : nil
        try? await database.write { db in
            for sql in writes {
                if catches { _ = try? db.execute(sql) } else { try db.execute(sql) }
            }
            guard let undone else { return }
            try? db.savepoint {
                try db.execute(undone)
                throw CancellationError()
            }
        }
        let reported = changes.withLock { $0 }.flatMap(\.details).map { QueryRegion(source: "db", $0) }
        var outcome = Outcome(write: "\(writes.map(\.text))")
        for query in queries {
            let isReported = query.regions.contains { region in reported.contains(where: region.overlaps) }
            let isOfTable = query.regions.contains { region in reported.contains { $0.name == nil || $0.name == region.name } }
            let isChanged = try await result(of: query.sql).text != query.text
            if isChanged { outcome.changed += 1 }
            if isReported { outcome.reported += 1 }
            if isOfTable, !isReported { outcome.spared += 1 }
            if isOfTable, !isReported, query.regions.contains(where: { $0.keys != nil }) { outcome.sparedByRange += 1 }
            if isChanged, !isReported {
                outcome.missed.append("\(query.sql.text) \(query.sql.values): reads \(query.regions), reported \(reported)")
            }
        }
        return outcome
    }
}
