import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Queries keep following the right tables when the schema changes, or a change of the schema is undone.
struct SchemaFollowingTests {
    private struct Undo: Error {}

    private func database(_ script: StaticString, at location: SQLiteDatabase.Location = .temporary) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(location, script) { $0.trustsSchema = true }
    }

    /// Inserting into `sources` replaces the row 1 of `targets`.
    private static let replacing: StaticString = """
        CREATE TABLE sources (id INTEGER PRIMARY KEY);
        CREATE TABLE targets (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
        INSERT INTO targets VALUES (1, 'x');
        CREATE TRIGGER replacing AFTER INSERT ON sources BEGIN REPLACE INTO targets VALUES (9, 'x'); END;
        """

    @Test(arguments: [SQLiteDatabase.Location.temporary, .inMemory])
    func `D5 after an undone write that drops a trigger, a query follows the rows that the trigger replaces`(
        location: SQLiteDatabase.Location
    ) async throws {
        let database = try await database(Self.replacing, at: location)
        await #expect(throws: Undo.self) {
            try await database.write { db in
                try db.execute("DROP TRIGGER replacing")
                // Reads the schema without the trigger.
                try db.execute("CREATE TABLE extra (n)")
                _ = try db.values(Int.self, "SELECT n FROM extra")
                throw Undo()
            }
        }
        let followed = await FollowedQuery(database, "SELECT code FROM targets WHERE id = 1")
        #expect(try await followed.runs { try await database.execute("INSERT INTO sources VALUES (2)") } == ["x", ""])
        await database.close()
    }

    @Test func `D5 after an undone savepoint that drops a trigger, a query follows the rows that the trigger replaces`() async throws {
        let database = try await database(Self.replacing)
        try await database.write { db in
            try? db.savepoint {
                try db.execute("DROP TRIGGER replacing")
                try db.execute("CREATE TABLE extra (n)")
                _ = try db.values(Int.self, "SELECT n FROM extra")
                throw Undo()
            }
        }
        let followed = await FollowedQuery(database, "SELECT code FROM targets WHERE id = 1")
        #expect(try await followed.runs { try await database.execute("INSERT INTO sources VALUES (2)") } == ["x", ""])
        await database.close()
    }

    @Test func `D5 a statement that was prepared for an undone table is prepared again for the next one`() async throws {
        let database = try await database("CREATE TABLE a (n TEXT); CREATE TABLE b (n TEXT); INSERT INTO b VALUES ('b')")
        // Both changes of the schema have the same version.
        await #expect(throws: Undo.self) {
            try await database.write { db in
                try db.execute("CREATE VIRTUAL TABLE f USING fts5(n, content='a')")
                try db.execute("INSERT INTO f (f) VALUES ('rebuild')")
                _ = try db.values(String.self, "SELECT n FROM f")
                throw Undo()
            }
        }
        try await database.execute("CREATE VIRTUAL TABLE f USING fts5(n, content='b')")
        let followed = await FollowedQuery(database, "SELECT n FROM f")
        #expect(try await followed.runs { try await database.execute("UPDATE b SET n = 'c'") } == ["b", "c"])
        await database.close()
    }

    @Test(arguments: [SQLiteDatabase.Location.temporary, .inMemory])
    func `D5 a query follows the rows that a temporary trigger replaces`(location: SQLiteDatabase.Location) async throws {
        let database = try await database(Self.replacing, at: location)
        try await database.write { db in
            try db.execute("DROP TRIGGER replacing")
            try db.execute("CREATE TEMP TRIGGER hidden AFTER INSERT ON main.sources BEGIN REPLACE INTO targets VALUES (9, 'x'); END")
        }
        let followed = await FollowedQuery(database, "SELECT code FROM targets WHERE id = 1")
        #expect(try await followed.runs { try await database.execute("INSERT INTO sources VALUES (2)") } == ["x", ""])
        await database.close()
    }

    @Test func `D5 in memory a query follows the temporary table or view that hides its table`() async throws {
        let database = try await database("CREATE TABLE t (n TEXT); INSERT INTO t VALUES ('a')", at: .inMemory)
        let followed = await FollowedQuery(database, "SELECT n FROM t")
        #expect(try await followed.runs { try await database.execute("CREATE TEMP TABLE t (n TEXT)") } == ["a", ""])
        #expect(try await followed.runs { try await database.execute("INSERT INTO t VALUES ('b')") } == ["a", "", "b"])
        #expect(try await followed.runs { try await database.execute("UPDATE main.t SET n = 'c'") } == ["a", "", "b"])
        #expect(try await followed.runs { try await database.execute("DROP TABLE temp.t") } == ["a", "", "b", "c"])
        #expect(try await followed.runs { try await database.execute("CREATE TEMP VIEW t AS SELECT 'v' AS n") }.last == "v")
        #expect(try await followed.runs { try await database.execute("DROP VIEW temp.t") }.last == "c")
        await database.close()
    }

    @Test func `D5 a query over a table follows its columns although a temporary table of that name has others`() async throws {
        let database = try await database(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t VALUES (1, 'a', 'b')",
            at: .inMemory
        )
        try await database.execute("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, b TEXT, a TEXT)")
        let followed = await FollowedQuery(database, "SELECT b FROM main.t WHERE id = 1")
        #expect(try await followed.runs { try await database.execute("UPDATE main.t SET b = 'c'") } == ["b", "c"])
        await database.close()
    }

    @Test func `D5 a row is found by its unique key although a temporary table of that name has another row with the key`() async throws {
        let database = try await database(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, n TEXT); INSERT INTO t VALUES (1, 'x', 'a')",
            at: .inMemory
        )
        try await database.write { db in
            try db.execute("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, n TEXT)")
            try db.execute("INSERT INTO temp.t VALUES (2, 'x', 'b')")
        }
        let followed = await FollowedQuery(database, "SELECT n FROM main.t WHERE code = \("x")")
        #expect(try await followed.runs { try await database.execute("UPDATE main.t SET n = 'c' WHERE id = 1") } == ["a", "c"])
        await database.close()
    }

    @Test func `D5 a full-text table that is created again over another table follows that table`() async throws {
        let database = try await database(
            """
            CREATE TABLE a (n TEXT);
            CREATE TABLE b (n TEXT);
            INSERT INTO a VALUES ('a');
            INSERT INTO b VALUES ('b');
            CREATE VIRTUAL TABLE f USING fts5(n, content='a');
            """
        )
        let followed = await FollowedQuery(database, "SELECT n FROM f")
        let runs = try await followed.runs {
            try await database.write { db in
                try db.execute("DROP TABLE f")
                try db.execute("CREATE VIRTUAL TABLE f USING fts5(n, content='b')")
            }
        }
        #expect(runs == ["a", "b"])
        #expect(try await followed.runs { try await database.execute("UPDATE b SET n = 'c'") } == ["a", "b", "c"])
        #expect(try await followed.runs { try await database.execute("UPDATE a SET n = 'd'") } == ["a", "b", "c"])
        await database.close()
    }

    private static let views: StaticString = """
        CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT);
        CREATE TABLE shown (id INTEGER PRIMARY KEY);
        INSERT INTO docs VALUES (1, 'a');
        INSERT INTO other VALUES (1, 'o');
        INSERT INTO shown VALUES (1);
        CREATE VIEW bodies AS SELECT id, body FROM docs;
        CREATE VIEW nested AS SELECT * FROM bodies;
        CREATE VIEW joined AS SELECT docs.id, body FROM docs JOIN shown USING (id);
        """

    @Test(arguments: ["bodies", "'nested'", "JOINED"])
    func `D5 full-text search over a view follows the tables that the view reads`(view: String) async throws {
        let database = try await database(Self.views)
        try await database.write { db in
            try db.connection.run("CREATE VIRTUAL TABLE found USING fts5(body, content=\(view), content_rowid='id')")
        }
        let followed = await FollowedQuery(database, "SELECT body FROM found ORDER BY rowid")
        #expect(try await followed.runs { try await database.execute("UPDATE docs SET body = 'b'") } == ["a", "b"])
        #expect(try await followed.runs { try await database.execute("UPDATE other SET body = 'c'") } == ["a", "b"])
        await database.close()
    }

    @Test func `D5 full-text search over a joined view follows a table of which only a shared column is read`() async throws {
        let database = try await database(Self.views)
        try await database.execute("CREATE VIRTUAL TABLE found USING fts5(body, content='joined', content_rowid='id')")
        let followed = await FollowedQuery(database, "SELECT body FROM found ORDER BY rowid")
        #expect(try await followed.runs { try await database.execute("DELETE FROM shown") } == ["a", ""])
        await database.close()
    }

    @Test func `D5 full-text search over a view that is created again follows the tables of the new view`() async throws {
        let database = try await database(Self.views)
        try await database.execute("CREATE VIRTUAL TABLE found USING fts5(body, content='nested', content_rowid='id')")
        let followed = await FollowedQuery(database, "SELECT body FROM found ORDER BY rowid")
        let runs = try await followed.runs {
            try await database.write { db in
                try db.execute("DROP VIEW bodies")
                try db.execute("CREATE VIEW bodies AS SELECT id, body FROM other")
            }
        }
        #expect(runs == ["a", "o"])
        #expect(try await followed.runs { try await database.execute("UPDATE other SET body = 'p'") } == ["a", "o", "p"])
        await database.close()
    }
}
