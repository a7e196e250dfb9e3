import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// An update affects only the reads of columns that it changes.
struct ColumnQueryTests {
    private static let schema: StaticString = """
        CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT, kcal INTEGER, uses INTEGER);
        CREATE INDEX food_uses ON food (uses);
        CREATE TABLE sorted (id INTEGER PRIMARY KEY, name TEXT, uses INTEGER);
        CREATE INDEX sorted_all ON sorted (name, uses);
        CREATE TABLE partly (id INTEGER PRIMARY KEY, name TEXT, uses INTEGER);
        CREATE INDEX partly_often ON partly (name) WHERE uses > 5;
        CREATE TABLE computed (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, total AS (a + b));
        CREATE TABLE keyed (k TEXT PRIMARY KEY, v, w) WITHOUT ROWID;
        CREATE TABLE child (id INTEGER PRIMARY KEY, food INTEGER REFERENCES food (id) ON DELETE SET NULL, note TEXT);
        CREATE TABLE watched (id INTEGER PRIMARY KEY, name TEXT, uses INTEGER);
        CREATE TRIGGER watcher AFTER UPDATE OF uses ON watched BEGIN UPDATE food SET kcal = kcal + 1; END;
        CREATE VIEW names AS SELECT id, name FROM food;
        INSERT INTO food VALUES (1, 'rice', 100, 3), (2, 'tea', 1, 9);
        INSERT INTO sorted VALUES (1, 'rice', 3), (2, 'rice', 9);
        INSERT INTO partly VALUES (1, 'rice', 3), (2, 'tea', 9);
        INSERT INTO computed (id, a, b) VALUES (1, 2, 3);
        INSERT INTO keyed VALUES ('a', 1, 2);
        INSERT INTO child VALUES (1, 1, 'x');
        INSERT INTO watched VALUES (1, 'rice', 3);
        """

    private struct Name: QueryRequest {
        let read: @Sendable () async throws -> String?

        var path: QueryPath { ["name"] }

        static func == (_: Name, _: Name) -> Bool { true }
        func hash(into hasher: inout Hasher) {}

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String?>) async throws -> String? { try await read() }
    }

    /// Whether a write affects a read, as a client would see it.
    private func isConcerned(_ read: SQL, _ writes: [SQL]) async throws -> Bool {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.name = "db" }
        let client = QueryClient.test()
        client.connect(to: database)
        let (_, regions) = try await QueryReads.collectingColumns {
            try await database.read { db in _ = try db.map(read) { try $0[0] as SQLiteValue } }
        }
        let reported = Lock<[SQLiteRegion]>([])
        let subscription = database.core.feed.subscribe { change in reported.withLock { $0 += change.details } }
        defer { subscription.cancel() }
        try await database.write { db in for write in writes { try db.execute(write) } }
        await database.close()
        let changed = reported.withLock { $0 }.map {
            QueryRegion(source: "db", name: $0.table, partition: nil, row: $0.rowID.map(String.init), columns: $0.columns)
        }
        return regions.contains { region in changed.contains(where: region.overlaps) }
    }

    @Test(
        arguments: [
            ("SELECT name FROM food WHERE id = 1", "UPDATE food SET uses = uses + 1 WHERE id = 1"),
            ("SELECT name, kcal FROM food ORDER BY name", "UPDATE food SET uses = uses + 1"),
            ("SELECT count(*) FROM keyed, food WHERE food.id = 1", "UPDATE food SET name = 'x'"),
            ("SELECT id FROM food WHERE kcal > 5", "UPDATE food SET name = 'x', uses = 0"),
            ("SELECT * FROM names", "UPDATE food SET uses = 1"),
            ("SELECT f.name FROM child c JOIN food f ON f.id = c.food", "UPDATE child SET note = 'y'"),
            ("SELECT name FROM watched", "UPDATE watched SET uses = 4"),
            ("SELECT name FROM food", "UPDATE watched SET uses = 4"),
        ] as [(SQL, SQL)]
    )
    func `D11 an update of other columns does not affect a read`(_ read: SQL, _ write: SQL) async throws {
        #expect(try await !isConcerned(read, [write]))
    }

    @Test(
        arguments: [
            ("SELECT name FROM food WHERE id = 1", ["UPDATE food SET name = 'x' WHERE id = 1"]),
            ("SELECT name FROM food WHERE uses > 2", ["UPDATE food SET uses = 0"]),
            ("SELECT name FROM food ORDER BY uses", ["UPDATE food SET uses = 0"]),
            // The order among equal names may change.
            ("SELECT id FROM sorted WHERE name = 'rice'", ["UPDATE sorted SET uses = 20 WHERE id = 1"]),
            ("SELECT id FROM partly WHERE name > 'a' AND uses > 5", ["UPDATE partly SET uses = 6"]),
            ("SELECT total FROM computed", ["UPDATE computed SET a = 9"]),
            ("SELECT v FROM keyed", ["UPDATE keyed SET w = 9"]),
            ("SELECT count(*) FROM food", ["UPDATE food SET uses = 1", "DELETE FROM food WHERE id = 1"]),
            ("SELECT name FROM food", ["UPDATE food SET uses = 1", "UPDATE food SET name = 'y'"]),
            ("SELECT name FROM food", ["INSERT INTO food (id, uses) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET uses = 7"]),
            ("SELECT name FROM food WHERE id = 2", ["UPDATE food SET id = 5 WHERE id = 2"]),
            ("SELECT food FROM child", ["DELETE FROM food WHERE id = 1"]),
            ("SELECT kcal FROM food", ["UPDATE watched SET uses = 4"]),
            ("SELECT NAME FROM FOOD", ["UPDATE Food SET Name = 'x'"]),
        ] as [(SQL, [SQL])]
    )
    func `D11 a change of what a read depends on affects it`(_ read: SQL, _ writes: [SQL]) async throws {
        #expect(try await isConcerned(read, writes))
    }

    /// SQLite does not report these columns to the authorizer.
    @Test(
        arguments: [
            "SELECT count(*) FROM food JOIN watched USING (name)", "SELECT count(*) FROM food NATURAL JOIN watched",
            "SELECT food.kcal FROM food JOIN watched USING (name)", "SELECT 1 FROM watched JOIN food USING (id, name)",
        ] as [SQL]
    )
    func `D11 a table is tracked even if only its columns in USING are read`(_ read: SQL) async throws {
        #expect(try await isConcerned(read, ["INSERT INTO food (name) VALUES ('rice')"]))
        #expect(try await isConcerned(read, ["INSERT INTO watched (name) VALUES ('rice')"]))
        #expect(try await isConcerned(read, ["UPDATE watched SET name = 'tea'"]))
    }

    @Test func `R18 the description and equality of a region ignore its columns`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.name = "db" }
        let client = QueryClient.test()
        client.connect(to: database)
        let read: @Sendable () async throws -> String? = {
            try await database.read { db in try db.value(String.self, "SELECT name FROM food WHERE id = 1") }
        }
        let food = QueryRegion(source: "db", name: "food", row: "1")
        #expect(try await QueryReads.collecting { try await read() }.regions == [food])
        let store = client.store(for: Name(read: read).ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute("UPDATE food SET name = 'bread' WHERE id = 1")
        await client.settled()
        #expect(store.value == "bread")
        #expect(store.state.cause.region == food)
        subscription.cancel()
        await database.close()
    }

    @Test func `D11 columns of a wide table beyond the tracked number are treated as one`() async throws {
        let database = try await SQLiteDatabase.make(
            .inMemory,
            """
            CREATE TABLE wide (
                c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19,
                c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34, c35, c36, c37, c38, c39,
                c40, c41, c42, c43, c44, c45, c46, c47, c48, c49, c50, c51, c52, c53, c54, c55, c56, c57, c58, c59,
                c60, c61, c62, c63, c64, c65, c66, c67, c68, c69, c70, c71, c72, c73, c74, c75, c76, c77, c78, c79
            );
            INSERT INTO wide (c0, c70, c79) VALUES (1, 2, 3);
            """
        ) { $0.name = "db" }
        let client = QueryClient.test()
        client.connect(to: database)
        func regions(_ sql: SQL) async throws -> Set<QueryRegion> {
            try await QueryReads.collectingColumns { try await database.read { db in _ = try db.value(Int.self, sql) } }.regions
        }
        let (first, late) = (try await regions("SELECT c0 FROM wide"), try await regions("SELECT c70 FROM wide"))
        let reported = Lock<[SQLiteRegion]>([])
        let subscription = database.core.feed.subscribe { change in reported.withLock { $0 = change.details } }
        defer { subscription.cancel() }
        func concerns(_ regions: Set<QueryRegion>) -> Bool {
            let changed = reported.withLock { $0 }.map {
                QueryRegion(source: "db", name: $0.table, partition: nil, row: nil, columns: $0.columns)
            }
            return regions.contains { region in changed.contains(where: region.overlaps) }
        }
        try await database.execute("UPDATE wide SET c0 = 5")
        #expect(concerns(first) && !concerns(late))
        try await database.execute("UPDATE wide SET c79 = 5")
        #expect(!concerns(first) && concerns(late))
        await database.close()
    }
}
