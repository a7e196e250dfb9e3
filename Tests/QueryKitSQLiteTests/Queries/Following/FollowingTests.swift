import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Which changes of the database a query follows.
struct FollowingTests {
    private func database(_ script: StaticString) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.temporary, script) { $0.trustsSchema = true }
    }

    @Test(arguments: ["docs", "'docs'", "\"docs\"", "[docs]", "DOCS"])
    func `D5 full-text search with external content follows the table that stores its text`(name: String) async throws {
        let database = try await database("CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT)")
        try await database.write { db in
            try db.connection.run("CREATE VIRTUAL TABLE found USING fts5(body, content=\(name), content_rowid='id')")
            try db.execute("INSERT INTO docs VALUES (1, 'a')")
            try db.execute("INSERT INTO found (rowid, body) VALUES (1, 'a')")
        }
        let followed = await FollowedQuery(database, "SELECT body FROM found ORDER BY rowid")
        #expect(try await followed.runs { try await database.execute("UPDATE docs SET body = 'b'") } == ["a", "b"])
        await database.close()
    }

    @Test func `D5 a full-text table with its own content follows no other table`() async throws {
        let database = try await database(
            """
            CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
            CREATE VIRTUAL TABLE own USING fts5(body, tokenize = "unicode61 separators 'content=docs,'");
            CREATE VIRTUAL TABLE none USING fts5(body, content='');
            INSERT INTO own (rowid, body) VALUES (1, 'a');
            """
        )
        let followed = await FollowedQuery(database, "SELECT body FROM own WHERE own MATCH 'a'")
        #expect(try await followed.runs { try await database.execute("INSERT INTO docs VALUES (1, 'b')") } == ["a"])
        await database.close()
    }

    private static let triggers: StaticString = """
        CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE found USING fts5(body, content='docs', content_rowid='id');
        CREATE TRIGGER docs_ai AFTER INSERT ON docs BEGIN INSERT INTO found (rowid, body) VALUES (new.id, new.body); END;
        CREATE TRIGGER docs_ad AFTER DELETE ON docs BEGIN
            INSERT INTO found (found, rowid, body) VALUES ('delete', old.id, old.body);
        END;
        CREATE TRIGGER docs_au AFTER UPDATE ON docs BEGIN
            INSERT INTO found (found, rowid, body) VALUES ('delete', old.id, old.body);
            INSERT INTO found (rowid, body) VALUES (new.id, new.body);
        END;
        """

    @Test func `D7 the documented full-text triggers work if the schema is trusted`() async throws {
        let database = try await database(Self.triggers)
        let followed = await FollowedQuery(database, "SELECT body FROM found WHERE found MATCH 'oat*'")
        let runs = try await followed.runs { try await database.execute("INSERT INTO docs VALUES (1, 'oats'), (2, 'rye')") }
        #expect(runs == ["", "oats"])
        #expect(
            try await followed.runs { try await database.execute("UPDATE docs SET body = 'oat milk' WHERE id = 2") }.last == "oats,oat milk"
        )
        await database.close()
    }

    @Test func `D7 if the schema is not trusted, the error names the setting`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, Self.triggers)
        let error = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO docs VALUES (1, 'oats')") }
        #expect(error?.message.contains("SQLiteDatabase.Configuration.trustsSchema") == true)
        await database.close()
    }

    @Test func `D5 a query whose table is missing runs when the table is created, and not before`() async throws {
        let database = try await database("CREATE TABLE other (a INTEGER)")
        let followed = await FollowedQuery(database, "SELECT name FROM trips")
        #expect(try await followed.runs { try await database.execute("INSERT INTO other VALUES (1)") } == ["error"])
        let runs = try await followed.runs {
            try await database.write { db in
                try db.execute("CREATE TABLE trips (name TEXT)")
                try db.execute("INSERT INTO trips VALUES ('Rome')")
            }
        }
        #expect(runs == ["error", "Rome"])
        #expect(try await followed.runs { try await database.execute("INSERT INTO trips VALUES ('Oslo')") }.last == "Rome,Oslo")
        await database.close()
    }

    @Test(arguments: ["sqlite_schema", "sqlite_master"])
    func `D5 a query over the schema follows changes of the schema only`(name: String) async throws {
        let database = try await database("CREATE TABLE a (a INTEGER)")
        let sql: SQL =
            name == "sqlite_schema"
            ? "SELECT name FROM sqlite_schema WHERE name IN ('a', 'b') ORDER BY name"
            : "SELECT name FROM sqlite_master WHERE name IN ('a', 'b') ORDER BY name"
        let followed = await FollowedQuery(database, sql)
        #expect(try await followed.runs { try await database.execute("INSERT INTO a VALUES (1)") } == ["a"])
        #expect(try await followed.runs { try await database.execute("CREATE TABLE b (b INTEGER)") } == ["a", "a,b"])
        await database.close()
    }

    @Test func `D5 a query over the schema follows the table that ANALYZE creates`() async throws {
        let database = try await database("CREATE TABLE a (a TEXT); CREATE INDEX a_a ON a (a); INSERT INTO a VALUES ('x')")
        let followed = await FollowedQuery(database, "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%' ORDER BY name")
        let runs = try await followed.runs { try await database.execute("ANALYZE") }
        #expect(runs.first == "" && runs.count == 2 && runs.last?.hasPrefix("sqlite_stat1") == true)
        #expect(try await followed.runs { try await database.execute("ANALYZE") } == runs)
        await database.close()
    }

    @Test func `R18 a query whose statement can't be prepared runs when that may have changed`() async throws {
        let database = try await database("CREATE TABLE trips (name TEXT); INSERT INTO trips VALUES ('Rome')")
        let followed = await FollowedQuery(database, "SELECT name || coalesce(country, '') FROM trips")
        #expect(try await followed.runs { try await database.execute("ALTER TABLE trips ADD COLUMN country TEXT") } == ["error", "Rome"])
        await database.close()
    }

    @Test func `D5 ANALYZE and REINDEX rerun nothing`() async throws {
        let database = try await database("CREATE TABLE a (a TEXT); CREATE INDEX a_a ON a (a); INSERT INTO a VALUES ('x')")
        let followed = await FollowedQuery(database, "SELECT a FROM a")
        #expect(try await followed.runs { try await database.execute("ANALYZE") } == ["x"])
        #expect(try await followed.runs { try await database.execute("ANALYZE") } == ["x"])
        #expect(try await followed.runs { try await database.execute("REINDEX") } == ["x"])
        #expect(try await followed.runs { try await database.execute("REINDEX a_a") } == ["x"])
        #expect(try await followed.runs { try await database.execute("INSERT INTO a VALUES ('y')") } == ["x", "x,y"])
        await database.close()
    }
}
