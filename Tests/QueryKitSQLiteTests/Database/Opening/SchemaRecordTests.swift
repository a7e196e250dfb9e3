import Foundation
import QueryKit
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// The schema is compared with the record of it that the file contains, so that a lost part is found also if migrations have closures.
struct SchemaRecordTests {
    private static let first = SQLiteMigration(
        "food",
        """
        CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT, grams REAL);
        CREATE TABLE notes (text TEXT);
        """
    )
    private static let second = SQLiteMigration("index", revision: 1) { db in
        try db.execute("CREATE INDEX food_name ON food (name)")
        try db.execute("CREATE VIEW heavy AS SELECT id FROM food WHERE grams > 100")
        try db.execute("CREATE TRIGGER added AFTER INSERT ON food BEGIN INSERT INTO notes VALUES (new.name); END")
    }

    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "food.sqlite"))
    }

    private func open(
        _ migrations: SQLiteMigrations = [first, second],
        change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
    }

    private func make(_ migrations: SQLiteMigrations = [first, second]) async throws {
        let database = try await open(migrations)
        for name in ["oats", "rice"] { try await database.execute("INSERT INTO food (name, grams) VALUES (\(name), 500)") }
        await database.close()
    }

    /// Changes the file as damage or another program would.
    private func harm(_ script: String) throws {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        _ = try connection.script(script, for: .engine)
    }

    /// The causes of the recoveries that opening the file reports.
    private func causes(_ migrations: SQLiteMigrations = [first, second]) async throws -> [String] {
        let database = try await open(migrations)
        let causes = database.report.unacknowledged.map(\.cause)
        #expect(try await database.integrityCheck() == [])
        await database.close()
        return causes
    }

    // MARK: Lost parts

    private static let losses = [
        ("DROP TABLE food", "the table food"), ("DROP INDEX food_name", "the index food_name of food"),
        ("DROP VIEW heavy; ALTER TABLE food DROP COLUMN grams", "the column grams of food is missing, and 1 more"),
        ("DROP TRIGGER added", "the trigger added of food"), ("DROP VIEW heavy", "the view heavy"),
    ]

    @Test(arguments: losses) func `D9 a lost part of a schema that a closure has made is recreated and reported`(_ loss: (String, String))
        async throws
    {
        try await make()
        try harm(loss.0)
        let database = try await open()
        let cause = try #require(database.report.unacknowledged.first?.cause)
        #expect(cause.hasPrefix("The file is damaged: \(loss.1)"), "\(cause)")
        #expect(try await database.count("SELECT count(*) FROM notes") == 2)
        #expect(
            try await database.count("SELECT count(*) FROM food INDEXED BY food_name WHERE name > ''")
                == (loss.0 == "DROP TABLE food" ? 0 : 2)
        )
        #expect(try await database.count("SELECT count(*) FROM heavy") != nil)
        #expect(try await database.integrityCheck() == [])
        await database.close()
        let next = try await open()
        #expect(next.report.unacknowledged.count == 1)
        await next.close()
    }

    @Test func `D9 a lost part of a schema that a closure has made is found while the database is in use`() async throws {
        try await make()
        let database = try await open()
        try harm("DROP INDEX food_name")
        #expect(try await database.integrityCheck() == ["the index food_name of food is missing"])
        #expect(try await database.integrityCheck() == [])
        try harm("DROP TABLE notes")
        // Its trigger needs the table.
        try await database.execute("INSERT INTO food (name) VALUES ('flour')")
        #expect(database.report.unacknowledged.map(\.incomplete) == [[], ["notes"]])
        #expect(try await database.count("SELECT count(*) FROM notes") == 1)
        await database.close()
    }

    @Test func `D9 a lost part that only a write has made is recreated from its recorded statement`() async throws {
        try await make()
        let database = try await open()
        try await database.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY, day TEXT)")
        try await database.execute("CREATE INDEX extra_day ON extra (day)")
        try await database.execute("CREATE VIRTUAL TABLE words USING fts5 (word)")
        try await database.execute("ALTER TABLE notes ADD COLUMN mood TEXT")
        await database.close()
        #expect(try await causes() == [])
        try harm("DROP TABLE extra; DROP TABLE words; ALTER TABLE notes DROP COLUMN mood")
        let next = try await open()
        let recovery = try #require(next.report.unacknowledged.first)
        #expect(recovery.incomplete == ["extra", "notes", "words"])
        #expect(try await next.count("SELECT count(*) FROM extra INDEXED BY extra_day WHERE day > ''") == 0)
        #expect(try await next.count("SELECT count(*) FROM words WHERE words MATCH 'a'") == 0)
        await next.close()
        #expect(try await causes().count == 1)
    }

    @Test func `D9 a lost part stays reported although a write changes the schema afterwards`() async throws {
        try await make()
        let database = try await open { $0.damage = .fail }
        try harm("DROP INDEX food_name")
        try await database.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY)")
        await database.close()
        #expect(try await causes() == ["The file is damaged: the index food_name of food is missing."])
    }

    @Test func `D9 a lost part is found before a migration records the schema again`() async throws {
        try await make([Self.first])
        try harm("DROP TABLE notes")
        await #expect(throws: SQLiteError.self) { try await open { $0.damage = .fail } }
        // The same in a file without a record.
        try harm("DROP TABLE querykit_schema")
        await #expect(throws: SQLiteError.self) { try await open { $0.damage = .fail } }
        #expect(try await causes() == ["The file is damaged: the table notes is missing."])
    }

    @Test(arguments: ["DELETE FROM querykit_migrations", "DROP TABLE querykit_migrations"])
    func `D9 a lost list of migrations with closures is restored`(_ loss: String) async throws {
        try await make()
        try harm(loss)
        #expect(try await causes() == ["The file is damaged: the list of migrations is missing."])
    }

    // MARK: Changes on purpose

    private static let changes: [(name: String, change: @Sendable (SQLiteWriteTransaction) throws -> Void)] = [
        ("a dropped index", { try $0.execute("DROP INDEX food_name") }),
        ("a prepared statement", { try $0.prepare("DROP TABLE notes").run() }),
        (
            "a renamed column",
            { db in
                try db.execute("DROP VIEW heavy")
                try db.execute("ALTER TABLE food RENAME COLUMN grams TO weight")
            }
        ),
        (
            "a renamed table",
            { db in
                try db.execute("DROP TRIGGER added")
                try db.execute("ALTER TABLE notes RENAME TO remarks")
            }
        ),
        (
            "a dropped and created table",
            { db in
                try db.execute("DROP TABLE notes")
                try db.execute("CREATE TABLE notes (body TEXT)")
            }
        ),
    ]

    @Test(arguments: 0..<changes.count) func `D9 a part that the app removes in a write is not damage`(_ index: Int) async throws {
        try await make()
        let database = try await open()
        try await database.write(Self.changes[index].change)
        #expect(try await database.integrityCheck() == [])
        await database.close()
        #expect(try await causes() == [])
        // The migrations are applied, so the file stays as the app has changed it.
        #expect(try await causes([Self.first, Self.second, SQLiteMigration("third", "CREATE TABLE c (id)")]) == [])
    }

    @Test func `D9 a part of a script that the app removes in a write is not damage`() async throws {
        let migrations: SQLiteMigrations = [Self.first, SQLiteMigration("index", "CREATE INDEX food_name ON food (name)")]
        try await make(migrations)
        let database = try await open(migrations)
        try await database.execute("DROP INDEX food_name")
        await database.close()
        #expect(try await causes(migrations) == [])
    }

    @Test func `D9 a schema change that is rolled back leaves the record unchanged`() async throws {
        struct Stop: Error {}
        try await make()
        let database = try await open()
        await #expect(throws: Stop.self) {
            try await database.write { db in
                try db.execute("DROP INDEX food_name")
                throw Stop()
            }
        }
        try await database.write { db in
            try? db.savepoint {
                try db.execute("DROP INDEX food_name")
                throw Stop()
            }
        }
        await database.close()
        try harm("DROP INDEX food_name")
        #expect(try await causes() == ["The file is damaged: the index food_name of food is missing."])
    }

    @Test func `D9 another process sees no damage while a write changes the schema`() async throws {
        try await make()
        let (mine, other) = (try await open(), try await open())
        let isDone = Lock(false)
        async let changing: Void = {
            defer { isDone.withLock { $0 = true } }
            for number in 1...200 {
                try await mine.execute(number.isMultiple(of: 2) ? "CREATE INDEX food_name ON food (name)" : "DROP INDEX food_name")
            }
        }()
        while !isDone.withLock(\.self) {
            let missing = try await other.core.lanes.value(.read) { try $0.missingParts(of: []) }
            #expect(missing == [])
            if !missing.isEmpty { break }
        }
        try await changing
        #expect(try await other.integrityCheck() == [])
        #expect(other.report.unacknowledged == [])
        await mine.close()
        await other.close()
    }

    @Test func `D9 what the app has dropped is no loss of a later recovery`() async throws {
        try await make()
        let database = try await open()
        try await database.write { db in
            try db.execute("DROP TRIGGER added")
            try db.execute("DROP TABLE notes")
        }
        await database.close()
        try harm("DROP INDEX food_name")
        let next = try await open()
        let recovery = try #require(next.report.unacknowledged.first)
        #expect(recovery.incomplete == [])
        #expect(recovery.rows == ["food": 2])
        await next.close()
    }

    // MARK: Damaged statements and records

    /// Changes the file as damage would: SQLite doesn't note that the schema has changed.
    private func damage(_ script: String) throws {
        let connection = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .salvage))
        _ = try connection.script(script, for: .engine)
    }

    @Test func `D9 a schema that another program has changed is recorded, and damage found afterwards`() async throws {
        try await make()
        try harm("CREATE TABLE prices (price REAL); INSERT INTO prices VALUES (3), (4); DROP VIEW heavy; CREATE VIEW heavy AS SELECT 1")
        #expect(try await causes() == [])
        try damage("UPDATE sqlite_schema SET sql = replace(sql, '(price', '(prise') WHERE name = 'prices'")
        let database = try await open()
        #expect(
            database.report.unacknowledged.map(\.cause) == ["The file is damaged: the column price of prices is missing, and 1 more."]
        )
        #expect(database.report.unacknowledged.map(\.incomplete) == [[]])
        #expect(try await database.count("SELECT count(*) FROM prices WHERE price > 2") == 2)
        await database.close()
    }

    @Test(arguments: ["VACUUM", "ANALYZE", "REINDEX"] as [StaticString])
    func `D9 damage of the schema is found, and loses no row, after its pages or statistics were rewritten`(
        _ command: StaticString
    ) async throws {
        try await make()
        let database = try await open()
        // The rewritten file has free pages no longer, so tables move.
        try await database.write { db in
            try db.execute("CREATE TABLE filler AS SELECT randomblob(20000) AS bytes")
            try db.execute("CREATE TABLE prices AS SELECT 3 AS price")
            try db.execute("DROP TABLE filler")
        }
        for _ in 1...2 {
            let isVacuum = command.description == "VACUUM"
            if isVacuum { try await database.vacuum() } else { try await database.execute(SQL(stringLiteral: command)) }
            #expect(try await database.core.lanes.value(.write) { try $0.hasSchemaRecord() })
        }
        #expect(try await database.integrityCheck() == [])
        await database.close()
        try damage("UPDATE sqlite_schema SET sql = replace(sql, 'TABLE', 'TACLE') WHERE name IN ('food', 'prices')")
        let next = try await open()
        #expect(try #require(next.report.unacknowledged.first).rows == ["food": 2, "notes": 2, "prices": 1])
        #expect(try await next.count("SELECT count(*) FROM food") == 2)
        await next.close()
    }

    @Test func `D9 a lost part stays reported although the file was vacuumed or analyzed afterwards`() async throws {
        try await make()
        let database = try await open { $0.damage = .fail }
        try harm("DROP INDEX food_name")
        try await database.vacuum()
        try await database.execute("ANALYZE")
        await database.close()
        #expect(try await causes() == ["The file is damaged: the index food_name of food is missing."])
    }

    @Test func `D9 a table whose statement is damaged keeps its rows although the record is older than the schema`() async throws {
        try await make()
        try harm(
            """
            CREATE INDEX food_grams ON food (grams);
            CREATE TABLE prices (price REAL);
            INSERT INTO prices VALUES (3);
            """
        )
        try damage("UPDATE sqlite_schema SET sql = replace(sql, 'TABLE', 'TACLE') WHERE name = 'food'")
        let database = try await open()
        let recovery = try #require(database.report.unacknowledged.first)
        #expect(recovery.rows == ["food": 2, "notes": 2, "prices": 1])
        #expect(try await database.count("SELECT count(*) FROM food INDEXED BY food_grams WHERE grams = 500") == 2)
        await database.close()
    }

    @Test(arguments: [
        "name = replace(name, 'grams', 'grbms')", "sql = replace(sql, 'grams', 'grbms')", "kind = 'rtate' WHERE kind = 'state'",
    ])
    func `D9 a damaged record changes nothing in an undamaged schema`(_ change: String) async throws {
        try await make()
        try harm("UPDATE querykit_schema SET \(change)")
        let database = try await open()
        #expect(database.report.outcome == .healthy)
        #expect(try await database.count("SELECT count(*) FROM food WHERE grams = 500") == 2)
        #expect(try await database.core.lanes.value(.write) { try $0.hasSchemaRecord() })
        await database.close()
    }

    // MARK: Files without a record

    @Test func `D9 a file without a record is opened as before, and recorded`() async throws {
        try await make()
        try harm("DROP TABLE querykit_schema; DROP INDEX food_name")
        #expect(try await causes() == [])
        try harm("DROP TRIGGER added")
        #expect(try await causes() == ["The file is damaged: the trigger added of food is missing."])
    }

    @Test func `D9 a file without a record is compared with migrations that are scripts`() async throws {
        try await make([Self.first])
        try harm("DROP TABLE querykit_schema; DROP TABLE notes")
        #expect(try await causes([Self.first]) == ["The file is damaged: the table notes is missing."])
    }

    @Test func `D9 a file without a record opens although it can't be recorded now`() async throws {
        try await make()
        try harm("DROP TABLE querykit_schema")
        let holder = try Connection(path: url.path(percentEncoded: false), settings: ConnectionSettings(mode: .readWrite))
        try holder.run("BEGIN IMMEDIATE")
        let database = try await open { $0.busyTimeout = .zero }
        #expect(try await database.count("SELECT count(*) FROM food") == 2)
        try holder.run("ROLLBACK")
        await database.close()
        let next = try await open()
        #expect(try await next.core.lanes.value(.write) { try $0.hasSchemaRecord() })
        await next.close()
    }

    @Test func `D9 a record without the latest migration is renewed`() async throws {
        try await make()
        // As an older version of this library applies a migration.
        let third = SQLiteMigration("third", "DROP INDEX food_name")
        try harm("DROP INDEX food_name; INSERT INTO querykit_migrations VALUES (3, 'third', \(third.checksum), 0)")
        let migrations: SQLiteMigrations = [Self.first, Self.second, third]
        #expect(try await causes(migrations) == [])
        try harm("DROP VIEW heavy")
        #expect(try await causes(migrations) == ["The file is damaged: the view heavy is missing."])
    }

    @Test func `D9 a database that other code has made has no record and is not compared`() async throws {
        try harm("CREATE TABLE food (id INTEGER PRIMARY KEY); CREATE INDEX food_id ON food (id)")
        #expect(try await causes([]) == [])
        try harm("DROP INDEX food_id")
        let database = try await open([])
        try await database.execute("CREATE TABLE own (id)")
        #expect(try await database.core.lanes.value(.write) { try !$0.hasSchemaRecord() })
        await database.close()
        #expect(try await causes([]) == [])
    }
}
