import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Reads of an index range, and what commits report about the rows in it.
struct RangeQueryTests {
    private struct Names: QueryRequest {
        let name: String
        let database: SQLiteDatabase
        let sql: SQL

        var path: QueryPath { QueryPath(["names", name]) }

        static func == (left: Names, right: Names) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
            try await database.read { [sql] in try $0.values(String.self, sql) }
        }
    }

    private static let schema: StaticString = """
        CREATE TABLE trips (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE stops (
            id INTEGER PRIMARY KEY, trip INTEGER REFERENCES trips (id) ON DELETE CASCADE, day INTEGER, name TEXT, price REAL, code TEXT UNIQUE,
            any, old TEXT COLLATE NOCASE
        );
        CREATE INDEX stops_day ON stops (day);
        CREATE INDEX stops_trip ON stops (trip, day);
        CREATE INDEX stops_name ON stops (name);
        CREATE INDEX stops_price ON stops (price DESC);
        CREATE INDEX stops_any ON stops (any);
        CREATE INDEX stops_old ON stops (old);
        CREATE TABLE part (id INTEGER PRIMARY KEY, day INTEGER);
        CREATE INDEX part_day ON part (day) WHERE day > 3;
        CREATE TABLE seats (train TEXT, seat INTEGER, guest TEXT, PRIMARY KEY (train, seat)) WITHOUT ROWID;
        INSERT INTO trips VALUES (1, 'north'), (2, 'south');
        INSERT INTO stops (id, trip, day, name) VALUES (1, 1, 10, 'inn'), (2, 1, 20, 'hut'), (3, 2, 20, 'bay');
        INSERT INTO seats VALUES ('a', 1, 'Eve'), ('a', 2, 'Max'), ('b', 1, 'Kim');
        """

    private func open(_ name: String = "db") async throws -> (SQLiteDatabase, QueryClient) {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.name = name }
        let client = QueryClient.test()
        client.connect(to: database)
        return (database, client)
    }

    /// The regions that a statement is known to read, as text.
    private func reads(_ sql: SQL) async throws -> [String] {
        let (database, _) = try await open()
        let (_, regions) = try await QueryReads.collecting { try await database.read { db in try db.forEach(sql) { _ in } } }
        await database.close()
        return regions.map { $0.unredacted.replacing("db/", with: "") }.sorted()
    }

    @Test(
        arguments: [
            ("SELECT name FROM stops WHERE day BETWEEN \(3) AND \(9)", ["stops[day >= 3, day <= 9]"]),
            ("SELECT name FROM stops WHERE day >= 3 AND day < 9", ["stops[day >= 3, day < 9]"]),
            ("SELECT name FROM stops WHERE day >= \(3) AND day < \(9) ORDER BY day DESC", ["stops[day >= 3, day < 9]"]),
            ("SELECT name FROM stops WHERE day = \(3)", ["stops[day = 3]"]),
            ("SELECT name FROM stops WHERE day = \(3.0)", ["stops[day = 3]"]),
            ("SELECT name FROM stops WHERE day IN (\(3), \(9))", ["stops[day = 3]", "stops[day = 9]"]),
            ("SELECT name FROM stops WHERE day > \(3)", ["stops[day > 3]"]),
            ("SELECT name FROM stops WHERE day < \(3)", ["stops[day > NULL, day < 3]"]),
            ("SELECT name FROM stops WHERE day <= \(3) ORDER BY day DESC LIMIT 5", ["stops[day > NULL, day <= 3]"]),
            ("SELECT name FROM stops WHERE day IS NULL", ["stops[day = NULL]"]),
            ("SELECT count(*) FROM stops WHERE trip = \(1)", ["stops[trip = 1]"]),
            ("SELECT max(day) FROM stops WHERE trip = \(1)", ["stops[trip = 1]"]),
            ("SELECT name FROM stops WHERE trip = \(1) AND day BETWEEN \(3) AND \(9)", ["stops[trip = 1, day >= 3, day <= 9]"]),
            ("SELECT name FROM stops WHERE trip = \(1) AND day > \(3) AND day < \(9)", ["stops[trip = 1, day > 3, day < 9]"]),
            ("SELECT name FROM stops WHERE trip = \(1) AND day = \(3)", ["stops[trip = 1, day = 3]"]),
            ("SELECT day, count(*), max(name) FROM stops WHERE day BETWEEN \(3) AND \(9) GROUP BY day", ["stops[day >= 3, day <= 9]"]),
            ("SELECT name FROM stops WHERE name >= 'a' AND name < \("b")", ["stops[name >= 'a', name < 'b']"]),
            ("SELECT name FROM stops WHERE name GLOB 'a*'", ["stops[name >= 'a', name < 'b']"]),
            ("SELECT id FROM stops WHERE any = \("7")", ["stops[any = '7']"]),
            ("SELECT id FROM stops WHERE any = \(7)", ["stops[any = 7]"]),
            ("SELECT id FROM stops WHERE code = 'none'", ["stops[code = 'none']"]),
            (
                "SELECT s.name FROM trips t JOIN stops s ON s.trip = t.id WHERE t.id = \(1)",
                ["stops[trip = 1]", "trips#1"]
            ),
            ("SELECT (SELECT max(day) FROM stops WHERE trip = t.id) FROM trips t WHERE t.id = \(2)", ["stops[trip = 2]", "trips#2"]),
            (
                "SELECT name FROM stops WHERE day = \(3) UNION SELECT name FROM stops WHERE trip = \(2)",
                ["stops[day = 3]", "stops[trip = 2]"]
            ),
            ("SELECT id FROM stops WHERE name IN (\("\u{E9}"), \("e\u{301}"))", ["stops[name = 'e\u{301}']", "stops[name = '\u{E9}']"]),
            ("SELECT guest FROM seats WHERE train = \("a") AND seat = \(1)", ["seats[train = 'a', seat = 1]"]),
            ("SELECT guest FROM seats WHERE train = \("a")", ["seats[train = 'a']"]),
            ("SELECT guest FROM seats WHERE train = \("a") AND seat > \(1)", ["seats[train = 'a', seat > 1]"]),
        ] as [(SQL, [String])]
    )
    func `D11 a statement that reads a range of an index depends on that range`(_ sql: SQL, _ expected: [String]) async throws {
        #expect(try await reads(sql) == expected)
    }

    @Test(
        arguments: [
            // SQLite converts the compared values.
            ("SELECT name FROM stops WHERE day = \("3")", "stops"), ("SELECT name FROM stops WHERE day > \("x")", "stops"),
            ("SELECT day FROM stops WHERE name = \(3)", "stops"), ("SELECT day FROM stops WHERE name < \(3.5)", "stops"),
            ("SELECT name FROM stops WHERE day >= CAST(\("3") AS INTEGER)", "stops"),
            // An unknown order.
            ("SELECT name FROM stops WHERE price > \(3)", "stops"), ("SELECT name FROM stops WHERE old = \("a")", "stops"),
            // Expressions.
            ("SELECT name FROM stops WHERE day > abs(\(3))", "stops"), ("SELECT name FROM stops WHERE day + 0 = \(3)", "stops"),
            ("SELECT name FROM stops WHERE day = 1.5", "stops"),
            ("SELECT max(day) FROM stops", "stops"), ("SELECT name FROM stops ORDER BY day", "stops"),
            ("SELECT name FROM stops WHERE day = \(3) OR name = \("a")", "stops"),
            ("SELECT id FROM part WHERE day > 3", "part"),
            ("SELECT guest FROM seats WHERE seat = \(1)", "seats"),
        ] as [(SQL, String)]
    )
    func `D11 a read with an uncertain range depends on the table`(_ sql: SQL, _ table: String) async throws {
        #expect(try await reads(sql) == [table])
    }

    /// Both tables have the column `day`, and the joined one is searched by row id.
    @Test(
        arguments: [
            (
                "SELECT count(*) FROM stops JOIN part ON part.id = stops.id WHERE stops.day BETWEEN 1 AND 2",
                ["part", "stops[day >= 1, day <= 2]"]
            ),
            (
                "SELECT count(*) FROM stops LEFT JOIN part ON part.id = stops.id WHERE stops.day BETWEEN \(1) AND \(2)",
                ["part", "stops[day >= 1, day <= 2]"]
            ),
            (
                "SELECT count(*) FROM stops a CROSS JOIN stops b ON b.id = a.id WHERE a.day BETWEEN \(1) AND \(2)",
                ["stops[day >= 1, day <= 2]"]
            ),
        ] as [(SQL, [String])]
    )
    func `R18 D11 a table that is searched by the row ids of another has no range of that other`(_ sql: SQL, _ expected: [String])
        async throws
    {
        #expect(try await reads(sql) == expected)
    }

    @Test func `R18 D11 a row that joins a row in a range runs the query again`() async throws {
        let database = try await SQLiteDatabase.make(
            .inMemory,
            """
            CREATE TABLE entry (id INTEGER PRIMARY KEY, day INTEGER);
            CREATE INDEX entry_day ON entry (day);
            CREATE TABLE extra (id INTEGER PRIMARY KEY, day INTEGER);
            INSERT INTO entry VALUES (3, 1);
            """
        )
        let client = QueryClient.test()
        client.connect(to: database)
        let sql: SQL = "SELECT count(*) FROM entry JOIN extra ON extra.id = entry.id WHERE entry.day BETWEEN 1 AND 2"
        let text: SQL = "SELECT CAST(count(*) AS TEXT) FROM entry JOIN extra ON extra.id = entry.id WHERE entry.day BETWEEN 1 AND 2"
        let store = client.store(for: Names(name: "joined", database: database, sql: text).ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        #expect(store.value == ["0"])
        try await database.execute("INSERT INTO extra VALUES (3, 5)")
        await client.settled()
        #expect(store.value == ["1"])
        #expect(try await database.explain(sql).reads.map(\.part) == [.ranges(["day >= 1, day <= 2"]), .table])
        subscription.cancel()
        await database.close()
    }

    @Test func `D11 many ranges in one statement are treated as the table`() async throws {
        let days = Array(1...KeySearch.limit)
        #expect(try await reads("SELECT name FROM stops WHERE day IN \(days)").count == days.count)
        #expect(try await reads("SELECT name FROM stops WHERE day IN \(days + [900])") == ["stops"])
    }

    @Test func `D11 of 200 observed ranges of a table only those with a changed row run again`() async throws {
        let (database, client) = try await open()
        let stores = (0..<200).map { day in
            let sql: SQL =
                day.isMultiple(of: 2)
                ? "SELECT name FROM stops WHERE day BETWEEN \(day) AND \(day + 3) ORDER BY id"
                : "SELECT name FROM stops WHERE trip = \(1) AND day >= \(day) AND day < \(day + 3) ORDER BY id"
            return client.store(for: Names(name: "\(day)", database: database, sql: sql).ttl(.infinity))
        }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        var counts = stores.map(\.state.valueUpdateCount)
        func runs() -> [Int] {
            defer { counts = stores.map(\.state.valueUpdateCount) }
            return stores.indices.filter { stores[$0].state.valueUpdateCount > counts[$0] }
        }

        try await database.execute("INSERT INTO stops (trip, day, name) VALUES (1, 100, 'new')")
        await client.settled()
        #expect(runs() == [98, 99, 100])
        #expect(stores[99].value == ["new"])
        try await database.execute("INSERT INTO stops (trip, day, name) VALUES (2, 100, 'other')")
        await client.settled()
        #expect(runs() == [98, 100])
        // Changes that no range reads.
        try await database.execute("UPDATE stops SET price = 5")
        await client.settled()
        #expect(runs() == [])
        try await database.execute("UPDATE stops SET day = 50 WHERE name = 'other'")
        await client.settled()
        #expect(runs() == [48, 50, 98, 100])
        try await database.execute("UPDATE stops SET name = 'newer' WHERE name = 'new'")
        await client.settled()
        #expect(runs() == [98, 99, 100])
        try await database.execute("UPDATE stops SET trip = 2 WHERE day = 100")
        await client.settled()
        #expect(runs() == [99])
        try await database.execute("DELETE FROM trips WHERE id = 2")
        await client.settled()
        #expect(runs() == [18, 20, 48, 50, 98, 100])
        try await database.execute("DELETE FROM stops")
        await client.settled()
        #expect(runs() == [8, 9, 10, 18, 19, 20])
        // The deleted row is not reported.
        try await database.execute("REPLACE INTO stops (id, trip, day, name) VALUES (1, 1, 7, 'x')")
        await client.settled()
        #expect(runs().count == 200)
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }

    /// What a commit reports of a table, as text, while ranges of it are read.
    private func reportedRegions(_ table: String, _ writes: [SQL], after setup: [SQL] = []) async throws -> [String] {
        let (database, _) = try await open()
        for sql in setup { try await database.execute(sql) }
        _ = try await QueryReads.collecting {
            try await database.read { db in
                try db.forEach("SELECT id FROM stops WHERE trip = \(1) AND day > \(3)") { _ in }
                try db.forEach("SELECT guest FROM seats WHERE train = \("a") AND seat = \(1)") { _ in }
            }
        }
        let reported = Lock<[SQLiteRegion]>([])
        let subscription = database.core.feed.subscribe { change in reported.withLock { $0 = change.details } }
        try await database.write { db in for sql in writes { try db.execute(sql) } }
        subscription.cancel()
        await database.close()
        return reported.withLock { $0.filter { $0.table == table }.map(\.unredacted).sorted() }
    }

    @Test(
        arguments: [
            (["INSERT INTO stops (id, trip, day) VALUES (7, 1, 5)"], "stops", ["stops#7[day = 5, trip = 1]"]),
            (["INSERT INTO stops (id, trip, day) VALUES (7, '1', 5.0)"], "stops", ["stops#7[day = 5, trip = 1]"]),
            (["UPDATE stops SET day = 11 WHERE id = 1"], "stops", ["stops#1[day = 10, trip = 1]", "stops#1[day = 11, trip = 1]"]),
            (["UPDATE stops SET name = 'x' WHERE id = 1"], "stops", ["stops#1[day = 10, trip = 1]"]),
            (["DELETE FROM stops WHERE day = 10"], "stops", ["stops#1[day = 10, trip = 1]"]),
            (["DELETE FROM trips WHERE id = 2"], "stops", ["stops#3[day = 20, trip = 2]"]),
            (
                ["DELETE FROM stops"], "stops",
                ["stops#1[day = 10, trip = 1]", "stops#2[day = 20, trip = 1]", "stops#3[day = 20, trip = 2]"]
            ),
            (
                ["INSERT INTO stops (id, trip, day) VALUES (1, 1, 5) ON CONFLICT (id) DO UPDATE SET day = excluded.day"], "stops",
                ["stops#1[day = 10, trip = 1]", "stops#1[day = 5, trip = 1]"]
            ),
            // It is not checked whether the key changed, because its value did.
            (["INSERT INTO seats VALUES ('a', 9, 'Lu')"], "seats", ["seats[seat = 9, train = 'a']"]),
            (["UPDATE seats SET guest = 'Lu' WHERE seat = 2"], "seats", ["seats[seat = 2, train = 'a']"]),
            (
                ["DELETE FROM seats"], "seats",
                ["seats[seat = 1, train = 'a']", "seats[seat = 1, train = 'b']", "seats[seat = 2, train = 'a']"]
            ),
            // Rows removed without a report, old keys, too many rows to list them, and a long value.
            (["REPLACE INTO stops (id, trip, day) VALUES (1, 1, 5)"], "stops", ["stops"]),
            (["UPDATE stops SET id = 9 WHERE id = 1"], "stops", ["stops"]),
            (["UPDATE seats SET seat = 9 WHERE seat = 2"], "seats", ["seats"]),
            (
                ["WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO stops (day) SELECT i FROM n"],
                "stops", ["stops[day from 1 to 200, trip from NULL to NULL]"]
            ),
            (["INSERT INTO stops (trip, day) VALUES (1, 'x' || hex(zeroblob(600)))"], "stops", ["stops#4"]),
        ] as [([SQL], String, [String])]
    )
    func `D11 a commit reports the old and new values of changed rows`(_ writes: [SQL], _ table: String, _ expected: [String]) async throws
    {
        #expect(try await reportedRegions(table, writes) == expected)
    }

    @Test func `D11 a row that a trigger keeps from being reported counts as unknown`() async throws {
        let trigger: SQL = "CREATE TRIGGER quiet AFTER UPDATE ON stops BEGIN SELECT RAISE(IGNORE); END"
        // SQLite does not define the order in which triggers run.
        let reported = try await reportedRegions("stops", ["UPDATE stops SET day = 11 WHERE id = 1"], after: [trigger])
        #expect(reported == ["stops#1"] || reported == ["stops#1[day = 10, trip = 1]", "stops#1[day = 11, trip = 1]"])
    }

    @Test func `D11 values are reported only while a range over their columns is read`() async throws {
        let (database, client) = try await open()
        let reported = Lock<[String]>([])
        let feed = database.core.feed.subscribe { change in reported.withLock { $0 = change.details.map(\.unredacted).sorted() } }
        let insertion: SQL = "INSERT INTO stops (trip, day) VALUES (1, 5)"
        try await database.execute(insertion)
        #expect(reported.withLock { $0 } == ["stops#4"])
        let request = Names(name: "x", database: database, sql: "SELECT name FROM stops WHERE day = \(5)").ttl(.infinity)
        let subscription = client.store(for: request).subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute(insertion)
        #expect(reported.withLock { $0 } == ["stops#5[day = 5]"])
        // This is checked from time to time.
        for _ in 0..<100 { try await database.execute(insertion) }
        #expect(reported.withLock { $0 } == ["stops#105[day = 5]"])
        subscription.cancel()
        await client.settled()
        #expect(client.readsRanges(of: QueryRegion(source: "db", name: "stops")))
        database.core.feed.watched.setIsRead { table in table != "stops" }
        for _ in 0..<100 { try await database.execute(insertion) }
        #expect(reported.withLock { $0 } == ["stops#205"])
        feed.cancel()
        await database.close()
    }

    @Test func `D11 a commit that reports no values affects every range`() {
        let range = RegionRange(["day"], from: .init(before: [.integer(3)]), to: .init(after: [.integer(9)]))
        let region = SQLiteRegion(table: "stops", .all, .range(range))
        func change(_ values: WrittenValues?) -> SQLiteChangeSet {
            SQLiteChangeSet(.local, [SQLiteRegion(table: "stops")], [TableChange("stops", [1], .all, values)])
        }
        func values(_ column: String, _ value: Int64) -> WrittenValues {
            WrittenValues(columns: [column], rows: [WrittenValues.Row(id: 1, values: [.integer(value)])])
        }
        #expect(change(nil).concerns(region))
        #expect(change(values("trip", 1)).concerns(region))
        #expect(change(values("day", 5)).concerns(region))
        #expect(!change(values("day", 10)).concerns(region))
        #expect(SQLiteChangeSet(.otherProcess, [SQLiteRegion(table: "stops")]).concerns(region))
        var both = change(values("day", 10))
        both.formUnion(change(values("day", 11)))
        #expect(!both.concerns(region))
        both.formUnion(change(values("trip", 1)))
        #expect(both.concerns(region))
        // Too many rows to list them.
        var many = change(values("day", 10))
        for day in 11...300 { many.formUnion(change(values("day", Int64(day)))) }
        #expect(!many.concerns(region))
        #expect(many.details.map(\.unredacted) == ["stops#1[day from 10 to 300]"])
        many.formUnion(change(values("day", 9)))
        #expect(many.concerns(region))
        many.formUnion(change(nil))
        #expect(many.details.map(\.unredacted) == ["stops#1"])
    }

    @Test func `D11 a commit that writes many rows affects only ranges between their lowest and highest values`() async throws {
        let (database, client) = try await open()
        func names(_ days: ClosedRange<Int>) -> QueryStore<QueryState<[String]?, [String]>> {
            let sql: SQL = "SELECT name FROM stops WHERE day BETWEEN \(days.lowerBound) AND \(days.upperBound)"
            return client.store(for: Names(name: "\(days)", database: database, sql: sql).ttl(.infinity))
        }
        let stores = [names(150...160), names(1_150...1_160), names(1_900...1_999)]
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        try await database.write { db in
            let insertion = try db.prepare("INSERT INTO stops (trip, day, name) VALUES (1, ?, ?)")
            for day in 1_000..<1_500 { try insertion.run(day, "stop \(day)") }
        }
        await client.settled()
        #expect(stores.map { $0.value?.count } == [0, 11, 0])
        #expect(stores.map { $0.state.cause == .regionChanged } == [false, true, false])
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }

    @Test func `D11 a column whose values are reported can be dropped`() async throws {
        let (database, client) = try await open()
        let store = client.store(for: Names(name: "x", database: database, sql: "SELECT name FROM stops WHERE day = \(20)").ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute("UPDATE stops SET name = 'cabin' WHERE id = 2")
        await client.settled()
        #expect(store.value == ["cabin", "bay"])
        let drop: [SQL] = ["DROP INDEX stops_day", "DROP INDEX stops_trip", "ALTER TABLE stops DROP COLUMN day"]
        for isUndone in [true, false] {
            try? await database.write { db in
                for sql in drop { try db.execute(sql) }
                if isUndone { throw CancellationError() }
            }
            if isUndone { #expect(store.value == ["cabin", "bay"]) }
        }
        try await database.execute("ALTER TABLE stops ADD COLUMN day INTEGER")
        try await database.execute("UPDATE stops SET day = 20, name = 'tent' WHERE id = 1")
        await client.settled()
        #expect(store.value == ["tent"])
        subscription.cancel()
        await database.close()
    }

    @Test func `D11 a column whose values are reported can be dropped by another program`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.file()
        let database = try await SQLiteDatabase.make(.file(url), Self.schema) { $0.name = "db" }
        let client = QueryClient.test()
        client.connect(to: database)
        let store = client.store(for: Names(name: "x", database: database, sql: "SELECT name FROM stops WHERE day = \(20)").ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute("UPDATE stops SET name = 'cabin' WHERE id = 2")
        await client.settled()
        // A refetch would fail for want of the column, which looks like damage, and a recovery waits for the other program.
        subscription.cancel()
        let other = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        for sql in ["DROP INDEX stops_day", "DROP INDEX stops_trip", "ALTER TABLE stops RENAME COLUMN day TO date"] { try other.run(sql) }
        try await database.execute("UPDATE stops SET name = 'tent' WHERE id = 2")
        #expect(try await database.read { try $0.value(String.self, "SELECT name FROM stops WHERE id = 2") } == "tent")
        await database.close()
    }
}
