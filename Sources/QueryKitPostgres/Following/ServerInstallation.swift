#if Postgres
/// Installs the log of changes and the triggers on a server; see ``ServerScript``.
struct ServerInstallation: Sendable {
    /// What this role may do with the log.
    enum Access: Sendable {
        /// The role has installed the log.
        case owner
        /// The role may read the log.
        case reader
        /// There is no log, and the role may not create it; or there is one that it may not read.
        case none
    }

    /// The column of each table with declared partitions.
    let columns: [String: String]
    /// How long to wait for a table that another transaction uses.
    var lockTimeout = 5_000

    /// Installs what is missing. Instances that start at the same time do so one after the other.
    ///
    /// Every table of the database is followed, except temporary ones and those of the server.
    ///
    /// - Returns: What this role may do with the log.
    func perform(on connection: Connection) async throws -> Access {
        let access = try await access(on: connection)
        if access == .owner {
            try await connection.run("SET client_min_messages = warning")
            try await connection.runScript(try await script(on: connection))
        }
        return access
    }

    private func access(on connection: Connection) async throws -> Access {
        let result = try await connection.run(
            """
            SELECT CASE
                WHEN n.oid IS NULL THEN CASE
                    WHEN NOT pg_is_in_recovery() AND has_database_privilege(current_database(), 'CREATE') THEN 'owner' ELSE 'none' END
                WHEN pg_has_role(n.nspowner, 'USAGE') AND NOT pg_is_in_recovery() THEN 'owner'
                WHEN has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') THEN 'reader'
                ELSE 'none'
            END
            FROM (SELECT 1) one
            LEFT JOIN pg_namespace n ON n.nspname = 'querykit'
            LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'changes'
            """
        )
        switch try result.text() {
        case "owner": return .owner
        case "reader": return .reader
        default: return .none
        }
    }

    /// The statements to execute, in one transaction.
    private func script(on connection: Connection) async throws -> String {
        var text = """
            BEGIN;
            SET LOCAL lock_timeout = \(lockTimeout);
            SELECT pg_advisory_xact_lock(8245, 0);

            """
        if try await installedVersion(on: connection) < ServerScript.version { text += ServerScript.text + "\n" }
        for (table, column) in columns.sorted(by: { $0.key < $1.key }) {
            text += """
                INSERT INTO querykit.partitions (name, col)
                VALUES (\(FollowingStatements.quoted(table)), \(FollowingStatements.quoted(column)))
                ON CONFLICT (name) DO UPDATE SET col = excluded.col WHERE partitions.col <> excluded.col;

                """
        }
        return text + "SELECT querykit.check_system();\nSELECT querykit.follow_all();\nCOMMIT;"
    }

    private func installedVersion(on connection: Connection) async throws -> Int {
        let settings = try await connection.run("SELECT to_regclass('querykit.settings')::text")
        guard try settings.text() != nil else { return 0 }
        return Int(try await connection.run("SELECT version::text FROM querykit.settings").text() ?? "") ?? 0
    }
}
#endif
