#if Postgres
import Foundation
import PostgresTestSupport
import Testing

@testable import QueryKitPostgres

/// What the triggers write to the log for each kind of write.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct ServerScriptTests {
    struct Bench {
        let database: ScratchDatabase
        let connection: Connection

        static func make(_ columns: [String: String] = ["entries": "day"], _ script: String = schema) async throws -> Bench {
            let database = try await ScratchDatabase.make()
            let bench = Bench(database: database, connection: try await database.connect())
            try await bench.connection.runScript(script)
            _ = try await ServerInstallation(columns: columns).perform(on: bench.connection)
            try await bench.connection.run("TRUNCATE querykit.changes")
            return bench
        }

        static let schema = """
            CREATE TABLE entries (id serial PRIMARY KEY, day text);
            CREATE TABLE food (id integer PRIMARY KEY);
            CREATE TABLE portions (food integer REFERENCES food ON DELETE CASCADE);
            """

        /// What one statement or transaction has entered into the log.
        func changes(of script: String) async throws -> [String] {
            try await connection.runScript(script)
            let changes = try await connection.texts(
                "SELECT DISTINCT coalesce(name, '*') || coalesce('/' || value, '') FROM querykit.changes ORDER BY 1"
            )
            try await connection.run("DELETE FROM querykit.changes")
            return changes
        }
    }

    @Test func `D5 each kind of write enters its table and partitions, and a write of no rows enters nothing`() async throws {
        let bench = try await Bench.make()
        #expect(
            try await bench.changes(of: "INSERT INTO entries (day) VALUES ('monday'), ('tuesday')") == [
                "entries/monday", "entries/tuesday",
            ]
        )
        #expect(
            try await bench.changes(of: "UPDATE entries SET day = 'friday' WHERE day = 'monday'") == ["entries/friday", "entries/monday"]
        )
        #expect(try await bench.changes(of: "UPDATE entries SET day = 'x' WHERE day = 'never'").isEmpty)
        #expect(try await bench.changes(of: "DELETE FROM entries WHERE day = 'friday'") == ["entries/friday"])
        #expect(try await bench.changes(of: "INSERT INTO entries (day) VALUES (NULL)") == ["entries"])
        #expect(try await bench.changes(of: "TRUNCATE entries") == ["entries"])
        #expect(try await bench.changes(of: "INSERT INTO food VALUES (1); INSERT INTO portions VALUES (1)") == ["food", "portions"])
        #expect(try await bench.changes(of: "DELETE FROM food") == ["food", "portions"])
        #expect(try await bench.changes(of: "INSERT INTO food VALUES (1) ON CONFLICT DO NOTHING") == ["food"])
        #expect(try await bench.changes(of: "INSERT INTO food VALUES (1) ON CONFLICT DO NOTHING").isEmpty)
        #expect(try await bench.changes(of: "SET session_replication_role = replica; INSERT INTO food VALUES (2)") == ["food"])
    }

    @Test func `D5 what was rolled back is not in the log, and what follows it is`() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.changes(of: "BEGIN; INSERT INTO food VALUES (1); ROLLBACK").isEmpty)
        let script = """
            BEGIN; SAVEPOINT a; INSERT INTO food VALUES (1); ROLLBACK TO a;
            INSERT INTO food VALUES (2); INSERT INTO food VALUES (3); COMMIT
            """
        try await bench.connection.runScript(script)
        #expect(try await bench.connection.texts("SELECT name FROM querykit.changes") == ["food"])
    }

    @Test func `more than 64 partitions count as the table`() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.changes(of: "INSERT INTO entries (day) SELECT n::text FROM generate_series(1, 64) n").count == 64)
        #expect(try await bench.changes(of: "INSERT INTO entries (day) SELECT n::text FROM generate_series(1, 65) n") == ["entries"])
    }

    @Test func `partitions and children report their root, also those that are attached or created later`() async throws {
        let bench = try await Bench.make(
            ["events": "day"],
            """
            CREATE SCHEMA audit;
            CREATE TABLE events (day date, kind integer) PARTITION BY LIST (kind);
            CREATE TABLE events1 PARTITION OF events FOR VALUES IN (1);
            CREATE TABLE audit.parent (id integer);
            CREATE TABLE audit.child (more integer) INHERITS (audit.parent);
            """
        )
        #expect(try await bench.changes(of: "INSERT INTO events1 VALUES ('2026-01-05', 1)") == ["events/2026-01-05"])
        #expect(try await bench.changes(of: "INSERT INTO events VALUES ('2026-01-06', 1)") == ["events/2026-01-06"])
        #expect(try await bench.changes(of: "CREATE TABLE events2 PARTITION OF events FOR VALUES IN (2)").contains("*"))
        #expect(try await bench.changes(of: "INSERT INTO events2 VALUES ('2026-01-07', 2)") == ["events/2026-01-07"])
        #expect(
            try await bench.changes(of: "CREATE TABLE loose (day date, kind integer); INSERT INTO loose VALUES ('2026-01-07', 3)") == [
                "*", "loose",
            ]
        )
        #expect(try await bench.changes(of: "ALTER TABLE events ATTACH PARTITION loose FOR VALUES IN (3)").contains("*"))
        #expect(try await bench.changes(of: "UPDATE loose SET day = '2026-01-08'") == ["events/2026-01-07", "events/2026-01-08"])
        #expect(try await bench.changes(of: "UPDATE events SET kind = 1 WHERE kind = 2") == ["events/2026-01-07"])
        #expect(try await bench.changes(of: "INSERT INTO audit.child VALUES (1, 2)") == ["audit.parent"])
        #expect(try await bench.changes(of: "UPDATE audit.parent SET id = 3") == ["audit.parent"])
        #expect(try await bench.changes(of: "TRUNCATE events") == ["events"])
    }

    @Test func `a partition column that was renamed, dropped or changed doesn't make writes fail`() async throws {
        let bench = try await Bench.make()
        #expect(try await bench.changes(of: "ALTER TABLE entries RENAME day TO weekday") == ["*"])
        #expect(try await bench.changes(of: "INSERT INTO entries (weekday) VALUES ('monday')") == ["entries"])
        #expect(try await bench.changes(of: "ALTER TABLE entries ADD COLUMN day jsonb").contains("*"))
        #expect(try await bench.changes(of: "INSERT INTO entries (day) VALUES ('1')") == ["entries"])
        #expect(try await bench.changes(of: "ALTER TABLE entries DROP COLUMN day").contains("*"))
        #expect(try await bench.changes(of: "UPDATE entries SET weekday = 'x'") == ["entries"])
    }

    @Test func `a definition counts as a change of everything, and temporary tables and indexes don't`() async throws {
        let bench = try await Bench.make()
        for text in [
            "CREATE VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW v AS SELECT 2", "DROP VIEW v", "ALTER TABLE food ADD COLUMN name text",
            "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'", "DROP TABLE portions", "ALTER TABLE food RENAME TO foods",
        ] {
            #expect(try await bench.changes(of: text).contains("*"), "\(text)")
        }
        #expect(try await bench.changes(of: "CREATE INDEX i ON foods (name); DROP INDEX i").isEmpty)
        #expect(try await bench.changes(of: "CREATE TEMP TABLE t (x integer); INSERT INTO t VALUES (1); DROP TABLE t").isEmpty)
    }

    @Test func `without event triggers a table that was renamed reports both names`() async throws {
        let bench = try await Bench.make()
        try await bench.connection.runScript("DROP EVENT TRIGGER querykit_definition; DROP EVENT TRIGGER querykit_drop")
        #expect(try await bench.changes(of: "ALTER TABLE food RENAME TO foods; INSERT INTO foods VALUES (1)") == ["food", "foods"])
    }

    @Test func `a role without rights on the schema can write, and can't read the log`() async throws {
        let bench = try await Bench.make()
        let role = "r" + UUID().uuidString.prefix(8).lowercased()
        try await bench.connection.runScript(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT SELECT, INSERT, UPDATE, DELETE ON entries TO \(role);
            GRANT USAGE ON SEQUENCE entries_id_seq TO \(role);
            """
        )
        let writer = try await bench.database.connect(as: role)
        defer { writer.close() }
        try await writer.runScript("INSERT INTO entries (day) VALUES ('monday'); UPDATE entries SET day = 'friday'; DELETE FROM entries")
        await #expect(throws: PostgresError.self) { try await writer.run("SELECT * FROM querykit.changes") }
        await #expect(throws: PostgresError.self) { try await writer.run("SELECT querykit.enter('{food}', NULL, '{NULL}')") }
        #expect(try await bench.changes(of: "SELECT 1") == ["entries/friday", "entries/monday"])
    }

    @Test func `names of other objects don't mislead the triggers`() async throws {
        let bench = try await Bench.make()
        let script = """
            CREATE TEMP TABLE querykit_rows (day text); CREATE TEMP TABLE pg_class (x integer);
            CREATE TEMP TABLE unnest (x integer);
            INSERT INTO entries (day) VALUES ('it''s "quoted"; DROP TABLE food')
            """
        #expect(try await bench.changes(of: script) == ["entries/it's \"quoted\"; DROP TABLE food"])
    }

    @Test func `installing again changes nothing, and instances that start at once install once`() async throws {
        let bench = try await Bench.make()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let connection = try await bench.database.connect()
                    defer { connection.close() }
                    _ = try await ServerInstallation(columns: ["entries": "day"]).perform(on: connection)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.changes(of: "SELECT 1").isEmpty)
        #expect(try await bench.changes(of: "INSERT INTO entries (day) VALUES ('monday')") == ["entries/monday"])
    }

    @Test func `an instance waits longer than for a table while another one installs`() async throws {
        let bench = try await Bench.make()
        let other = try await bench.database.connect()
        defer { other.close() }
        try await other.runScript("BEGIN; SELECT pg_advisory_xact_lock(8245, 0)")
        async let outcome = ServerInstallation(columns: [:]).perform(on: bench.connection)
        try await other.runScript("SELECT pg_sleep(5.5); COMMIT")
        #expect(try await outcome.access == .owner)
    }

    @Test func `a log that is too long or too old is trimmed, and says from where on it is complete`() async throws {
        let bench = try await Bench.make()
        for _ in 0..<5 { try await bench.connection.runScript("TRUNCATE portions") }
        // Transactions in other databases of the server hold back the rows that may go.
        func trim(_ age: String, to count: Int) async throws {
            while try await bench.connection.texts("SELECT count(*)::text FROM querykit.changes") != ["\(count)"] {
                try await bench.connection.run("SELECT querykit.trim('\(age)', 3)")
            }
        }
        try await trim("1 hour", to: 3)
        let complete = "SELECT (SELECT min(xid::text::bigint) FROM querykit.changes) >= trimmed::text::bigint FROM querykit.settings"
        #expect(try await bench.connection.texts("SELECT (\(complete))::text") == ["true"])
        try await trim("0 hours", to: 0)
    }

    @Test func `a dump that is restored on another server begins a new log`() async throws {
        let bench = try await Bench.make()
        try await bench.connection.runScript("TRUNCATE portions; UPDATE querykit.settings SET system = '1/1', trimmed = '999999999'")
        _ = try await ServerInstallation(columns: [:]).perform(on: bench.connection)
        #expect(try await bench.connection.texts("SELECT trimmed::text FROM querykit.settings") == ["0"])
        #expect(try await bench.connection.texts("SELECT name FROM querykit.changes").isEmpty)
    }
}
#endif
