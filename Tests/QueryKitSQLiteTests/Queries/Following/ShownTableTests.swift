import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Queries over tables whose content comes from other tables, which no write reports by their own names.
struct ShownTableTests {
    private func database(_ script: StaticString) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.temporary, script) { $0.trustsSchema = true }
    }

    private static let fullText: StaticString = """
        CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT);
        INSERT INTO docs VALUES (1, 'a');
        CREATE VIRTUAL TABLE found USING fts5(body);
        INSERT INTO found VALUES ('a');
        CREATE VIRTUAL TABLE words USING fts5vocab('found', 'row');
        CREATE VIRTUAL TABLE uses USING fts5vocab(found, instance);
        CREATE VIRTUAL TABLE old USING fts4(body);
        CREATE VIRTUAL TABLE old_words USING fts4aux(old);
        """

    @Test(arguments: [
        "SELECT term FROM words ORDER BY term", "SELECT term FROM uses ORDER BY term", "SELECT c0 FROM found_content ORDER BY c0",
        "SELECT group_concat(body) FROM FOUND",
    ])
    func `D5 a vocabulary, a shadow table and another spelling follow the full-text table`(sql: String) async throws {
        let database = try await database(Self.fullText)
        let followed = await FollowedQuery(database, SQL(text: sql))
        #expect(try await followed.runs { try await database.execute("INSERT INTO found VALUES ('b')") } == ["a", "a,b"])
        #expect(try await followed.runs { try await database.execute("INSERT INTO docs VALUES (2, 'c')") } == ["a", "a,b"])
        await database.close()
    }

    @Test func `D5 a vocabulary of FTS4 follows its full-text table`() async throws {
        let database = try await database(Self.fullText)
        let followed = await FollowedQuery(database, "SELECT term FROM old_words WHERE col = '*'")
        #expect(try await followed.runs { try await database.execute("INSERT INTO old VALUES ('b')") } == ["", "b"])
        await database.close()
    }

    @Test(arguments: ["housing", "\"a using b\"", "[using]", "/* USING x(content=y) */ found"])
    func `D5 full-text search follows its content table, however its name is written`(name: String) async throws {
        let database = try await database("CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO docs VALUES (1, 'a')")
        try await database.write { db in
            try db.connection.run("CREATE VIRTUAL TABLE \(name) USING \"fts5\" (body, content='docs', content_rowid='id')")
            try db.connection.run("CREATE VIEW shown AS SELECT body FROM \(name)")
        }
        let followed = await FollowedQuery(database, "SELECT body FROM shown")
        #expect(try await followed.runs { try await database.execute("UPDATE docs SET body = 'b'") } == ["a", "b"])
        await database.close()
    }

    @Test func `D5 the largest row ids follow inserts into tables with AUTOINCREMENT, and no other tables`() async throws {
        let database = try await database(
            "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n); CREATE TABLE b (id INTEGER PRIMARY KEY, n); INSERT INTO a VALUES (1, 0)"
        )
        let followed = await FollowedQuery(database, "SELECT CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = 'a'")
        #expect(try await followed.runs { try await database.execute("INSERT INTO b VALUES (1, 0)") } == ["1"])
        #expect(try await followed.runs { try await database.execute("INSERT INTO a VALUES (7, 0)") } == ["1", "7"])
        #expect(try await followed.runs { try await database.execute("UPDATE sqlite_sequence SET seq = 9") } == ["1", "7", "9"])
        #expect(try await followed.runs { try await database.execute("DELETE FROM sqlite_sequence") } == ["1", "7", "9", ""])
        await database.close()
    }

    @Test func `D5 the largest row ids follow an insert whose row is ignored, and queries of the table don't`() async throws {
        let database = try await database(
            "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT UNIQUE); CREATE TABLE b (n); INSERT INTO a VALUES (1, 'x')"
        )
        let followed = await FollowedQuery(database, "SELECT CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = 'a'")
        let rows = await FollowedQuery(database, "SELECT n FROM a")
        #expect(try await followed.runs { try await database.execute("INSERT OR IGNORE INTO a VALUES (7, 'x')") } == ["1", "7"])
        try await database.execute("CREATE TRIGGER numbering AFTER UPDATE ON b BEGIN INSERT OR IGNORE INTO a VALUES (9, 'x'); END")
        try await database.execute("INSERT INTO b VALUES (1)")
        #expect(try await followed.runs { try await database.execute("UPDATE b SET n = 2") }.last == "9")
        // The trigger's creation has changed everything, and its UPDATE may have changed the table.
        #expect(try await rows.runs { try await database.execute("INSERT OR IGNORE INTO a VALUES (20, 'x')") } == ["x", "x", "x"])
        await database.close()
    }

    @Test func `D5 a statement that reads a row and the largest row ids follows all rows of the table`() async throws {
        let database = try await database("CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n); INSERT INTO a VALUES (1, 0)")
        let followed = await FollowedQuery(database, "SELECT seq || '/' || (SELECT n FROM a WHERE id = 1) FROM sqlite_sequence")
        #expect(try await followed.runs { try await database.execute("INSERT INTO a VALUES (2, 0)") } == ["1/0", "2/0"])
        await database.close()
    }

    @Test func `D5 the user version follows its change only, and the number of pages follows each write`() async throws {
        let database = try await database("CREATE TABLE a (n)")
        let version = await FollowedQuery(database, "SELECT CAST(user_version AS TEXT) FROM pragma_user_version")
        let pages = await FollowedQuery(database, "SELECT CAST(page_count > 20 AS TEXT) FROM pragma_page_count")
        let write: @Sendable () async throws -> Void = { try await database.execute("INSERT INTO a VALUES (zeroblob(500000))") }
        #expect(try await pages.runs(after: write) == ["0", "1"])
        #expect(try await version.runs { try await database.execute("PRAGMA user_version = 3") } == ["0", "3"])
        await database.close()
    }
}
