import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct StatementTests {
    @Test(arguments: [
        ("", "The text contains no statement."), ("  -- nothing", "The text contains no statement."),
        ("SELECT 1; SELECT 2", "The text contains more than one statement; the second begins at \" SELECT 2\"."),
    ])
    func `a text must contain exactly one statement`(_ text: String, _ message: String) throws {
        let connection = try Connection.make()
        let error = #expect(throws: SQLiteError.self) { try connection.prepare(text, for: .reader) }
        #expect(error?.message == message)
    }

    @Test(arguments: ["SELECT 1;", "SELECT 1 ; ; ", "SELECT 1; -- that is all", "SELECT 1\n;\n-- a\n-- b\n"])
    func `a statement may be followed by spaces, comments and semicolons`(_ text: String) throws {
        _ = try Connection.make().prepare(text, for: .reader)
    }

    @Test func `a NUL in the text is refused, even in a script, where it would hide the rest`() throws {
        let connection = try Connection.make()
        let errors = [
            #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1\0; DROP TABLE t", for: .reader) },
            #expect(throws: SQLiteError.self) { try connection.script("CREATE TABLE a (x);\0CREATE TABLE b (x)", for: .writer) },
        ]
        #expect(errors.map { $0?.message } == Array(repeating: "The text of the statement contains a NUL.", count: 2))
    }

    @Test func `D3 a cached statement does not keep the values of its last use`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        let isNull = try await database.read { db in
            _ = try db.value(Int.self, "SELECT \(5)")
            let statement = try db.connection.statement("SELECT ?", for: .reader)
            defer { statement.reset() }
            _ = try statement.step()
            return SQLiteColumn(firstOf: statement).isNull
        }
        #expect(isNull)
    }

    @Test func `a wrong number of values is refused`() throws {
        let statement = try Connection.make().prepare("SELECT ?, ?", for: .reader)
        let error = #expect(throws: SQLiteError.self) { try statement.bind([.null]) }
        #expect(error?.message == "The statement has 2 parameters; values passed: 1.")
        #expect(error?.code == .range)
    }

    @Test func `an error has the code, extended code, message and statement, but no values`() throws {
        let connection = try Connection.make("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE) STRICT")
        try connection.run("INSERT INTO t (b) VALUES (?)", [.text("secret")])
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t (b) VALUES (?)", [.text("secret")]) }
        #expect(error?.code == .constraint)
        #expect(error?.constraint == .unique)
        #expect(error?.description == "SQLite 19/2067: UNIQUE constraint failed: t.b [INSERT INTO t (b) VALUES (?)]")
    }

    @Test func `D3 a statement is prepared once, and a second time if it is used within itself`() throws {
        let connection = try Connection.make()
        let first = try connection.statement("SELECT 1", for: .reader)
        #expect(try connection.statement("SELECT 1", for: .reader) === first)
        first.isBusy = true
        let second = try connection.statement("SELECT 1", for: .reader)
        #expect(second !== first)
        first.isBusy = false
    }

    @Test func `D3 similar texts are different statements`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        let (composed, decomposed) = try await database.read { db in
            (try db.value(String.self, "SELECT hex('\u{E9}')"), try db.value(String.self, "SELECT hex('e\u{301}')"))
        }
        #expect(composed == "C3A9")
        #expect(decomposed == "65CC81")
    }

    @Test func `D3 a cached statement follows a change of the columns`() async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (x, y, z); INSERT INTO t VALUES (1, 2, 3)")
        func read(_ name: String) async throws -> Int? {
            try await database.read { db in
                try db.map("SELECT * FROM t") { row in row.contains(name) ? try row[name] as Int? : nil }.first ?? nil
            }
        }
        #expect(try await read("y") == 2)
        try await database.execute("ALTER TABLE t DROP COLUMN x")
        #expect(try await read("y") == 2)
        #expect(try await read("z") == 3)
        #expect(try await read("x") == nil)
        try await database.execute("ALTER TABLE t ADD COLUMN w DEFAULT 4")
        #expect(try await read("w") == 4)
    }

    @Test func `D3 the cache keeps the most recently used statements`() throws {
        let connection = try Connection.make()
        let cache = StatementCache(limit: 8)
        for number in 0..<9 {
            cache.insert(try connection.prepare("SELECT \(number)", for: .engine))
            _ = cache.statement(for: "SELECT 0")
        }
        #expect(cache.count == 7)
        #expect(cache.statement(for: "SELECT 0") != nil)
        #expect(cache.statement(for: "SELECT 1") == nil)
        #expect(cache.statement(for: "SELECT 2") == nil)
        #expect(cache.statement(for: "SELECT 8") != nil)
    }

    @Test func `a statement can run while its own rows are being read`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        let pairs = try await database.read { db in
            try db.map("SELECT value FROM json_each('[1,2]')") { outer in
                let inner = try db.values(Int.self, "SELECT value FROM json_each('[1,2]')")
                return "\(try outer[0] as Int) \(inner)"
            }
        }
        #expect(pairs == ["1 [1, 2]", "2 [1, 2]"])
    }
}

/// What statements touch, in the cases that SQLite's other hooks don't report (D5).
struct AccessTests {
    private static let schema = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE CASCADE);
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE log (t TEXT);
        CREATE TRIGGER reported AFTER INSERT ON w BEGIN INSERT INTO log VALUES (NEW.k); END;
        CREATE VIEW seen AS SELECT a.v FROM a JOIN b ON b.a = a.id;
        CREATE TRIGGER instead INSTEAD OF INSERT ON seen BEGIN INSERT INTO a (v) VALUES (NEW.v); END;
        CREATE VIRTUAL TABLE f USING fts5(text);
        """

    private func access(_ sql: String) throws -> Access {
        try Connection.make(Self.schema).prepare(sql, for: .writer).access
    }

    @Test(arguments: [
        ("INSERT INTO a (v) VALUES ('x')", ["a"]), ("REPLACE INTO a VALUES (1, 'x')", ["a", "b"]), ("DELETE FROM a", ["a", "b"]),
        ("UPDATE a SET v = 'y' WHERE 0", ["a"]), ("INSERT INTO w VALUES ('k', 1)", ["log", "w"]),
        ("INSERT INTO w VALUES ('k', 1) ON CONFLICT DO UPDATE SET v = 2", ["log", "w"]), ("INSERT INTO seen VALUES ('x')", ["a", "seen"]),
        ("INSERT INTO f VALUES ('x')", ["f"]), ("WITH x AS (SELECT 1) INSERT INTO log SELECT * FROM x", ["log"]),
    ])
    func `D5 a statement's writes are known when it is prepared`(_ sql: String, _ tables: [String]) throws {
        #expect(try access(sql).writes.sorted() == tables)
    }

    @Test(arguments: [
        ("SELECT count(*) FROM a", ["a"]), ("SELECT 1 FROM w", ["w"]), ("SELECT (SELECT max(id) FROM b)", ["b"]),
        ("SELECT * FROM a WHERE id IN (SELECT a FROM b)", ["a", "b"]), ("INSERT INTO log SELECT k FROM w", ["w"]), ("SELECT 1", []),
    ])
    func `D5 a statement's reads are known when it is prepared`(_ sql: String, _ tables: [String]) throws {
        #expect(try access(sql).reads.sorted() == tables)
    }

    @Test func `D5 reading a view reads its tables`() throws {
        #expect(try access("SELECT * FROM seen").reads.isSuperset(of: ["a", "b"]))
    }

    @Test func `D5 a full-text query reads its table`() throws {
        #expect(try access("SELECT * FROM f WHERE f MATCH 'x'").reads.contains("f"))
    }

    @Test(arguments: ["CREATE TABLE n (a)", "DROP TABLE log", "ALTER TABLE a ADD COLUMN n", "CREATE INDEX i ON a (v)", "DROP VIEW seen"])
    func `D5 a change of the schema is a change of everything`(_ sql: String) throws {
        #expect(try access(sql).changesSchema)
    }

    @Test func `D5 of SQLite's tables only the schema counts, and of the engine's none`() throws {
        #expect(try access("SELECT * FROM sqlite_schema").reads == ["sqlite_schema"])
        #expect(try access("SELECT * FROM sqlite_master").reads == ["sqlite_schema"])
        #expect(Access.isInternal("querykit_changes"))
    }
}

struct HardeningTests {
    private static let transactions = "Statements can't begin or end transactions. Use read, write and savepoint."
    private static let files = "Other files can't be attached. Open each file as a SQLiteDatabase of its own."

    private static func pragma(_ name: String) -> String {
        "PRAGMA \(name) is reserved for QueryKitSQLite. Use the configuration or the methods of the database."
    }

    @Test(arguments: [
        ("BEGIN", transactions), ("COMMIT", transactions), ("ROLLBACK", transactions), ("SAVEPOINT a", transactions),
        ("ATTACH ':memory:' AS other", files), ("DETACH main", files), ("PRAGMA journal_mode = DELETE", pragma("journal_mode")),
        ("PRAGMA writable_schema = 1", pragma("writable_schema")), ("PRAGMA foreign_keys = 0", pragma("foreign_keys")),
        ("PRAGMA synchronous = 0", pragma("synchronous")),
    ])
    func `D7 an app can't circumvent the engine, and the error says what to use`(_ text: String, _ message: String) throws {
        let error = #expect(throws: SQLiteError.self) { try Connection.make().prepare(text, for: .writer) }
        #expect(error?.code == .notAuthorized)
        #expect(error?.message == message)
    }

    @Test(arguments: ["SELECT load_extension('x')", "SELECT \"text\"", "UPDATE sqlite_schema SET sql = ''", "DELETE FROM f_data"])
    func `D7 statements that could harm the file are refused`(_ text: String) throws {
        let connection = try Connection.make("CREATE VIRTUAL TABLE f USING fts5(text)")
        #expect(throws: SQLiteError.self) {
            let statement = try connection.prepare(text, for: .writer)
            while try statement.step() {}
        }
    }

    @Test func `D7 an app can use harmless pragmas`() throws {
        _ = try Connection.make().prepare("PRAGMA table_info(t)", for: .reader)
        _ = try Connection.make().prepare("SELECT * FROM pragma_table_info('t')", for: .reader)
    }

    @Test(arguments: ["CREATE INDEX i ON t (\"no column\")", "CREATE TABLE n (a CHECK (a <> \"text\"))"])
    func `D7 a double-quoted string in the schema is not accepted as text`(_ text: String) throws {
        let connection = try Connection.make("CREATE TABLE t (a)")
        #expect(throws: SQLiteError.self) { try connection.run(text) }
    }

    @Test func `D7 functions and tables defined by a file are not trusted`() throws {
        let connection = try Connection.make(
            "CREATE VIRTUAL TABLE f USING fts5(text); CREATE TABLE t (a); CREATE TRIGGER s AFTER INSERT ON t BEGIN INSERT INTO f VALUES (NEW.a); END"
        )
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES ('x')") }
        #expect(error?.message.contains("unsafe use of virtual table") == true)
    }

    @Test func `D7 even the engine can't attach files`() throws {
        #expect(throws: SQLiteError.self) { try Connection.make().run("ATTACH ':memory:' AS other") }
    }

    @Test func `D7 a reading connection refuses every write, even the engine's`() async throws {
        let database = try await SQLiteDatabase.make(.temporary)
        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { db in try db.connection.run("CREATE TEMP TABLE n (a)") }
        }
        #expect(error?.code == .readOnly)
    }

    @Test func `D7 foreign keys are enforced`() async throws {
        let database = try await SQLiteDatabase.make(
            .inMemory,
            "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))"
        )
        let error = await #expect(throws: SQLiteError.self) { try await database.execute("INSERT INTO b VALUES (1)") }
        #expect(error?.constraint == .foreignKey)
    }

    @Test func `D7 the files can be read only by their user`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE t (a)")
        try await database.execute("INSERT INTO t VALUES (1)")
        for name in ["test.sqlite", "test.sqlite-wal", "test.sqlite-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        await database.close()
    }
}
