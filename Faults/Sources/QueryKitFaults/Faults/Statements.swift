import Foundation
import QueryKitSQLite

/// Statements that are invalid, forbidden, too long or too deep: each must fail, and its transaction must have no effect.
enum Statements {
    static func run(_ trial: Trial) async throws {
        let database = try await SQLiteDatabase.open(
            .file(trial.file("statements.sqlite")),
            migrations: [
                SQLiteMigration(
                    "t",
                    """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, value TEXT) STRICT;
                    CREATE TABLE u (id INTEGER PRIMARY KEY, value TEXT UNIQUE) STRICT;
                    INSERT INTO t VALUES (1, 'one'), (2, 'two');
                    """
                )
            ]
        )
        await shapes(trial, database)
        await counts(trial, database)
        await forbidden(trial, database)
        await limits(trial, database)
        await nested(trial, database)
        await afterErrors(trial, database)
        let rows = try await database.read { db in try db.values(String.self, "SELECT value FROM t ORDER BY id") }
        trial.expect(rows, ["one", "two"], "rows after all refusals")
        trial.expect(try await database.read { db in try db.value(String.self, "PRAGMA integrity_check") }, "ok", "the file at the end")
        await database.close()
    }

    private static func refuse(
        _ trial: Trial,
        _ database: SQLiteDatabase,
        _ code: SQLiteError.Code,
        saying text: String = "",
        _ sql: SQL
    ) async {
        let name = String(sql.text.prefix(60))
        await trial.expectError([code], saying: text, "writing \(name)") { try await database.write { db in _ = try db.execute(sql) } }
    }

    private static func shapes(_ trial: Trial, _ database: SQLiteDatabase) async {
        for sql: SQL in [
            "SELECT 1", "SELECT 1;", "SELECT 1 ; \n", "SELECT 1 -- one", "SELECT 1; -- one\n-- two", "-- one\nSELECT 1",
            "SELECT 1 /* one */;",
        ] {
            await trial.expectSuccess("reading \(sql)") {
                trial.expect(try await database.read { db in try db.value(Int.self, sql) }, 1, "the value of \(sql)")
            }
        }
        for sql: SQL in ["", " ", ";", "-- nothing", "/* nothing */"] {
            await refuse(trial, database, .misuse, saying: "no statement", sql)
        }
        for sql: SQL in [
            "SELECT 1; DROP TABLE t", "SELECT 1; SELECT 2", "SELECT 1; garbage", "DELETE FROM t; DELETE FROM t;",
            "SELECT 1; -- x\nDROP TABLE t",
        ] {
            await refuse(trial, database, .misuse, saying: "more than one", sql)
        }
        for sql: SQL in [
            "SELEC 1", "SELECT 'open", "SELECT (1", "SELECT * FROM absent", "SELECT absent FROM t", "SELECT absent(1)",
            "SELECT \"no column\"",
        ] {
            await refuse(trial, database, .error, sql)
        }
        await refuse(trial, database, .misuse, saying: "NUL", "SELECT 1\0; DROP TABLE t")
        for sql: SQL in ["DELETE FROM t", "INSERT INTO t VALUES (3, '')", "DELETE FROM t RETURNING id", "CREATE TABLE v (id)"] {
            await trial.expectError([.misuse], "writing in a read: \(sql)") {
                try await database.read { db in try db.forEach(sql) { _ in } }
            }
        }
    }

    private static func counts(_ trial: Trial, _ database: SQLiteDatabase) async {
        for sql: SQL in ["SELECT ?", "SELECT ?1, \(1)", "SELECT :a, \(1)", "SELECT ?, \(1), ?", "SELECT ?3, \(1)"] {
            await refuse(trial, database, .range, saying: "parameter", sql)
        }
        await trial.expectError([.range], "a prepared statement with one value too few") {
            try await database.write { db in try db.prepare("INSERT INTO t VALUES (?, ?)").run(9) }
        }
        await trial.expectError([.range], "a prepared statement with one value too many") {
            try await database.write { db in try db.prepare("INSERT INTO t VALUES (?, ?)").run(9, "", 1) }
        }
        await trial.expectSuccess("a literal with a question mark in a text") {
            trial.expect(try await database.read { db in try db.value(String.self, "SELECT '?' || \("!")") }, "?!", "its value")
        }
    }

    private static func forbidden(_ trial: Trial, _ database: SQLiteDatabase) async {
        let transactions: [SQL] = ["COMMIT", "ROLLBACK", "BEGIN", "END", "SAVEPOINT a", "RELEASE querykit", "ROLLBACK TO a"]
        let pragmas: [SQL] = [
            "PRAGMA writable_schema = 1", "PRAGMA journal_mode = delete", "PRAGMA synchronous = 0", "PRAGMA foreign_keys = 0",
            "PRAGMA trusted_schema = 1", "PRAGMA query_only = 0", "PRAGMA locking_mode = exclusive", "PRAGMA wal_checkpoint",
            "PRAGMA mmap_size = 1",
            "PRAGMA main.writable_schema(1)",
        ]
        for sql in transactions + pragmas { await refuse(trial, database, .notAuthorized, sql) }
        let path = trial.file("other.sqlite").path(percentEncoded: false)
        await refuse(trial, database, .notAuthorized, "ATTACH \(path) AS other")
        await refuse(trial, database, .notAuthorized, "DETACH main")
        for sql: SQL in [
            "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'x')", "DELETE FROM sqlite_schema",
            "UPDATE sqlite_schema SET sql = 'x'", "DROP TABLE sqlite_schema",
            "CREATE TABLE sqlite_x (id)", "SELECT load_extension('x')", "VACUUM", "VACUUM INTO 'x'",
        ] {
            await trial.expectError([.error, .notAuthorized], "writing \(sql)") {
                try await database.write { db in _ = try db.execute(sql) }
            }
        }
        trial.check(!FileManager.default.fileExists(atPath: path), "another file was created")
    }

    private static func limits(_ trial: Trial, _ database: SQLiteDatabase) async {
        func read(_ subject: String, _ sql: SQL, _ codes: SQLiteError.Code...) async {
            let error = await trial.expectOutcome(subject) { try await database.read { db in try db.forEach(sql) { _ in } } }
            if let error { trial.check(codes.contains(error.code), "\(subject): \(error.code.rawValue) \(error.message)") }
        }
        for depth in [100, 900, 1_100, 20_000] {
            var sum: SQL = "1"
            var parentheses: SQL = "1"
            var selects: SQL = "SELECT 1"
            for _ in 0..<depth {
                sum = "\(sum) + 1"
                parentheses = "(\(parentheses))"
                if depth <= 1_100 { selects = "SELECT * FROM (\(selects))" }
            }
            await read("a sum of \(depth) terms", "SELECT \(sum)", .error)
            await read("\(depth) parentheses", "SELECT \(parentheses)", .error)
            await read("\(depth) nested selects", selects, .error)
            let terms = SQL(joining: Array(repeating: "SELECT 1", count: depth), separator: " UNION ALL ")
            await read("a union of \(depth) parts", terms, .error)
            await read("a result of \(depth) columns", "SELECT \(SQL(joining: Array(repeating: "1", count: depth)))", .error, .tooBig)
            let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            await read("JSON that is \(depth) deep", "SELECT * FROM json_tree(\(json))", .error)
            await read("a pattern of \(depth * 4) characters", "SELECT 'a' LIKE \(String(repeating: "%_a%", count: depth))", .error)
        }
        await read("a join of 70 tables", "SELECT 1 FROM \(SQL(joining: Array(repeating: "t", count: 70)))", .error)
        await read(
            "a sum over 40,000 bytes of text",
            "SELECT \(SQL(joining: Array(repeating: "'a'", count: 40_000), separator: " || "))",
            .error
        )
        await trial.expectOutcome("a trigger that calls itself") {
            try await database.write { db in
                try db.execute("CREATE TRIGGER again AFTER INSERT ON u BEGIN INSERT INTO u (value) VALUES (NEW.value || 'x'); END")
                try db.execute("INSERT INTO u (value) VALUES ('x')")
                try db.execute("DROP TRIGGER again")
                try db.execute("DELETE FROM u")
            }
        }
    }

    /// Statements within the rows of others, and changes to tables that are being read.
    private static func nested(_ trial: Trial, _ database: SQLiteDatabase) async {
        await trial.expectSuccess("a statement within the rows of the same statement") {
            let pairs = try await database.read { db in
                try db.map("SELECT id FROM t ORDER BY id") { row in
                    let outer: Int = try row[0]
                    return try db.map("SELECT id FROM t ORDER BY id") { row in "\(outer)\(try row[0] as Int)" }.joined()
                }
            }
            trial.expect(pairs, ["1112", "2122"], "its rows")
        }
        await trial.expectError([.locked], "dropping a table that is being read") {
            try await database.write { db in try db.forEach("SELECT id FROM t") { _ in try db.execute("DROP TABLE t") } }
        }
        await trial.expectOutcome("changing a table that is being read") {
            try await database.write { db in
                try db.forEach("SELECT id FROM u") { row in try db.execute("DELETE FROM u WHERE id = \(try row[0] as Int)") }
            }
        }
        await trial.expectOutcome("five hundred nested savepoints") {
            try await database.write { db in
                func go(_ depth: Int) throws {
                    try db.savepoint { if depth > 0 { try go(depth - 1) } else { try db.execute("INSERT INTO u (value) VALUES ('deep')") } }
                }
                try go(500)
                try db.execute("DELETE FROM u")
            }
        }
        await trial.expectError([.error], "an invalid statement after a savepoint") {
            try await database.write { db in
                try db.savepoint { try db.execute("INSERT INTO t VALUES (3, 'three')") }
                try db.execute("INSERT INTO absent VALUES (1)")
            }
        }
    }

    private struct Stop: Error {}

    /// What is undone after an error, and which errors may be caught.
    private static func afterErrors(_ trial: Trial, _ database: SQLiteDatabase) async {
        await trial.expectError([.constraint], "an existing key, after a new row") {
            try await database.write { db in
                try db.execute("INSERT INTO t VALUES (3, 'three')")
                try db.execute("INSERT INTO t VALUES (1, 'one')")
            }
        }
        do {
            try await database.write { db in
                try db.execute("DELETE FROM t")
                throw Stop()
            }
            trial.fail("a write that had thrown succeeded")
        } catch {
            trial.check(error is Stop, "a write that throws failed with \(error)")
        }
        await trial.expectSuccess("a violation that is caught") {
            try await database.write { db in
                try db.execute("INSERT INTO u VALUES (1, 'kept')")
                do { try db.execute("INSERT INTO u VALUES (1, 'again')") } catch {}
            }
            trial.expect(try await database.read { db in try db.values(String.self, "SELECT value FROM u") }, ["kept"], "rows left")
        }
        // SQLite itself ends the whole transaction.
        await trial.expectOutcome("a conflict that ends the transaction, caught") {
            try await database.write { db in
                try db.execute("DELETE FROM t")
                do { try db.execute("INSERT OR ROLLBACK INTO u VALUES (1, 'again')") } catch {}
                try db.execute("INSERT INTO u VALUES (2, 'outside')")
            }
            trial.fail("a write succeeded although SQLite had ended its transaction")
        }
        await trial.expectSuccess("the next statement") {
            trial.expect(try await database.read { db in try db.values(Int.self, "SELECT id FROM u") }, [1], "rows after the conflict")
        }
    }
}
