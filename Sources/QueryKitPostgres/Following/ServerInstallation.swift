#if Postgres
/// Installs the log of changes and the triggers on a server; see ``ServerScript``.
struct ServerInstallation: Sendable {
    /// What this role may do with the log.
    enum Access: Sendable {
        /// The role owns the log.
        case owner
        /// There is no log, and the role may not create it; or the server is a standby.
        case none
    }

    /// The column of each table with declared partitions.
    let columns: [String: String]
    /// How long to retry tables that other transactions are using.
    var patience = Duration.seconds(5)

    /// How many milliseconds to wait for one table at a time. During that time the server lets no other transaction write to it.
    private static let lockTimeout = 200

    /// What an installation has led to.
    struct Outcome: Sendable {
        let access: Access
        /// Tables that other transactions use: another attempt may succeed.
        var busy: Set<String> = []
        /// Tables that can't have the triggers.
        var refused: Set<String> = []
    }

    /// Installs what is missing. Instances that start at the same time do so one after the other.
    ///
    /// Every table of the database is followed, except temporary ones and those of the server. Each table has its own transaction, so that
    /// no writer is blocked permanently, or waits for a table because another table is in use. A table that can't have triggers doesn't
    /// prevent those of others.
    ///
    /// Throws if the schema contains anything that another role could have prepared, and if a publication includes it: the functions and
    /// triggers of the schema run with the rights of the role that opens the database.
    func perform(on connection: Connection) async throws -> Outcome {
        try await check(connection)
        var outcome = Outcome(access: try await access(on: connection))
        guard outcome.access == .owner else { return outcome }
        try await connection.run("SET client_min_messages = warning")
        do {
            try await connection.runScript(ServerOwnership.beginning)
            try await connection.runScript(try await script(on: connection))
        } catch {
            try await connection.run("ROLLBACK")
            throw ServerOwnership.refusal(error) ?? error
        }
        let end = ContinuousClock.now + patience
        repeat {
            outcome.busy = []
            for (relation, name) in try await missing(on: connection) where !outcome.refused.contains(name) {
                switch try await follow(relation, on: connection) {
                case .done: break
                case .busy: outcome.busy.insert(name)
                case .refused: outcome.refused.insert(name)
                }
            }
        } while !outcome.busy.isEmpty && .now < end
        try await connection.runScript("BEGIN; SELECT pg_advisory_xact_lock(8245, 0); SELECT querykit.check_definitions(); COMMIT")
        return outcome
    }

    /// Throws if the server can't be followed at all.
    private func check(_ connection: Connection) async throws {
        let settings = try await connection.run(
            "SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('track_counts')"
        )
        let row = PostgresRow(settings, 0)
        let (number, version, counts): (String, String, String) = (try row[0], try row[1], try row[2])
        if Int(number) ?? 0 < 140_000 {
            let message = "The server is PostgreSQL \(version). Requests can follow the commits of PostgreSQL 14 and later."
            throw PostgresError(.misuse, message, hint: Self.unfollowedHint)
        }
        if counts != "on" {
            let message = "The server's setting track_counts is off, so it doesn't tell which tables a statement has read."
            throw PostgresError(.misuse, message, hint: "Turn track_counts on. \(Self.unfollowedHint)")
        }
    }

    private static let unfollowedHint = "If requests needn't follow the database, set isFollowed = false in its configuration."

    private enum Attempt: String {
        case done = "true"
        case busy
        case refused = "false"
    }

    private func follow(_ relation: String, on connection: Connection) async throws -> Attempt {
        do {
            try await connection.runScript(
                """
                BEGIN;
                SET LOCAL lock_timeout = 5000;
                SELECT pg_advisory_xact_lock(8245, 0);
                SET LOCAL lock_timeout = \(Self.lockTimeout);
                """
            )
            let result = try await connection.run("SELECT querykit.follow(\(relation))::text").text()
            // A commit that sends a notification waits for other commits that send one.
            try await connection.runScript("SET LOCAL lock_timeout = 5000; COMMIT")
            return result.flatMap(Attempt.init) ?? .refused
        } catch let error as PostgresError where error.sqlState != nil {
            try await connection.run("ROLLBACK")
            return error.code == .timeout || error.isRetryable ? .busy : .refused
        }
    }

    /// The tables without triggers.
    private func missing(on connection: Connection) async throws -> [(relation: String, name: String)] {
        let result = try await connection.run("SELECT relation::text, name FROM querykit.missing()")
        var tables: [(relation: String, name: String)] = []
        for index in 0..<result.count {
            let row = PostgresRow(result, index)
            tables.append((try row[0], try row[1]))
        }
        return tables
    }

    private func access(on connection: Connection) async throws -> Access {
        let result = try await connection.run(
            """
            SELECT CASE
                WHEN pg_is_in_recovery() THEN 'none'
                WHEN has_database_privilege(current_database(), 'CREATE') OR to_regnamespace('querykit') IS NOT NULL THEN 'owner'
                ELSE 'none'
            END
            """
        )
        return try result.text() == "owner" ? .owner : .none
    }

    /// The statements that complete the transaction.
    private func script(on connection: Connection) async throws -> String {
        var text = ""
        if try await installedVersion(on: connection) < ServerScript.version { text += ServerScript.text + "\n" }
        for (table, column) in columns.sorted(by: { $0.key < $1.key }) {
            text += """
                INSERT INTO querykit.partitions (name, col)
                VALUES (\(FollowingStatements.quoted(table)), \(FollowingStatements.quoted(column)))
                ON CONFLICT (name) DO UPDATE SET col = excluded.col WHERE partitions.col <> excluded.col;

                """
        }
        return text + "SELECT querykit.check_system();\nSELECT querykit.trim('1 hour', 100000);\n\(ServerOwnership.ending)"
    }

    private func installedVersion(on connection: Connection) async throws -> Int {
        let settings = try await connection.run("SELECT to_regclass('querykit.settings')::text")
        guard try settings.text() != nil else { return 0 }
        return Int(try await connection.run("SELECT version::text FROM querykit.settings").text() ?? "") ?? 0
    }
}
#endif
