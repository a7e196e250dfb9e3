import Foundation
import QueryKitSQLite
import SQLiteTestSupport
import TestSupport
import Testing

struct ExplanationTests {
    private static let schema: StaticString = """
        CREATE TABLE brands (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE food (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT, uses INTEGER, brand INTEGER REFERENCES brands (id));
        CREATE INDEX food_name ON food (name);
        CREATE INDEX food_brand ON food (brand DESC);
        CREATE TABLE entries (id INTEGER PRIMARY KEY, day TEXT, note TEXT);
        CREATE TABLE shapes (a INTEGER, b INTEGER AS (a + 1));
        CREATE VIEW names AS SELECT id, name FROM food;
        CREATE VIRTUAL TABLE words USING fts5 (word);
        INSERT INTO brands VALUES (1, 'Mill'), (2, 'Farm');
        INSERT INTO food VALUES (1, 'a', 'Oats', 0, 1), (2, 'b', 'Milk', 0, 2);
        """

    private func open() async throws -> SQLiteDatabase {
        try await SQLiteDatabase.make(.inMemory, Self.schema) { $0.partitions = [SQLitePartition(table: "entries", column: "day")] }
    }

    private func read(_ sql: SQL) async throws -> [SQLiteExplanation.Read] {
        let database = try await open()
        let reads = try await database.explain(sql).reads
        await database.close()
        return reads
    }

    @Test func `an explanation shows the rows and columns that a statement depends on`() async throws {
        let reads = try await read("SELECT f.name, b.name FROM food f JOIN brands b ON b.id = f.brand WHERE f.code = \("b")")
        #expect(reads.map(\.table) == ["brands", "food"])
        #expect(reads.map(\.part) == [.rows([2]), .rows([2])])
        #expect(reads.map(\.columns) == [["name"], ["code", "name", "brand"]])
        #expect(reads.map(\.reason) == [nil, nil])
    }

    @Test func `an explanation shows the ranges of an index`() async throws {
        let reads = try await read("SELECT id FROM food WHERE name >= \("A") AND name < \("C")")
        #expect(reads.map(\.part) == [.ranges(["name >= 'A', name < 'C'"])])
        #expect(reads.first?.description == "reads food: range name >= 'A', name < 'C'; columns name")
        let mixed = try await read("SELECT uses FROM food WHERE id = \(2) UNION SELECT uses FROM food WHERE code = \("none")")
        #expect(mixed.map(\.part) == [.ranges(["code = 'none'", "row 2"])])
    }

    @Test func `an explanation shows the partitions`() async throws {
        let reads = try await read("SELECT note FROM entries WHERE day = \(partition: "2026-11-22", of: "entries")")
        #expect(reads.map(\.part) == [.partitions(["2026-11-22"])])
        #expect(reads.first?.columns == ["day", "note"])
    }

    @Test(
        arguments: [
            ("SELECT uses FROM food", "all of its rows are read"), ("SELECT name FROM food", "all of its index food_name is read"),
            (
                "SELECT id FROM food WHERE brand = 3",
                "the order of its index food_brand isn't supported: it is descending, or doesn't compare text by its bytes"
            ),
            (
                "SELECT id FROM food WHERE name = 3",
                "a value is converted before it is compared with a column, or there are too many ranges"
            ),
            ("SELECT name FROM food WHERE id > 1", "a range of its rows is read, or a key that comes from an expression"),
            (
                "SELECT name FROM food WHERE code = lower('A')",
                "a range of its index sqlite_autoindex_food_1 is read, or a key that comes from an expression"
            ),
            (
                "SELECT name FROM food WHERE id = 1 + abs(1)",
                "the ids of its rows come from an expression, or from rows that aren't known in advance"
            ),
            (
                "SELECT name FROM food WHERE id = \("1")",
                "a key doesn't exist yet or isn't an integer, or there are too many keys to look up"
            ),
            ("SELECT word FROM words WHERE words MATCH 'x'", "it is a virtual table"),
        ] as [(SQL, String)]
    )
    func `an explanation says why a statement depends on the whole table`(_ sql: SQL, _ reason: String) async throws {
        let reads = try await read(sql)
        #expect(reads.map(\.part) == [.table])
        #expect(reads.map(\.reason) == [reason])
    }

    @Test func `an explanation says why all columns count`() async throws {
        let reads = try await read("SELECT a FROM shapes WHERE rowid = 1")
        #expect(reads.map(\.part) == [.rows([1])])
        #expect(reads.map(\.columns) == [nil])
        #expect(reads.map(\.reason) == ["one of its columns is computed, or an index on it is partial or has expressions"])
    }

    @Test func `tables that are not in the schema are left out, but the schema itself is included`() async throws {
        let reads = try await read("SELECT j.value, s.name FROM json_each('[1]') j, sqlite_schema s")
        #expect(reads.map(\.table) == ["sqlite_schema"])
    }

    @Test func `explaining on a damaged file recovers it`() async throws {
        let folder = try WatchedFolder()
        let url = URL(filePath: folder.path(of: "pantry.sqlite"))
        var pages = PantryPages(bytes: try await Pantry.file())
        try Data(pages.bytes).write(to: url)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries_day", in: url))[0])
        try Data(pages.bytes).write(to: url)
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        // Counting the rows of scanned tables finds the damage.
        let explanation = try await database.explain("SELECT note FROM entries NOT INDEXED WHERE note LIKE '%x'")
        #expect(explanation.reads.map(\.table) == ["entries"])
        guard case .recovered = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        await database.close()
    }

    @Test func `a view is shown as its tables`() async throws {
        #expect(try await read("SELECT name FROM names WHERE id = 2").map(\.table) == ["food"])
    }

    @Test func `scanning a large table causes a warning`() async throws {
        let database = try await open()
        func warnings(_ sql: SQL) async throws -> [String] { try await database.explain(sql).warnings }
        #expect(try await warnings("SELECT id FROM entries WHERE note = 'x'") == [])
        try await database.write { db in
            for number in 0..<2_000 { try db.execute("INSERT INTO entries (day, note) VALUES ('2026-11-22', \("\(number)"))") }
        }
        let warning = "It scans all 2000 rows of entries. Add an index on the columns of its condition."
        #expect(try await warnings("SELECT id FROM entries WHERE note = 'x'") == [warning])
        #expect(try await warnings("SELECT count(*) FROM entries") == [warning])
        #expect(try await warnings("DELETE FROM entries WHERE note = 'x'") == [warning])
        #expect(try await warnings("SELECT note FROM entries WHERE id = 7") == [])
        #expect(try await warnings("SELECT max(id) FROM entries") == [])
        try await database.execute("CREATE INDEX entries_note ON entries (note)")
        #expect(try await warnings("SELECT id FROM entries WHERE note = 'x'") == [])
        await database.close()
    }

    @Test func `an explanation prints the plan, the reads and the writes`() async throws {
        let database = try await open()
        let text = try await database.explain("UPDATE food SET uses = uses + 1 WHERE id = \(1)").description
        #expect(text.hasPrefix("SEARCH food USING INTEGER PRIMARY KEY (rowid=?)\nreads food: "))
        #expect(text.hasSuffix("\nwrites food"))
        let list = try await database.explain("SELECT name FROM food WHERE id IN \(Array(1...20))").description
        #expect(list.contains("reads food: rows 1, 2, 3, 4, 5, 6, 7, 8 and 12 more; columns name"))
        let union = try await database.explain("SELECT name FROM food WHERE id = 1 UNION SELECT name FROM brands WHERE id = 2")
        #expect(union.plan.contains { $0.hasPrefix("  ") } && union.reads.map(\.part) == [.rows([2]), .rows([1])])
        await database.close()
    }

    @Test func `explaining changes nothing, and an invalid statement throws`() async throws {
        let database = try await open()
        _ = try await database.explain("DELETE FROM food")
        #expect(try await database.count("SELECT count(*) FROM food") == 2)
        let other = try await database.explain("SELECT x FROM (SELECT 1 AS x)")
        #expect(other.reads == [] && other.writes == [] && other.warnings == [])
        for sql in ["SELECT nothing FROM food", "SELECT 1; SELECT 2", "BEGIN"] as [SQL] {
            await #expect(throws: SQLiteError.self) { try await database.explain(sql) }
        }
        await database.close()
        await #expect(throws: SQLiteError.self) { try await database.explain("SELECT 1") }
    }

    @Test func `a reader can explain too`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), Self.schema)
        let reader = try await SQLiteReader.open(folder.file())
        #expect(try await reader.explain("SELECT name FROM food WHERE id = 1").reads.map(\.part) == [.rows([1])])
        await reader.close()
        await database.close()
    }
}
