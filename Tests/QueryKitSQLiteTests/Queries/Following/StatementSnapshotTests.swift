import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// What the snapshot of a client shows about the statements of a database.
struct StatementSnapshotTests {
    /// A request that executes several statements in one read.
    private struct Texts: QueryRequest {
        let statements: [SQL]
        let database: SQLiteDatabase

        static func == (left: Texts, right: Texts) -> Bool { left.statements.map(\.text) == right.statements.map(\.text) }
        func hash(into hasher: inout Hasher) { hasher.combine(statements.map(\.text)) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await database.read { [statements] db in
                try statements.reduce(0) { count, sql in
                    var count = count
                    try db.forEach(sql) { _ in count += 1 }
                    return count
                }
            }
        }
    }

    private static let schema: StaticString = """
        CREATE TABLE food (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT, uses INTEGER);
        CREATE INDEX food_name ON food (name);
        CREATE TABLE entries (id INTEGER PRIMARY KEY, day TEXT, note TEXT);
        CREATE VIEW names AS SELECT id, name FROM food;
        CREATE VIRTUAL TABLE words USING fts5 (word);
        INSERT INTO food VALUES (1, 'a', 'Oats', 0), (2, 'b', 'Milk', 0);
        """

    private let client = QueryClient(configuration: .isolated)

    private func open(_ location: SQLiteDatabase.Location = .inMemory) async throws -> SQLiteDatabase {
        let database = try await SQLiteDatabase.make(location, Self.schema) {
            $0.partitions = [SQLitePartition(table: "entries", column: "day")]
            $0.name = "db"
        }
        client.connect(to: database)
        return database
    }

    /// The snapshot of a request after its fetch.
    private func snapshot(of statements: SQL..., in database: SQLiteDatabase) async throws -> QueryClientSnapshot.Store {
        let request = Texts(statements: statements, database: database)
        _ = try await client.fetch(request)
        return try #require(client.snapshot().stores.first { $0.path == request.path.description })
    }

    @Test func `D11 a snapshot shows the text of a statement without values, its plan and what it reads`() async throws {
        let database = try await open()
        let store = try await snapshot(of: "SELECT name FROM food WHERE code = \("secret")", in: database)
        #expect(store.statements.map(\.text) == ["SELECT name FROM food WHERE code = ?"])
        #expect(store.statements.map(\.plan) == [["SEARCH food USING INDEX sqlite_autoindex_food_1 (code=?)"]])
        #expect(store.statements.map(\.reads) == [["food: rows by key; columns code, name"]])
        #expect(store.statements.map(\.warnings) == [[]])
        await database.close()
        // The description doesn't need the database.
        #expect(client.snapshot().stores.map(\.statements) == [store.statements])
    }

    @Test(
        arguments: [
            ("SELECT name FROM food WHERE id IN (1, 2)", "food: rows by key; columns name"),
            ("SELECT id FROM food WHERE name >= 'A' AND name < 'C'", "food: ranges by name; columns name"),
            (
                "SELECT uses FROM food WHERE id = \(2) UNION SELECT uses FROM food WHERE name = 'x'",
                "food: ranges by name, and rows by key; columns name, uses"
            ),
            ("SELECT uses FROM food", "food: the whole table; columns uses, because all of its rows are read"),
            ("SELECT name FROM names WHERE id = 1", "food: rows by key; columns name"),
            ("SELECT note FROM entries WHERE day = \(partition: "2026-11-22", of: "entries")", "entries: partitions; columns day, note"),
            ("SELECT word FROM words WHERE words MATCH 'x'", "words: the whole table, because it is a virtual table"),
            (
                "SELECT uses FROM food WHERE id = \("x")",
                "food: rows by key, or the whole table; columns uses, because a key or the end of a range could not be determined for some values"
            ),
        ] as [(SQL, String)]
    )
    func `D11 a snapshot says what a statement reads of a table, and why not less`(_ sql: SQL, _ read: String) async throws {
        let database = try await open()
        #expect(try await snapshot(of: sql, in: database).statements.map(\.reads) == [[read]])
        await database.close()
    }

    @Test func `D11 a snapshot warns of the scan of a large table, also after it has grown`() async throws {
        let database = try await open()
        let scan: SQL = "SELECT id FROM entries WHERE note = 'x'"
        #expect(try await snapshot(of: scan, in: database).statements.map(\.warnings) == [[]])
        try await database.write { db in
            for number in 0..<2_000 { try db.execute("INSERT INTO entries (day, note) VALUES ('2026-11-22', \("\(number)"))") }
        }
        let warning = "An execution has scanned 2000 rows of entries. Add an index on the columns of its condition."
        #expect(try await snapshot(of: scan, in: database).statements.map(\.warnings) == [[warning]])
        #expect(client.snapshot().description.contains("warning: "))
        // These read few rows, or find them by the key.
        #expect(try await snapshot(of: "SELECT id FROM entries LIMIT 3", in: database).statements.map(\.warnings) == [[]])
        #expect(try await snapshot(of: "SELECT note FROM entries WHERE id = 7", in: database).statements.map(\.warnings) == [[]])
        #expect(
            try await snapshot(of: "SELECT count(*) FROM entries", in: database).statements.map(\.warnings)
                == [["It scans all more than 1000 rows of entries. Add an index on the columns of its condition."]]
        )
        try await database.execute("CREATE INDEX entries_note ON entries (note)")
        let indexed = try await snapshot(of: scan, in: database)
        #expect(indexed.statements.map(\.warnings) == [[]] && indexed.statements[0].reads == ["entries: ranges by note; columns note"])
        await database.close()
    }

    @Test func `D11 statements of one read that read the same rows are all shown, each once`() async throws {
        let database = try await open()
        let store = try await snapshot(
            of: "SELECT name FROM food WHERE id = \(1)",
            "SELECT uses FROM food WHERE id = \(1)",
            "SELECT name FROM food WHERE id = \(1)",
            "SELECT uses FROM food WHERE id = \(2)",
            "SELECT name FROM food WHERE id + 0 = \(1)",
            "SELECT name FROM food WHERE id - 0 = \(1)",
            in: database
        )
        #expect(
            store.statements.map(\.text) == [
                "SELECT name FROM food WHERE id + 0 = ?", "SELECT name FROM food WHERE id - 0 = ?", "SELECT name FROM food WHERE id = ?",
                "SELECT uses FROM food WHERE id = ?",
            ]
        )
        await database.close()
    }

    @Test func `D11 all connections of a database share the description of a statement`() async throws {
        let database = try await open(.temporary)
        let both = InlineQuery("both") { _ in
            // Two reads at the same time need two connections.
            let gates = [BlockingGate(), BlockingGate()]
            async let first = read(database, gates[0])
            async let second = read(database, gates[1])
            for gate in gates { await gate.arrival() }
            for gate in gates { gate.open() }
            return try await first + second
        }
        #expect(try await client.fetch(both) == 4)
        #expect(client.snapshot().stores.map { $0.statements.map(\.text) } == [["SELECT name FROM food WHERE id > ?"]])
        await database.close()
    }

    @Test func `D11 a request lists its own statements, and the request inside it the others`() async throws {
        let database = try await open()
        let inner = Texts(statements: ["SELECT name FROM food WHERE id = \(1)"], database: database)
        let outer = InlineQuery("outer") { context in
            let count = try await context.queryClient?.fetch(inner) ?? 0
            return try await database.read { db in try db.values(Int.self, "SELECT uses FROM food WHERE id = \(2)").count } + count
        }
        #expect(try await client.fetch(outer) == 2)
        let stores = client.snapshot(includingValues: true).stores
        #expect(stores.first { $0.path == "outer" }?.statements.map(\.text) == ["SELECT uses FROM food WHERE id = ?"])
        #expect(stores.first { $0.path == "outer" }?.reads == ["db/food#1", "db/food#2"])
        #expect(stores.first { $0.path != "outer" }?.statements.map(\.text) == ["SELECT name FROM food WHERE id = ?"])
        await database.close()
    }
}

private func read(_ database: SQLiteDatabase, _ gate: BlockingGate) async throws -> Int {
    try await database.read { db in
        let names = try db.values(String.self, "SELECT name FROM food WHERE id > \(0)")
        gate.pass()
        return names.count
    }
}
