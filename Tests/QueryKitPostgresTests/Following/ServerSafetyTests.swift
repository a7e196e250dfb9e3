#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import TestSupport
import Testing

@testable import QueryKitPostgres

/// The triggers do no harm: to the server's rights, to other programs, and to statements that work without them.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(5)))
struct ServerSafetyTests {
    private typealias Bench = ServerScriptTests.Bench

    private static func makeRole(on connection: Connection, _ grants: String = "") async throws -> String {
        let role = "r" + UUID().uuidString.prefix(8).lowercased()
        try await connection.runScript(
            "CREATE ROLE \(role) LOGIN; GRANT CREATE ON SCHEMA public TO \(role); " + grants.replacing("ROLE", with: role)
        )
        return role
    }

    // MARK: Rights

    @Test(arguments: [false, true]) func `no role gets the rights of the owner through the triggers`(isReader: Bool) async throws {
        let bench = try await Bench.make(["mine": "m"])
        let grants = "GRANT USAGE ON SCHEMA querykit TO ROLE; GRANT SELECT ON ALL TABLES IN SCHEMA querykit TO ROLE"
        let role = try await Self.makeRole(on: bench.connection, isReader ? grants : "")
        let attacker = try await bench.database.connect(as: role)
        defer { attacker.close() }
        try await attacker.runScript(
            """
            CREATE TYPE mood AS ENUM ('a', 'b');
            CREATE FUNCTION evil(mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'ALTER ROLE \(role) SUPERUSER'; RETURN 'x'; END $$;
            CREATE CAST (mood AS text) WITH FUNCTION evil(mood);
            CREATE TABLE mine (m mood);
            """
        )
        // Only the owner may install the function.
        await #expect(throws: PostgresError.self) {
            try await attacker.runScript(
                """
                CREATE TRIGGER t AFTER INSERT ON mine REFERENCING NEW TABLE AS querykit_rows
                FOR EACH STATEMENT EXECUTE FUNCTION querykit.note_change('rows', 'm', 'x')
                """
            )
        }
        try await attacker.runScript("INSERT INTO mine VALUES ('a'); UPDATE mine SET m = 'b'; DELETE FROM mine")
        #expect(try await bench.connection.texts("SELECT rolsuper::text FROM pg_roles WHERE rolname = '\(role)'") == ["false"])
        #expect(try await bench.changes(of: "SELECT 1").filter { $0.contains("/") } == ["mine/a", "mine/b"])
    }

    @Test func `a write under another role is committed, and its change is known`() async throws {
        let bench = try await PostgresBench.make()
        let admin = try await bench.diary.scratch.connect()
        defer { admin.close() }
        let role = try await Self.makeRole(on: admin, "GRANT INSERT ON food TO ROLE; GRANT USAGE ON SEQUENCE food_id_seq TO ROLE")
        let watched = await bench.watch(.food, .notes)
        try await bench.diary.database.write { db in
            try await db.execute("SET LOCAL ROLE \(SQL(text: role))")
            try await db.execute("INSERT INTO food DEFAULT VALUES")
        }
        await bench.client.settled()
        #expect(bench.store(.food).value == 1 && bench.counts(.food, .notes) == [2, 1])
        for subscription in watched { subscription.cancel() }
    }

    /// The error of opening a database, with or without following it.
    private func refusal(of scratch: ScratchDatabase, as role: String = "postgres", isFollowed: Bool = true) async -> PostgresError? {
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = isFollowed
        let url = scratch.url.replacing("user=postgres", with: "user=\(role)")
        return await postgresError {
            let migrations: PostgresMigrations = isFollowed ? [] : [PostgresMigration("one", "SELECT 1")]
            await (try await PostgresDatabase.open(url, migrations: migrations, configuration: configuration)).close()
        }
    }

    @Test func `a role that doesn't own the log is refused, whether it may read the log or not`() async throws {
        let owner = try await PostgresDiary.open()
        let admin = try await owner.scratch.connect()
        defer { admin.close() }
        let grants = "GRANT USAGE ON SCHEMA querykit TO ROLE; GRANT SELECT ON ALL TABLES IN SCHEMA querykit TO ROLE"
        for grants in ["", grants] {
            let role = try await Self.makeRole(on: admin, grants)
            let error = await refusal(of: owner.scratch, as: role)
            #expect(error?.code == .misuse)
            #expect(error?.message == "The schema querykit can't be used by the role \(role): it belongs to the role postgres.")
            #expect(error?.hint?.contains("role%3DNAME") == true)
        }
        // The privilege to read doesn't matter to the owner.
        #expect(await refusal(of: owner.scratch) == nil)
    }

    @Test(arguments: [true, false]) func `a schema that another role has prepared is refused, and nothing of it runs`(isFollowed: Bool)
        async throws
    {
        let scratch = try await ScratchDatabase.make()
        let admin = try await scratch.connect()
        defer { admin.close() }
        let role = try await Self.makeRole(on: admin, "GRANT CREATE ON DATABASE \(scratch.name) TO ROLE")
        let attacker = try await scratch.connect(as: role)
        defer { attacker.close() }
        try await attacker.runScript(
            """
            CREATE SCHEMA querykit;
            CREATE FUNCTION public.evil() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN EXECUTE 'ALTER ROLE \(role) SUPERUSER'; RETURN NEW; END $$;
            CREATE TABLE querykit.partitions (name text PRIMARY KEY, col text NOT NULL);
            CREATE TABLE querykit.migrations (
                scope text NOT NULL, position bigint NOT NULL, name text NOT NULL, checksum bigint NOT NULL,
                date timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (scope, position), UNIQUE (scope, name)
            );
            CREATE TRIGGER evil BEFORE INSERT ON querykit.partitions FOR EACH ROW EXECUTE FUNCTION public.evil();
            CREATE TRIGGER evil BEFORE INSERT ON querykit.migrations FOR EACH ROW EXECUTE FUNCTION public.evil();
            GRANT ALL ON SCHEMA querykit TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA querykit TO PUBLIC
            """
        )
        let error = await refusal(of: scratch, isFollowed: isFollowed)
        #expect(error?.code == .misuse && error?.message.hasSuffix("it belongs to the role \(role).") == true)
        #expect(try await admin.texts("SELECT rolsuper::text FROM pg_roles WHERE rolname = '\(role)'") == ["false"])
        #expect(try await admin.texts("SELECT count(*)::text FROM querykit.migrations") == ["0"])
    }

    @Test func `a view that another role has prepared in place of the migrations' table is not read`() async throws {
        let scratch = try await ScratchDatabase.make()
        let admin = try await scratch.connect()
        defer { admin.close() }
        let role = try await Self.makeRole(on: admin, "GRANT CREATE ON DATABASE \(scratch.name) TO ROLE")
        let attacker = try await scratch.connect(as: role)
        defer { attacker.close() }
        try await attacker.runScript(
            """
            CREATE SCHEMA querykit;
            CREATE FUNCTION public.evil() RETURNS text LANGUAGE plpgsql AS $$
            BEGIN EXECUTE 'ALTER ROLE \(role) SUPERUSER'; RETURN 'x'; END $$;
            CREATE VIEW querykit.migrations AS
            SELECT public.evil() AS scope, 0::bigint AS position, 'one'::text AS name, 0::bigint AS checksum;
            GRANT ALL ON SCHEMA querykit TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA querykit TO PUBLIC
            """
        )
        #expect(await refusal(of: scratch, isFollowed: false)?.code == .misuse)
        #expect(try await admin.texts("SELECT rolsuper::text FROM pg_roles WHERE rolname = '\(role)'") == ["false"])
    }

    @Test func `anything in the schema that another role could use is refused`() async throws {
        let bench = try await Bench.make()
        let admin = bench.connection
        let role = try await Self.makeRole(on: admin)
        for (prepare, problem, undo) in [
            (
                "CREATE TABLE querykit.t (i integer); ALTER TABLE querykit.t OWNER TO ROLE", "its relation t belongs to the role",
                "DROP TABLE querykit.t"
            ),
            (
                "CREATE FUNCTION querykit.f() RETURNS integer LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION querykit.f OWNER TO ROLE",
                "its function f belongs to the role", "DROP FUNCTION querykit.f"
            ),
            (
                "CREATE TYPE querykit.e AS ENUM (); ALTER TYPE querykit.e OWNER TO ROLE", "its type e belongs to the role",
                "DROP TYPE querykit.e"
            ),
            (
                """
                CREATE OPERATOR querykit.=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq);
                ALTER OPERATOR querykit.=== (integer, integer) OWNER TO ROLE
                """,
                "its operator === belongs to the role", "DROP OPERATOR querykit.=== (integer, integer)"
            ),
            (
                """
                CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER g AFTER INSERT ON querykit.changes EXECUTE FUNCTION g()
                """,
                "its table changes has the trigger g", "DROP FUNCTION g CASCADE"
            ),
            ("CREATE VIEW querykit.v AS SELECT 1", "its relation v has the rule", "DROP VIEW querykit.v"),
            (
                "CREATE POLICY p ON querykit.changes USING (true)", "its table changes has the policy p",
                "DROP POLICY p ON querykit.changes"
            ),
            (
                "ALTER DEFAULT PRIVILEGES IN SCHEMA querykit GRANT INSERT ON TABLES TO ROLE", "it has default privileges",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA querykit REVOKE INSERT ON TABLES FROM ROLE"
            ),
            (
                "GRANT CREATE ON SCHEMA querykit TO PUBLIC", "the privilege CREATE on it was granted to PUBLIC",
                "REVOKE CREATE ON SCHEMA querykit FROM PUBLIC"
            ),
            (
                "GRANT TRIGGER ON querykit.changes TO ROLE", "the privilege TRIGGER on its relation changes was granted to ROLE",
                "REVOKE TRIGGER ON querykit.changes FROM ROLE"
            ),
        ] {
            try await admin.runScript(prepare.replacing("ROLE", with: role))
            let error = await postgresError { _ = try await ServerInstallation(columns: [:]).perform(on: admin) }
            let isExpected = error?.message.contains(problem.replacing("ROLE", with: role)) == true
            #expect(error?.code == .misuse && isExpected, "\(prepare): \(error as Any)")
            try await admin.runScript(undo.replacing("ROLE", with: role))
            #expect(await postgresError { _ = try await ServerInstallation(columns: [:]).perform(on: admin) } == nil)
        }
    }

    @Test(arguments: [true, false]) func `a publication that includes the log is refused, and the log isn't created`(isFollowed: Bool)
        async throws
    {
        let scratch = try await ScratchDatabase.make()
        let admin = try await scratch.connect()
        defer { admin.close() }
        try await admin.runScript("CREATE TABLE food (id integer PRIMARY KEY); CREATE PUBLICATION every FOR ALL TABLES")
        let error = await refusal(of: scratch, isFollowed: isFollowed)
        #expect(error?.code == .misuse && error?.message.contains("The publication every includes") == true)
        #expect(try await admin.texts("SELECT coalesce(to_regnamespace('querykit')::text, '-')") == ["-"])
        try await admin.runScript("DROP PUBLICATION every; CREATE PUBLICATION own FOR TABLE food")
        #expect(await refusal(of: scratch, isFollowed: isFollowed) == nil)
        // PostgreSQL 14 has no publications of schemas.
        if try await admin.texts("SELECT (current_setting('server_version_num')::integer >= 150000)::text") == ["true"] {
            try await admin.runScript("CREATE PUBLICATION every FOR TABLES IN SCHEMA querykit")
            #expect(await refusal(of: scratch, isFollowed: isFollowed)?.message.contains("The publication every includes") == true)
        }
    }

    @Test func `an instance that has nothing to migrate waits for no lock that other roles can hold`() async throws {
        let scratch = try await ScratchDatabase.make()
        #expect(await refusal(of: scratch, isFollowed: false) == nil)
        let other = try await scratch.connect()
        defer { other.close() }
        try await other.runScript("SELECT pg_advisory_lock(8245, 0)")
        #expect(await refusal(of: scratch, isFollowed: false) == nil)
    }

    // MARK: Other programs

    @Test func `serializable transactions that use different tables don't conflict`() async throws {
        let bench = try await Bench.make([:], (3...6).map { "CREATE TABLE s\($0) (i integer);" }.joined())
        let (first, second) = (try await bench.database.connect(), try await bench.database.connect())
        for connection in [first, second] { try await connection.run("BEGIN ISOLATION LEVEL SERIALIZABLE") }
        try await first.run("INSERT INTO s3 VALUES (1)")
        try await second.run("INSERT INTO s5 VALUES (1)")
        try await first.run("INSERT INTO s4 VALUES (1)")
        try await second.run("INSERT INTO s6 VALUES (1)")
        for connection in [first, second] { try await connection.run("COMMIT") }
        #expect(try await bench.changes(of: "SELECT 1") == ["s3", "s4", "s5", "s6"])
    }

    @Test func `a table that is in use delays no other table and fails no writer`() async throws {
        let bench = try await Bench.make([:], "CREATE TABLE old (i integer)")
        let writer = try await bench.database.connect()
        defer { writer.close() }
        try await bench.connection.runScript("SET querykit.installing = on; CREATE TABLE a (i integer); CREATE TABLE b (i integer)")
        try await writer.runScript("BEGIN; INSERT INTO b VALUES (1)")
        var installation = ServerInstallation(columns: [:])
        installation.patience = .zero
        #expect(try await installation.perform(on: bench.connection).busy == ["b"])
        try await writer.runScript("INSERT INTO a VALUES (1); COMMIT")
        #expect(try await bench.changes(of: "SELECT 1").contains("a"))
        #expect(try await installation.perform(on: bench.connection).busy.isEmpty)
        #expect(try await bench.changes(of: "INSERT INTO b VALUES (2)").contains("b"))
    }

    @Test func `a table that can't have the triggers stops no other`() async throws {
        let schema = """
            CREATE TABLE odd (i integer); CREATE TABLE plain (i integer);
            CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER querykit_insert AFTER INSERT ON odd FOR EACH ROW EXECUTE FUNCTION nothing();
            """
        let bench = try await Bench.make([:], schema)
        #expect(try await ServerInstallation(columns: [:]).perform(on: bench.connection).refused == ["odd"])
        #expect(try await bench.changes(of: "INSERT INTO plain VALUES (1)") == ["plain"])
    }

    @Test func `definitions that work without the triggers work with them`() async throws {
        let schema = "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE c (p integer REFERENCES p DEFERRABLE INITIALLY DEFERRED)"
        let bench = try await Bench.make([:], schema)
        let script = "INSERT INTO p VALUES (1); BEGIN; INSERT INTO c VALUES (1); ALTER TABLE c RENAME TO c2; COMMIT"
        #expect(try await bench.changes(of: script) == ["*", "c", "p"])
        #expect(try await bench.changes(of: "INSERT INTO c2 VALUES (1)") == ["c", "c2"])
    }

    @Test func `a table with a foreign partition can be updated, and counts as a whole`() async throws {
        let bench = try await Bench.make(
            ["root": "day"],
            """
            CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
            CREATE TABLE root (kind integer, day text) PARTITION BY LIST (kind);
            CREATE TABLE near PARTITION OF root FOR VALUES IN (1);
            """
        )
        #expect(try await bench.changes(of: "INSERT INTO root VALUES (1, 'monday')") == ["root/monday"])
        _ = try await bench.changes(of: "CREATE FOREIGN TABLE distant PARTITION OF root FOR VALUES IN (2) SERVER far")
        #expect(try await bench.changes(of: "UPDATE root SET day = 'friday' WHERE kind = 1") == ["root"])
        #expect(try await bench.changes(of: "INSERT INTO near VALUES (1, 'monday')") == ["root/monday"])
    }

    @Test func `without event triggers, triggers that were off count as a change of everything once they are on again`() async throws {
        let bench = try await Bench.make()
        try await bench.connection.runScript("DROP EVENT TRIGGER querykit_definition; DROP EVENT TRIGGER querykit_drop")
        let script = "ALTER TABLE food DISABLE TRIGGER USER; INSERT INTO food VALUES (1); ALTER TABLE food ENABLE TRIGGER USER"
        #expect(try await bench.changes(of: script).isEmpty)
        _ = try await ServerInstallation(columns: ["entries": "day"]).perform(on: bench.connection)
        #expect(try await bench.changes(of: "SELECT 1") == ["*"])
    }

    @Test func `without event triggers, definitions count as a change of everything when an instance looks for them`() async throws {
        let bench = try await Bench.make()
        try await bench.connection.runScript("DROP EVENT TRIGGER querykit_definition; DROP EVENT TRIGGER querykit_drop")
        func look() async throws -> [String] {
            _ = try await ServerInstallation(columns: ["entries": "day"]).perform(on: bench.connection)
            return try await bench.changes(of: "SELECT 1")
        }
        #expect(try await look().isEmpty)
        for script in [
            "CREATE VIEW v AS SELECT 1 AS x", "CREATE OR REPLACE VIEW v AS SELECT 2 AS x", "DROP VIEW v",
            "ALTER TABLE entries ALTER day TYPE varchar(9)", "DROP TABLE portions",
            "CREATE FUNCTION one() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        ] {
            try await bench.connection.runScript(script)
            #expect(try await look().contains("*"), "\(script)")
            #expect(try await look().isEmpty)
        }
        #expect(try await bench.changes(of: "TRUNCATE entries") == ["entries"])
        try await bench.connection.runScript("CREATE INDEX i ON entries (day)")
        #expect(try await look().isEmpty)
    }

    @Test func `a materialized view that is refreshed changes only itself`() async throws {
        let bench = try await Bench.make([:], "CREATE MATERIALIZED VIEW m AS SELECT 1 AS x")
        #expect(try await bench.changes(of: "REFRESH MATERIALIZED VIEW m") == ["m"])
    }

    // MARK: The log

    @Test func `a transaction enters each partition once, and after 64 of them the table`() async throws {
        let bench = try await Bench.make()
        let script = """
            BEGIN; INSERT INTO entries (day) VALUES ('a'); SAVEPOINT s; INSERT INTO entries (day) VALUES ('b'); ROLLBACK TO s;
            INSERT INTO entries (day) VALUES ('a'), ('b'); COMMIT
            """
        try await bench.connection.runScript(script)
        #expect(try await bench.connection.texts("SELECT value FROM querykit.changes ORDER BY id") == ["a", "b"])
        try await bench.connection.runScript(
            """
            DELETE FROM querykit.changes;
            DO $$ BEGIN FOR i IN 1..200 LOOP INSERT INTO entries (day) VALUES (i::text); END LOOP; END $$
            """
        )
        #expect(try await bench.connection.texts("SELECT count(*)::text, count(value)::text FROM querykit.changes") == ["65 64"])
    }

    @Test func `a process that reads the log in intervals sends no notifications`() async throws {
        let diary = try await PostgresDiary.open { $0.pollInterval = .seconds(60) }
        let admin = try await diary.scratch.connect()
        defer { admin.close() }
        let seen = Recorder<String>()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        admin.onNotification { notification in
            seen.note(notification.payload)
            if notification.payload == "end" { end.finish() }
        }
        try await admin.run("LISTEN querykit")
        try await diary.addFood()
        try await admin.run("NOTIFY querykit, 'end'")
        for await _ in ends {}
        #expect(seen.all == ["end"])
        await diary.database.close()
    }

    @Test func `R18 after the log was removed writes go on, and the listener installs it again`() async throws {
        let bench = try await PostgresBench.make()
        let watched = await bench.watch(.food)
        let admin = try await bench.diary.scratch.connect()
        defer { admin.close() }
        try await admin.run("DROP SCHEMA querykit CASCADE")
        try await bench.diary.addFood()
        try await admin.terminateListeners()
        while try await admin.texts("SELECT coalesce(to_regclass('querykit.changes')::text, '-')") == ["-"] {}
        while try await admin.texts("SELECT count(*)::text FROM pg_trigger WHERE tgname = 'querykit_insert'") != ["3"] {}
        try await admin.run("INSERT INTO food DEFAULT VALUES")
        await bench.wait(.food, for: 2)
        for subscription in watched { subscription.cancel() }
    }

    // MARK: Reads

    @Test func `R18 a write that only inserts reads nothing, and a sequence that is read is reported`() async throws {
        let bench = try await PostgresBench.make()
        func regions(_ work: (PostgresWriteTransaction) async throws -> Void) async throws -> Set<String?> {
            Set(try await QueryReads.collecting { try await bench.diary.database.write { try await work($0) } }.regions.map(\.name))
        }
        #expect(try await regions { try await $0.execute("INSERT INTO food DEFAULT VALUES") } == [])
        #expect(try await regions { try await $0.execute("UPDATE food SET id = id WHERE id < 0") } == ["food"])
        #expect(
            try await regions { db in
                try await db.execute("INSERT INTO notes DEFAULT VALUES")
                _ = try await db.value(Int.self, "SELECT count(*) FROM notes")
            } == ["notes"]
        )
        #expect(try await regions { _ = try await $0.value(Int.self, "SELECT last_value FROM food_id_seq") } == ["food_id_seq"])
    }

    @Test func `R32 a table that a subscription changes counts as not followed`() async throws {
        let mistakes = Recorder<QueryMistake>()
        let bench = PostgresBench(try await PostgresDiary.open(), configuration: .recording(mistakes))
        // Without a publisher: the server only has to list the table.
        try await bench.diary.scratch.run(
            "CREATE SUBSCRIPTION s CONNECTION 'dbname=nowhere' PUBLICATION p WITH (connect = false, slot_name = NONE)",
            """
            SET allow_system_table_mods = on;
            INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
            SELECT s.oid, 'food'::regclass, 'r' FROM pg_subscription s
            JOIN pg_database d ON d.oid = s.subdbid AND d.datname = current_database()
            """
        )
        let watched = await bench.watch(.food)
        #expect(mistakes.kinds == [.unfollowedTable] && bench.store(.food).isStale)
        try await bench.diary.scratch.run("DROP SUBSCRIPTION s")
        for subscription in watched { subscription.cancel() }
    }
}
#endif
