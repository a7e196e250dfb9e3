#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

/// The texts of errors that only a server can provoke: what happened, where, and what to do next.
@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(2)))
struct ServerErrorTextTests {
    private static let unfollowed: PostgresDatabase.Configuration = {
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        return configuration
    }()

    /// The error of a write to an empty database.
    private func failure(_ body: (PostgresWriteTransaction) async throws -> Void) async throws -> PostgresError? {
        try await PostgresServer.withOpenDatabase(configuration: Self.unfollowed) { database in
            let failure = await postgresError { try await database.write { db in try await body(db) } }
            return failure
        }
    }

    /// Two connections to an empty database. The first one holds the lock 1, so that a statement of the second can wait for it.
    private static func connections(_ limits: Connection.Limits = Connection.Limits()) async throws -> (Connection, Connection) {
        let endpoint = try Endpoint(try await ScratchDatabase.make().url)
        let holder = try await Connection.open(endpoint, within: .seconds(30))
        try await holder.run("SELECT pg_advisory_lock(1)")
        return (holder, try await Connection.open(endpoint, within: .seconds(30), limits: limits))
    }

    /// Waits until a connection waits for a lock.
    private static func wait(for waiting: Connection, _ holder: Connection) async throws {
        let count = "SELECT count(*)::text FROM pg_stat_activity WHERE pid = \(waiting.process) AND wait_event = 'advisory'"
        while try await holder.texts(count) != ["1"] {}
    }

    // MARK: Connecting

    @Test func `a server that doesn't answer in time is named`() async throws {
        let endpoint = try Endpoint(PostgresServer.url ?? "")
        let error = await postgresError { _ = try await Connection.open(endpoint, within: .zero) }
        #expect(error?.code == .timeout)
        #expect(error?.message == "Connecting to \(endpoint.place) took too long.")
        #expect(error?.hint == "Check the host, the network and the server's load.")
    }

    @Test(
        arguments: [
            ("user", .authentication, "Check the user, the password and the server's pg_hba.conf."),
            ("dbname", .unknownDatabase, "Create it, or correct its name in the connection string."),
        ] as [(String, PostgresError.Code, String)]
    )
    func `what the server refuses comes with advice`(_ keyword: String, _ code: PostgresError.Code, _ hint: String) async throws {
        var endpoint = try Endpoint(PostgresServer.url ?? "")
        endpoint.setOption(keyword, to: "missing")
        let wrong = endpoint
        let error = await postgresError { _ = try await Connection.open(wrong, within: .seconds(10)) }
        #expect(error?.code == code)
        #expect(error?.hint == hint)
    }

    // MARK: Connections

    @Test func `a connection that was closed says so`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        connection.close()
        let error = await postgresError { _ = try await connection.run("SELECT 1") }
        #expect(error?.code == .closed)
        #expect(error?.message == "The connection was closed.")
    }

    @Test func `a statement without an answer ends its connection after the limit of a statement`() async throws {
        let (holder, waiting) = try await Self.connections(Connection.Limits(statement: .seconds(1)))
        let error = await postgresError { _ = try await waiting.run("SELECT pg_advisory_lock(1)") }
        #expect(error?.code == .timeout)
        #expect(error?.message == "The server didn't answer within 1.0 seconds, so the connection was closed.")
        #expect(error?.hint == "Try again.")
        holder.close()
    }

    @Test func `a batch without an answer ends its connection after its own limit`() async throws {
        let (holder, waiting) = try await Self.connections()
        let outcome = await waiting.perform([.once("SELECT pg_advisory_lock(1)")], within: .seconds(1))
        #expect(outcome.error?.code == .unavailable)
        #expect(outcome.error?.message == "The server didn't answer within 1.0 seconds, so the connection was closed.")
        #expect(outcome.error?.hint == "Try again.")
        holder.close()
    }

    @Test func `a cancellation that a server process doesn't confirm ends its connection`() async throws {
        var limits = Connection.Limits()
        limits.cancellation = .milliseconds(200)
        let (holder, waiting) = try await Self.connections(limits)
        let statement = Task { await waiting.perform([.once("SELECT pg_advisory_lock(1)")]) }
        try await Self.wait(for: waiting, holder)
        setHanging(true, waiting.process)
        statement.cancel()
        let error = await statement.value.error
        setHanging(false, waiting.process)
        #expect(error?.code == .cancelled)
        #expect(error?.message == "The statement was cancelled, but the server didn't confirm it, so the connection was closed.")
        holder.close()
    }

    @Test func `a connection refuses a batch while another one runs`() async throws {
        let (holder, waiting) = try await Self.connections()
        waiting.submit([.once("SELECT pg_advisory_lock(1)")], within: .seconds(30)) { _ in }
        let outcome = await waiting.perform([.once("SELECT 2")])
        #expect(outcome.error?.code == .misuse)
        #expect(outcome.error?.message == "Another statement of the same transaction is still running. Await it first.")
        for connection in [waiting, holder] { connection.close() }
    }

    @Test func `bytes that are no text come with advice`() async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        let error = await postgresError { _ = try await connection.run("SELECT convert_from('\\xff'::bytea, 'UTF8')") }
        #expect(error?.sqlState == "22021")
        #expect(error?.hint == "The bytes are not text in this encoding. Name their encoding in convert_from, or keep them as bytea.")
        connection.close()
    }

    // MARK: Transactions

    /// A transaction that two tasks use.
    // Invariant: both tasks run on the main actor.
    private struct Shared: @unchecked Sendable {
        let run: TransactionRun
    }

    @MainActor @Test func `a statement that doesn't await the one before it is refused`() async throws {
        let (holder, waiting) = try await Self.connections()
        let shared = Shared(run: TransactionRun(on: waiting, .readCommitted, isWrite: true, nil))
        let first = Task { @MainActor in try await shared.run.run(["SELECT pg_advisory_xact_lock(1)"]) }
        try await Self.wait(for: waiting, holder)
        let error = await postgresError { _ = try await shared.run.run(["SELECT 2"]) }
        #expect(error?.code == .misuse)
        #expect(error?.message == "Another statement of the same transaction is still running. Await it before the next one.")
        try await holder.run("SELECT pg_advisory_unlock(1)")
        _ = try await first.value
        await shared.run.rollBack { _ in }
        for connection in [waiting, holder] { connection.close() }
    }

    @Test func `a statement after one that has failed is refused with the reason and two ways out`() async throws {
        let error = try await failure { db in
            _ = try? await db.execute("SELECT 1 / 0")
            try await db.execute("SELECT 2")
        }
        #expect(error?.code == .failedTransaction)
        #expect(
            error?.message == """
                An earlier statement of the transaction failed, so no other can follow: division by zero. Throw its error, or run it \
                within savepoint(_:).
                """
        )
        #expect(error?.sql == "SELECT 1 / 0")
    }

    @Test func `a statement that has ended the transaction is an error with the right way to end it`() async throws {
        // A script isn't checked for its first word, as a statement is.
        let error = try await failure { db in try await db.run.runScript("COMMIT") }
        #expect(error?.code == .misuse)
        #expect(error?.message == "A statement has ended the transaction. Let it end with its closure; throw an error to roll back.")
    }

    @Test func `a commit that the server turns into a rollback is an error with advice`() async throws {
        let error = try await failure { db in
            try await db.execute("SELECT 1")
            // On the connection, so that the transaction doesn't learn of the failure.
            _ = try? await db.run.connection.run("SELECT 1 / 0")
        }
        #expect(error?.code == .failedTransaction)
        #expect(error?.message == "The server has rolled the transaction back instead of committing it, because a statement had failed.")
        #expect(error?.hint == "Don't catch the errors of statements, or run the statements that may fail in a savepoint.")
    }

    @Test func `a commit of unknown outcome says why, and what to do before it is repeated`() async throws {
        let error = try await failure { db in
            try await db.execute(each: [
                "CREATE TABLE food (id bigint)",
                """
                CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
                """,
                "CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON food DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()",
                "INSERT INTO food VALUES (1)",
            ])
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(
            error?.message == """
                The connection was lost during the commit, so the changes may or may not be saved: terminating connection due to \
                administrator command
                """
        )
        #expect(
            error?.hint == "Read what the transaction should have changed before you repeat it, or make it repeatable with a unique key."
        )
    }

    // MARK: Migrations

    @Test func `an instance that has waited too long for another one's migrations says what ends the wait`() async throws {
        let (holder, waiting) = try await Self.connections()
        // The lock of migrations.
        try await holder.run("SELECT pg_advisory_lock(\(0x5175_6572_794B_6974))")
        let migrations: PostgresMigrations = [PostgresMigration("first", "CREATE TABLE a (id bigint)")]
        let error = await postgresError { _ = try await waiting.migrate(migrations, scope: "app", waitingAtMost: .seconds(1)) }
        #expect(error?.code == .timeout)
        #expect(
            error?.message == """
                Another instance has been migrating the database for 1.0 seconds. Wait until it is done, or end the connection that holds \
                its advisory lock.
                """
        )
        for connection in [waiting, holder] { connection.close() }
    }

    @Test func `a migration that ends its transaction is named with the statement to remove`() async throws {
        try await PostgresServer.withDatabase { url in
            let migrations: PostgresMigrations = [PostgresMigration("ends", "CREATE TABLE b (id int); COMMIT")]
            let error = await postgresError { try await PostgresDatabase.open(url, migrations: migrations).close() }
            #expect(error?.code == .misuse)
            #expect(
                error?.message == """
                    The migration "ends" contains the statement COMMIT, but each migration is a transaction that begins and ends by \
                    itself. Remove the statement.
                    """
            )
        }
    }

    @Test func `a migration that copies is named with what to use instead`() async throws {
        try await PostgresServer.withDatabase { url in
            let migrations: PostgresMigrations = [PostgresMigration("copies", "COPY pg_class TO STDOUT")]
            let error = await postgresError { try await PostgresDatabase.open(url, migrations: migrations).close() }
            #expect(error?.code == .misuse)
            #expect(error?.message == "The migration \"copies\" failed and was rolled back: COPY is not supported. Use INSERT.")
        }
    }

    // MARK: Following

    private static let unfollowedHint = "If requests needn't follow the database, set isFollowed = false in its configuration."

    @Test func `a server that is too old to be followed is named with its version`() async throws {
        try await PostgresServer.withDatabase { url in
            // Takes the place of the server's function, because the schema comes first in the search path.
            try await PostgresServer.psql(
                """
                CREATE SCHEMA old;
                CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$
                    SELECT CASE $1 WHEN 'server_version_num' THEN '130012' WHEN 'server_version' THEN '13.12'
                        ELSE pg_catalog.current_setting($1) END
                $$
                """,
                at: url
            )
            let options = "&options=-c%20search_path%3Dold%2Cpg_catalog"
            let error = await postgresError { try await PostgresDatabase.open("\(url)\(options)").close() }
            #expect(error?.code == .misuse)
            #expect(error?.message == "The server is PostgreSQL 13.12. Requests can follow the commits of PostgreSQL 14 and later.")
            #expect(error?.hint == Self.unfollowedHint)
        }
    }

    @Test func `a server that counts no uses of tables is told with the setting to change`() async throws {
        try await PostgresServer.withDatabase { url in
            let error = await postgresError { try await PostgresDatabase.open("\(url)&options=-c%20track_counts%3Doff").close() }
            #expect(error?.code == .misuse)
            #expect(
                error?.message == "The server's setting track_counts is off, so it doesn't tell which tables a statement has read."
            )
            #expect(error?.hint == "Turn track_counts on. \(Self.unfollowedHint)")
        }
    }

    @Test(
        arguments: [
            ("SELECT '1/1', 'nonsense', '0'", true, "the position of the log"), ("SELECT 'x', '1', 'food', '', ''", false, "a transaction"),
            ("SELECT '7', 'x', 'food', '', ''", false, "a number"),
        ] as [(String, Bool, String)]
    )
    func `a log that can't be read is named with what is missing`(_ statement: String, _ isPage: Bool, _ what: String) async throws {
        let connection = try await Connection.open(try Endpoint(PostgresServer.url ?? ""), within: .seconds(10))
        let result = try await connection.run(statement)
        let error = await postgresError { _ = try isPage ? result.logPage().rows : result.logRows() }
        #expect(error?.code == .mismatch)
        #expect(error?.message == "The log of changes in the schema querykit can't be read: \(what) is missing.")
        connection.close()
    }
}
#endif
