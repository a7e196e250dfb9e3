#if Postgres
extension Connection {
    /// The lock that only one instance at a time holds while it migrates: "QueryKit" in ASCII.
    private static let migrationLock: Int64 = 0x5175_6572_794B_6974

    /// Applies the missing migrations, each in a separate transaction, and returns their names.
    ///
    /// - Parameter scope: Separates the migrations of the app from those of the library.
    @discardableResult
    func migrate(_ migrations: PostgresMigrations, scope: String, waitingAtMost limit: Duration) async throws -> [String] {
        if migrations.steps.isEmpty { return [] }
        // Check first without the lock: if no migration is missing, there is no need to wait for other instances.
        if try await hasMigrationTable() {
            try await runChecked(ServerOwnership.check)
            if try await plan(migrations, scope).pending.isEmpty { return [] }
        }
        try await run("SET statement_timeout = 0")
        try await lock(waitingAtMost: limit)
        do {
            let done = try await applyPending(migrations, scope)
            try await run("SELECT pg_advisory_unlock(\(Self.migrationLock))")
            return done
        } catch {
            // The lock ends with the connection, regardless of the connection's state.
            close()
            throw error
        }
    }

    private func lock(waitingAtMost limit: Duration) async throws {
        do {
            try await run("SET lock_timeout = \(max(1, limit.components.seconds * 1_000))")
            try await run("SELECT pg_advisory_lock(\(Self.migrationLock))")
            try await run("RESET lock_timeout")
        } catch let error as PostgresError where error.sqlState == "55P03" {
            throw PostgresError(
                .timeout,
                "Another instance has been migrating the database for \(limit). Wait until it is done, or end the connection that holds its advisory lock.",
                sqlState: error.sqlState
            )
        }
    }

    private func applyPending(_ migrations: PostgresMigrations, _ scope: String) async throws -> [String] {
        try await runChecked(
            """
            \(ServerOwnership.beginning)
            CREATE TABLE IF NOT EXISTS querykit.migrations (
                scope text NOT NULL, position bigint NOT NULL, name text NOT NULL, checksum bigint NOT NULL,
                date timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (scope, position), UNIQUE (scope, name)
            );
            \(ServerOwnership.ending)
            """
        )
        // Another instance may have migrated before this one got the lock.
        let plan = try await plan(migrations, scope)
        let first = migrations.steps.count - plan.pending.count
        for (index, step) in plan.pending.enumerated() { try await apply(step, at: first + index, scope) }
        return plan.pending.map(\.name)
    }

    /// Executes a script that refuses a schema of another role.
    private func runChecked(_ script: String) async throws {
        do {
            try await runScript(script)
        } catch {
            try await run("ROLLBACK")
            throw ServerOwnership.refusal(error) ?? error
        }
    }

    private func hasMigrationTable() async throws -> Bool {
        try await run("SELECT to_regclass('querykit.migrations') IS NOT NULL").map { try $0[0] as Bool } == [true]
    }

    private func plan(_ migrations: PostgresMigrations, _ scope: String) async throws -> MigrationPlan<PostgresMigration> {
        let sql: SQL = "SELECT name, checksum FROM querykit.migrations WHERE scope = \(scope) ORDER BY position"
        return try MigrationPlan(
            migrations,
            applied: try await run(sql).map { AppliedMigration(name: try $0[0], checksum: try $0[1]) }
        )
    }

    private func apply(_ step: PostgresMigration, at position: Int, _ scope: String) async throws {
        if let statement = MigrationScript.transactionStatement(in: step.script) {
            throw PostgresError(
                .misuse,
                "The migration \"\(step.name)\" contains the statement \(statement), but each migration is a transaction that begins and ends by itself. Remove the statement."
            )
        }
        let run = TransactionRun(on: self, .readCommitted, isWrite: true, nil)
        do {
            try await run.runScript(step.script)
            try await step.step?(PostgresWriteTransaction(run))
            _ = try await run.run([
                """
                INSERT INTO querykit.migrations (scope, position, name, checksum)
                VALUES (\(scope), \(position), \(step.name), \(step.checksum))
                """
            ])
            try await run.commit { _ in }
        } catch {
            await run.rollBack { _ in }
            guard let error = error as? PostgresError else { throw error }
            let isUndone = error.code != .outcomeUnknown && !run.wasEndedByStatement
            throw error.with(message: "The migration \"\(step.name)\" failed\(isUndone ? " and was rolled back" : ""): \(error.message)")
        }
    }
}
#endif
