import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// How a schema is created, and what remains if a migration fails.
struct MigrationTests {
    private struct Broken: Error {}

    private let folder: WatchedFolder
    private let url: URL
    private let first = SQLiteMigration("first", "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT) STRICT")

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private func open(_ migrations: SQLiteMigration...) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(.file(url), migrations: SQLiteMigrations(migrations))
    }

    private func refusal(_ migrations: SQLiteMigration...) async -> SQLiteError? {
        do {
            _ = try await SQLiteDatabase.open(.file(url), migrations: SQLiteMigrations(migrations))
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    private func tables() async throws -> [String] {
        let reader = try await SQLiteReader.open(url)
        let tables = try await reader.read { db in
            try db.values(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'querykit%' ORDER BY 1")
        }
        await reader.close()
        return tables
    }

    @Test func `D8 each migration runs once, in order`() async throws {
        let second = SQLiteMigration("second", "ALTER TABLE food ADD COLUMN grams REAL; INSERT INTO food (grams) VALUES (1)")
        let third = SQLiteMigration("third", revision: 1) { db in try db.execute("UPDATE food SET grams = grams + 1") }
        let database = try await open(first, second)
        #expect(database.report.migrated == ["first", "second"])
        await database.close()
        let later = try await open(first, second, third)
        #expect(later.report.migrated == ["third"])
        await later.close()
        let again = try await open(first, second, third)
        #expect(again.report.migrated == [])
        #expect(try await again.read { db in try db.values(Double.self, "SELECT grams FROM food") } == [2])
    }

    @Test func `D8 a script can have several statements, comments, and white space at its ends`() async throws {
        let script = SQLiteMigration(
            "script",
            """

            -- One; two.
            CREATE TABLE a (text TEXT DEFAULT 'x;y'); /* between; */ CREATE TABLE b (id);
            CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (new.rowid); DELETE FROM b WHERE 0; END;
            INSERT INTO a DEFAULT VALUES;
            -- The end.

            """
        )
        let database = try await open(script)
        #expect(try await database.read { db in try db.value(String.self, "SELECT text FROM a") } == "x;y")
        #expect(try await database.read { db in try db.values(Int.self, "SELECT id FROM b") } == [1])
    }

    @Test func `D8 a failed migration undoes itself, including the migrations before it in the same opening`() async throws {
        let broken = SQLiteMigration("broken", "CREATE TABLE half (id); DELETE FROM food", revision: 1) { db in
            try db.execute("INSERT INTO half VALUES (1)")
            throw Broken()
        }
        await #expect(throws: Broken.self) { try await open(first, SQLiteMigration("row", "INSERT INTO food VALUES (1, 'oats')"), broken) }
        #expect(try await tables() == ["food"])
        let database = try await open(first, SQLiteMigration("row", "INSERT INTO food VALUES (1, 'oats')"))
        #expect(database.report.migrated == [])
        #expect(try await database.read { db in try db.values(String.self, "SELECT name FROM food") } == ["oats"])
    }

    @Test func `D8 the error of a script shows where the mistake is, and nothing is changed`() async throws {
        let error = await refusal(first, SQLiteMigration("mistake", "CREATE TABLE a (id); CREATE TABEL b (id)"))
        #expect(error?.code == .error)
        #expect(error?.message.hasPrefix("The migration \"mistake\" failed and was rolled back: near \"TABEL\"") == true)
        #expect(try await tables() == ["food"])
    }

    @Test(
        arguments: ["COMMIT", "BEGIN", "PRAGMA journal_mode = delete", "ATTACH 'other' AS other", "INSERT INTO food VALUES (?, '')"]
            as [StaticString]
    )
    func `D8 a script can't end or circumvent its transaction`(_ statement: StaticString) async throws {
        #expect(await refusal(first, SQLiteMigration("sly", statement)) != nil)
        #expect(try await tables() == ["food"])
    }

    @Test func `D8 a migration that leaves rows with missing references is undone`() async throws {
        let entries = SQLiteMigration("entries", "CREATE TABLE entries (food INTEGER REFERENCES food (id)); INSERT INTO entries VALUES (7)")
        let error = await refusal(first, entries)
        #expect(error?.constraint == .foreignKey)
        #expect(
            error?.message == """
                The migration "entries" was rolled back: after it, a row of entries refers to a missing row. Let it correct or delete such rows.
                """
        )
        #expect(try await tables() == ["food"])
        // References may be missing during the migration: this is how a table is recreated.
        let anew = SQLiteMigration(
            "anew",
            """
            CREATE TABLE entries (food INTEGER REFERENCES food (id)); INSERT INTO food VALUES (7, 'oats'); INSERT INTO entries VALUES (7);
            CREATE TABLE food2 (id INTEGER PRIMARY KEY, name TEXT, grams REAL); INSERT INTO food2 (id, name) SELECT id, name FROM food;
            DROP TABLE food; ALTER TABLE food2 RENAME TO food
            """
        )
        let database = try await open(first, anew)
        await #expect { try await database.write { db in try db.execute("DELETE FROM food") } } throws: {
            ($0 as? SQLiteError)?.constraint == .foreignKey
        }
    }

    @Test func `D8 a newer schema is refused and stays unchanged`() async throws {
        await (try await open(first, SQLiteMigration("second", "CREATE TABLE later (id)"))).close()
        let before = try Data(contentsOf: url)
        let error = await refusal(first)
        #expect(error?.code == .newerSchema)
        #expect(
            error?.message == """
                The database was written by a newer version of the app: it has the migration "second", which is unknown here. Update the app.
                """
        )
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `D8 a changed migration is refused`() async throws {
        await (try await open(first)).close()
        let error = await refusal(SQLiteMigration("first", "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT, grams REAL) STRICT"))
        #expect(error?.code == .migration)
        #expect(await refusal(first) == nil)
    }

    @Test func `D8 in development a file with changed migrations is emptied and created again`() async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.erasesOnSchemaChange = true
        await (try await open(first, SQLiteMigration("row", "INSERT INTO food VALUES (1, 'oats')"))).close()
        let changed = SQLiteMigration("first", "CREATE TABLE meals (id INTEGER PRIMARY KEY) STRICT")
        for (migrations, expected) in [(SQLiteMigrations([changed]), ["meals"]), (SQLiteMigrations([first]), ["food"])] {
            let database = try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
            #expect(database.report.migrated == ["first"])
            await database.close()
            #expect(try await tables() == expected)
        }
        // With the same migrations nothing is lost.
        let database = try await SQLiteDatabase.open(.file(url), migrations: [first], configuration: configuration)
        try await database.execute("INSERT INTO food VALUES (2, 'rye')")
        await database.close()
        let again = try await SQLiteDatabase.open(.file(url), migrations: [first], configuration: configuration)
        #expect(again.report.migrated == [])
        #expect(try await again.count("SELECT count(*) FROM food") == 1)
        await again.close()
    }

    @Test func `D8 two migrations with the same name are refused, and no file is created`() async throws {
        #expect(await refusal(first, first) == SQLiteError(.migration, "Two migrations have the name \"first\". Rename one of them."))
        #expect(try await tables() == [])
    }

    @Test func `D8 a reader can't migrate, and its error lists what is missing`() async throws {
        await (try await open(first)).close()
        let more: SQLiteMigrations = [first, SQLiteMigration("second", "CREATE TABLE later (id)")]
        func lacking(_ name: String) -> SQLiteError {
            SQLiteError(
                .migration,
                "The database lacks the migration \"\(name)\", and a reader can't migrate. Open it with SQLiteDatabase first."
            )
        }
        await #expect(throws: lacking("second")) { try await SQLiteReader.open(url, migrations: more) }
        await (try await SQLiteReader.open(url, migrations: [first])).close()
        #expect(try await tables() == ["food"])
        // A file without any migrations.
        let other = URL(filePath: folder.path(of: "other.sqlite"))
        await (try await SQLiteDatabase.open(.file(other))).close()
        await #expect(throws: lacking("first")) { try await SQLiteReader.open(other, migrations: more) }
    }

    @Test func `D8 of several concurrent openings each migration is run by one`() async throws {
        let steps = SQLiteMigrations(
            [first, SQLiteMigration("row", "INSERT INTO food (name) VALUES ('oats')")] + [
                SQLiteMigration("row 2", "INSERT INTO food (name) VALUES ('rice')"),
                SQLiteMigration("row 3", "INSERT INTO food (name) VALUES ('milk')"),
            ]
        )
        let databases = try await withThrowingTaskGroup(of: SQLiteDatabase.self) { group in
            for _ in 0..<6 { group.addTask { [url] in try await SQLiteDatabase.open(.file(url), migrations: steps) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(databases.flatMap(\.report.migrated).sorted() == ["first", "row", "row 2", "row 3"])
        #expect(
            try await databases[0].read { db in try db.values(String.self, "SELECT name FROM food ORDER BY id") } == [
                "oats", "rice", "milk",
            ]
        )
    }
}
