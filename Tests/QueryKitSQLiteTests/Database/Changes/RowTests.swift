import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Which rows a statement depends on, and which ones a commit has changed.
struct RowTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT UNIQUE, b INTEGER);
        CREATE INDEX a_b ON a (b);
        CREATE TABLE b (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TABLE plain (v TEXT);
        CREATE TABLE w (k INTEGER PRIMARY KEY, v) WITHOUT ROWID;
        CREATE VIEW latest AS SELECT id, v FROM a;
        CREATE TABLE day (id INTEGER PRIMARY KEY, day TEXT);
        CREATE VIRTUAL TABLE words USING fts5 (v, content = 'b', content_rowid = 'id');
        """

    private func reads(_ sql: SQL) async throws -> [String] {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { configuration in
            configuration.name = "db"
            configuration.partitions = [SQLitePartition(table: "day", column: "day")]
        }
        let client = QueryClient.test()
        client.connect(to: database)
        let (_, regions) = try await QueryReads.collecting { try await database.read { db in try db.forEach(sql) { _ in } } }
        await database.close()
        return regions.map { $0.unredacted.replacing("db/", with: "") }.sorted()
    }

    @Test(
        arguments: [
            ("SELECT * FROM a WHERE id = \(7)", ["a#7"]),
            ("SELECT v FROM a WHERE rowid = \(7) AND v <> \("x")", ["a#7"]),
            ("SELECT v FROM a WHERE id = 7", ["a#7"]),
            ("SELECT v FROM a WHERE id = 9007199254740993", ["a#9007199254740993"]),
            ("SELECT v FROM a WHERE id IN (\(1), \(2), \(3)) ORDER BY v", ["a#1", "a#2", "a#3"]),
            ("SELECT v FROM a WHERE id = \(1) OR id = \(2)", ["a#1", "a#2"]),
            ("SELECT count(*), max(v) FROM a WHERE id IN (\(1), \(2)) AND b > \(5)", ["a#1", "a#2"]),
            ("SELECT exists (SELECT 1 FROM a WHERE id = \(4)), (SELECT v FROM b WHERE id = \(5))", ["a#4", "b#5"]),
            ("SELECT x.v, y.v FROM a x, a y WHERE x.id = \(1) AND y.id = \(2)", ["a#1", "a#2"]),
            ("SELECT v FROM a WHERE id = \(1) UNION ALL SELECT v FROM b WHERE id = \(2)", ["a#1", "b#2"]),
            ("SELECT v FROM plain WHERE rowid = \(3)", ["plain#3"]),
            ("SELECT v FROM a WHERE id = \(nil as Int?)", []),
            ("SELECT x.v FROM a x JOIN a y ON y.id = x.b WHERE x.id = \(1)", ["a#1"]),
            ("SELECT b.v FROM a JOIN b ON b.id = a.b WHERE a.id = \(1)", ["a#1"]),
            ("SELECT day FROM day WHERE id = \(3)", ["day#3"]),
            (
                "SELECT b.v FROM a JOIN day ON day.day = \(partition: "mon", of: "day") JOIN b ON 1 WHERE a.id = \(1)",
                ["a#1", "b", "day/mon"]
            ),
        ] as [(SQL, [String])]
    )
    func `D11 a read by row id depends on its rows`(_ sql: SQL, _ expected: [String]) async throws {
        #expect(try await reads(sql) == expected)
    }

    @Test(
        arguments: [
            ("SELECT * FROM a", ["a"]), ("SELECT count(*) FROM a", ["a"]), ("SELECT max(id) FROM a", ["a"]),
            ("SELECT v FROM a WHERE id > \(7)", ["a"]),
            ("SELECT v FROM a WHERE id <> \(7)", ["a"]),
            ("SELECT v FROM a WHERE id = \(1) + 1", ["a"]),
            ("SELECT v FROM a WHERE id = -\(1)", ["a"]),
            ("SELECT v FROM a WHERE id = abs(\(1))", ["a"]),
            ("SELECT v FROM a WHERE id = \("7")", ["a"]),
            ("SELECT v FROM a WHERE id = \(7.0)", ["a"]),
            ("SELECT v FROM a WHERE id = \(1) OR v = \("x")", ["a"]),
            ("SELECT v FROM a WHERE id IN (SELECT b FROM a)", ["a"]),
            ("SELECT v FROM a WHERE id IN (SELECT id FROM b WHERE v = \("x"))", ["a", "b"]),
            ("SELECT v FROM a WHERE id = (SELECT max(id) FROM a)", ["a"]),
            ("SELECT v FROM latest WHERE id = \(1)", ["a#1", "latest"]),
            ("SELECT words.v FROM words WHERE words MATCH \("x")", ["b", "words"]),
            ("SELECT words.v FROM words WHERE rowid = \(1)", ["b", "words"]),
            ("WITH RECURSIVE up (id) AS (SELECT \(1) UNION SELECT a.b FROM a JOIN up ON a.id = up.id) SELECT id FROM up", ["a"]),
        ] as [(SQL, [String])]
    )
    func `D11 any other read depends on the table`(_ sql: SQL, _ expected: [String]) async throws {
        #expect(try await reads(sql) == expected)
    }

    @Test func `D11 many rows of one table are treated as the whole table`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.name = "db" }
        QueryClient.test().connect(to: database)
        let (_, regions) = try await QueryReads.collecting {
            try await database.read { db in for id in 0..<1_000 { _ = try db.value(String.self, "SELECT v FROM a WHERE id = \(id)") } }
        }
        #expect(regions.map(\.unredacted) == ["db/a"])
        await database.close()
    }
}

/// The rows that a commit reports.
struct WrittenRowTests {
    private static let schema: StaticString = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT UNIQUE, n INTEGER);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE one (a INTEGER PRIMARY KEY REFERENCES a (id) ON UPDATE CASCADE);
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE log (id INTEGER PRIMARY KEY, t TEXT);
        CREATE TRIGGER reported AFTER UPDATE OF n ON a BEGIN INSERT INTO log (t) VALUES (NEW.n); END;
        CREATE VIRTUAL TABLE f USING fts5(text);
        INSERT INTO a VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
        INSERT INTO b VALUES (10, 1), (11, 1), (12, 2);
        """

    private func written(_ statements: [SQL]) async throws -> SQLiteChangeSet {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        let received = Lock<[SQLiteChangeSet]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change) } }
        defer { subscription.cancel() }
        try await database.write { db in for sql in statements { try db.execute(sql) } }
        await database.close()
        return try #require(received.withLock { $0.last })
    }

    @Test(
        arguments: [
            (["INSERT INTO a (id, v) VALUES (7, 'x')"], "a", [7]),
            (["UPDATE a SET v = 'x' WHERE id = 2"], "a", [2]),
            (["UPDATE a SET n = n + 1 WHERE id > 1"], "a", [2, 3]),
            (["UPDATE a SET n = n + 1 WHERE id > 1"], "log", [1, 2]),
            (["DELETE FROM a WHERE id = 1"], "a", [1]),
            (["DELETE FROM a WHERE id = 1"], "b", [10, 11]),
            (["INSERT INTO a VALUES (1, 'x', 5) ON CONFLICT (id) DO UPDATE SET n = excluded.n"], "a", [1]),
            (["INSERT OR IGNORE INTO a VALUES (1, 'x', 5), (9, 'y', 6)"], "a", [9]),
            (["UPDATE a SET v = 'x' WHERE id = 2", "INSERT INTO w VALUES ('k', 1)", "DELETE FROM a WHERE id = 3"], "a", [2, 3]),
            (["INSERT INTO f VALUES ('x')", "UPDATE a SET v = 'x' WHERE id = 2"], "a", [2]),
            (["UPDATE a SET v = 'x' WHERE id = 2"], "b", []),
        ] as [([SQL], String, Set<Int64>)]
    )
    func `D11 a commit reports the rows it changed`(_ statements: [SQL], _ table: String, _ expected: Set<Int64>) async throws {
        let change = try await written(statements)
        #expect(change.rowIDs(of: table) == expected)
        #expect(change.rowIDs(of: table.uppercased()) == expected)
        for id in 1...12 as ClosedRange<Int64> {
            #expect(change.concerns(SQLiteRegion(table: table, rowID: id)) == expected.contains(id))
        }
    }

    @Test(
        arguments: [
            // The table is emptied at once, without visiting the rows.
            (["DELETE FROM log"], "log"),
            // The old key is not reported.
            (["UPDATE a SET id = 20 WHERE id = 3"], "a"), (["UPDATE log SET rowid = 5 WHERE rowid = 1"], "log"),
            (["UPDATE a SET id = 20 WHERE id = 1"], "b"),
            (["INSERT INTO one VALUES (3)", "UPDATE a SET id = 20 WHERE id = 3"], "one"),
            (["INSERT INTO a VALUES (1, 'x', 5) ON CONFLICT (id) DO UPDATE SET id = 30"], "a"),
            // The deleted row is not reported.
            (["REPLACE INTO a VALUES (5, 'one', 1)"], "a"), (["UPDATE OR REPLACE a SET v = 'two' WHERE id = 1"], "a"),
            (["INSERT OR REPLACE INTO a VALUES (5, 'one', 1)"], "b"),
            // No row ids, or values that are not ids of rows.
            (["INSERT INTO w VALUES ('k', 1)"], "w"), (["INSERT INTO f VALUES ('x')"], "f"),
            // Too many.
            (["WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO a (id) SELECT i FROM n"], "a"),
            (["CREATE TABLE new (id INTEGER PRIMARY KEY)"], "new"),
        ] as [([SQL], String)]
    )
    func `D11 a commit that can't report its rows concerns all rows of the table`(_ statements: [SQL], _ table: String) async throws {
        let setup: [SQL] = table == "log" ? ["UPDATE a SET n = 5"] : []
        // Earlier rows of the same commit are replaced by the whole table.
        let change = try await written(setup + statements)
        if change.concerns(table: table) {
            #expect(change.rowIDs(of: table) == nil)
            #expect(change.concerns(SQLiteRegion(table: table, rowID: 999)))
        } else {
            Issue.record("\(change) does not concern \(table)")
        }
    }

    @Test(
        arguments: [
            "CREATE TABLE r (id INTEGER PRIMARY KEY, v UNIQUE ON CONFLICT REPLACE)",
            "CREATE TRIGGER replacing AFTER INSERT ON log BEGIN REPLACE INTO a VALUES (5, 'one', 1); END",
        ] as [SQL]
    )
    func `D11 with a schema that replaces rows a commit does not report row ids`(_ sql: SQL) async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        try await database.execute(sql)
        let received = Lock<[SQLiteChangeSet]>([])
        let subscription = database.core.feed.subscribe { change in received.withLock { $0.append(change) } }
        defer { subscription.cancel() }
        try await database.execute("INSERT INTO log (t) VALUES ('x')")
        #expect(received.withLock { $0.last?.rowIDs(of: "log") } == nil)
        #expect(received.withLock { $0.count } == 1)
        await database.close()
    }

    @Test func `D11 commits that change the same rows in different orders are equal`() async throws {
        let upserts = [1, 2, 3].map { id -> SQL in "INSERT INTO b VALUES (\(id), 1) ON CONFLICT (id) DO UPDATE SET a = 2" }
        let log = [5, 6].map { id -> SQL in "INSERT INTO log VALUES (\(id), 'x') ON CONFLICT (id) DO UPDATE SET t = 'y'" }
        let first = try await written(upserts + log)
        let second = try await written([log[1], upserts[2], upserts[0], upserts[1], upserts[0], log[0]])
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(second.rowIDs(of: "b") == [1, 2, 3])
    }

    @Test func `D11 merged commits have the rows of all of them`() {
        let table = SQLiteRegion(table: "a")
        var change = SQLiteChangeSet(.local, [table], [TableChange("a", [1])])
        change.formUnion(SQLiteChangeSet(.local, [table], [TableChange("a", [2])]))
        #expect(change.rowIDs(of: "a") == [1, 2])
        change.formUnion(SQLiteChangeSet(.local, [SQLiteRegion(table: "b")], [TableChange("b", [3])]))
        #expect(change.rowIDs(of: "a") == [1, 2])
        #expect(change.rowIDs(of: "b") == [3])
        change.formUnion(SQLiteChangeSet(.local, [table]))
        #expect(change.rowIDs(of: "a") == nil)
        #expect(change.rowIDs(of: "c") == [])
        change.formUnion(SQLiteChangeSet(.local, [.everything]))
        #expect(change.rowIDs(of: "b") == nil)
        #expect(change.rowIDs(of: "c") == nil)
    }
}
