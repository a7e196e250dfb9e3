import Foundation
import QueryKitSQLite

/// The schema is newer, older, changed, or incomplete.
enum Schemas {
    private struct Stop: Error {}

    private static let first = SQLiteMigration("first", "CREATE TABLE first (id INTEGER PRIMARY KEY) STRICT; INSERT INTO first VALUES (1);")
    private static let second = SQLiteMigration(
        "second",
        "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; INSERT INTO first VALUES (2);"
    )

    static func run(_ trial: Trial) async throws {
        try await order(trial)
        try await halfWay(trial)
        try await killed(trial)
        try await race(trial)
    }

    private static func open(_ url: URL, _ migrations: SQLiteMigrations) async throws -> [String] {
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        let names = try await database.read { db in
            try db.values(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'querykit%' ORDER BY name")
        }
        await database.close()
        return names
    }

    private static func order(_ trial: Trial) async throws {
        let url = trial.file("order.sqlite")
        trial.expect(try await open(url, [first]), ["first"], "tables of the first version")
        await trial.expectError([.migration], saying: "second", "a reader that is newer than the file") {
            _ = try await SQLiteReader.open(url, migrations: [first, second])
        }
        trial.expect(try await open(url, [first, second]), ["first", "second"], "tables of the second version")
        await trial.expectError([.newerSchema], saying: "second", "an older app") { _ = try await open(url, [first]) }
        await trial.expectError([.newerSchema], saying: "second", "an older reader") {
            _ = try await SQLiteReader.open(url, migrations: [first])
        }
        let changed = SQLiteMigration("first", "CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT")
        await trial.expectError([.migration], saying: "first", "a changed migration") {
            _ = try await open(url, [changed, second])
        }
        await trial.expectError([.migration], "migrations in another order") { _ = try await open(url, [second, first]) }
        await trial.expectError([.migration], saying: "first", "two migrations with the same name") {
            _ = try await open(url, [first, second, first])
        }
        trial.expect(try await open(url, [first, second]), ["first", "second"], "tables after all refusals")
        let bare = trial.file("bare.sqlite")
        _ = try await open(bare, [])
        await trial.expectError([.migration], saying: "first", "a reader of a file without a schema") {
            _ = try await SQLiteReader.open(bare, migrations: [first])
        }
    }

    private static func halfWay(_ trial: Trial) async throws {
        let url = trial.file("half.sqlite")
        _ = try await open(url, [first])
        let thrown = SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT", revision: 1) { db in
            try db.execute("INSERT INTO first VALUES (7)")
            throw Stop()
        }
        do {
            _ = try await open(url, [first, thrown])
            trial.fail("a migration that throws succeeded")
        } catch {
            trial.check(error is Stop, "a migration that throws failed with \(error)")
        }
        let wrong: [(SQLiteError.Code, SQLiteMigration)] = [
            (.error, SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE first (id);")),
            (.error, SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; CREATE TABEL third (id);")),
            (.constraint, SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; INSERT INTO first VALUES (1);")),
            (
                .constraint,
                SQLiteMigration("second", "CREATE TABLE second (id INTEGER REFERENCES first (id)) STRICT; INSERT INTO second VALUES (99);")
            ),
            (.notAuthorized, SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; COMMIT;")),
            (.notAuthorized, SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT; PRAGMA writable_schema = 1;")),
        ]
        for (code, migration) in wrong {
            await trial.expectError([code], "an invalid migration") { _ = try await open(url, [first, migration]) }
            trial.expect(try await open(url, [first]), ["first"], "tables after a migration that failed")
        }
        let database = try await SQLiteDatabase.open(.file(url), migrations: [first, second])
        trial.expect(try await database.read { db in try db.values(Int.self, "SELECT id FROM first") }, [1, 2], "rows after it succeeded")
        trial.expect(database.report.migrated, ["second"], "the migrations that were applied")
        await database.close()
    }

    // MARK: Other processes

    /// Reports that it is in the middle of its migration, and waits there.
    static let slow = Role("slow-migration") { _, arguments in
        let slow = SQLiteMigration("second", "CREATE TABLE second (id INTEGER PRIMARY KEY) STRICT", revision: 2) { db in
            try db.execute("INSERT INTO first VALUES (2)")
            Role.say("half")
            _ = readLine()
        }
        _ = try await open(URL(filePath: arguments[0]), [first, slow])
    }

    private static func killed(_ trial: Trial) async throws {
        let url = trial.file("killed.sqlite")
        let child = try Child(slow, of: trial, [url.path(percentEncoded: false)])
        trial.expect(await child.line(), "half", "the process that migrates")
        child.kill()
        trial.tally.kills += 1
        await child.end()
        trial.expect(try await open(url, [first]), ["first"], "tables after a migration was killed")
        trial.expect(try await open(url, [first, second]), ["first", "second"], "tables after it was finally applied")
    }

    /// Opens a new file at a signal, at the same time as other processes.
    static let racer = Role("racer") { _, arguments in
        Role.say("ready")
        _ = readLine()
        do {
            _ = try await open(URL(filePath: arguments[0]), [first, second])
            Role.say("fine")
        } catch {
            Role.say("\(error)")
        }
    }

    /// Several processes create the same file at the same time.
    private static func race(_ trial: Trial) async throws {
        let rounds = trial.plan.isShort ? 10 : 150
        for round in 0..<rounds {
            let url = trial.file("race\(round).sqlite")
            let children = try (0..<4).map { _ in try Child(racer, of: trial, [url.path(percentEncoded: false)]) }
            for child in children { trial.expect(await child.line(), "ready", "a process that will create the file") }
            for child in children { child.say("go") }
            for child in children {
                trial.expect(await child.line(), "fine", "one of four processes that create a file at once")
                trial.expect(await child.end(), .exit(0), "the end of it")
            }
            let database = try await SQLiteDatabase.open(.file(url), migrations: [first, second])
            let rows = try await database.read { db in try db.values(Int.self, "SELECT id FROM first") }
            trial.expect(rows, [1, 2], "rows of migrations applied by four processes")
            await database.close()
        }
        trial.note("\(rounds) files created by four processes at once")
    }
}
