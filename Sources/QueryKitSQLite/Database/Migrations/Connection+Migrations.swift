import Foundation

extension Connection {
    /// Applies the missing migrations, each in a separate transaction, and returns their names.
    func migrate(_ migrations: SQLiteMigrations) throws -> [String] {
        if migrations.steps.isEmpty { return [] }
        // Check first without a lock: if no migration is missing, there is no need to wait for other processes.
        if try hasMigrationTable(), try MigrationPlan(migrations, applied: try appliedMigrations()).pending.isEmpty { return [] }
        var done: [String] = []
        // "This pragma is a no-op within a transaction", so set it before. References are checked at the end of each migration.
        try run("PRAGMA foreign_keys = 0")
        defer { try? run("PRAGMA foreign_keys = 1") }
        // Computed only if a migration is missing.
        var dangling: Int?
        while true {
            try run(.beginImmediate)
            do {
                // Checked within the transaction, because another process may be migrating at the same time.
                try makeMigrationTable()
                guard let step = try MigrationPlan(migrations, applied: try appliedMigrations()).pending.first else {
                    try run(.commit)
                    return done
                }
                let before = try dangling ?? danglingCount()
                try named(step) { try apply(step) }
                dangling = try checkReferences(step, before)
                try run(.commit)
                done.append(step.name)
            } catch {
                rollBack()
                throw error
            }
        }
    }

    /// Throws if the schema is not the one that the migrations create. For readers, which can't migrate.
    func checkMigrations(_ migrations: SQLiteMigrations) throws {
        if migrations.steps.isEmpty { return }
        let plan = try MigrationPlan(migrations, applied: try hasMigrationTable() ? try appliedMigrations() : [])
        if let missing = plan.pending.first {
            throw SQLiteError(
                .migration,
                "The database lacks the migration \"\(missing.name)\", and a reader can't migrate. Open it with SQLiteDatabase first."
            )
        }
    }

    func hasMigrationTable() throws -> Bool {
        try value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'querykit_migrations'") == 1
    }

    private func makeMigrationTable() throws(SQLiteError) {
        try run(
            """
            CREATE TABLE IF NOT EXISTS querykit_migrations (
                position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL, date INTEGER NOT NULL
            ) STRICT
            """
        )
    }

    func appliedMigrations() throws -> [AppliedMigration] {
        let statement = try statement("SELECT name, checksum, position FROM querykit_migrations ORDER BY position", for: .engine)
        defer { statement.reset() }
        var applied: [AppliedMigration] = []
        let row = SQLiteRow(statement)
        do {
            while try statement.step() {
                applied.append(AppliedMigration(name: try row[0], checksum: try row[1]))
                // Positions are numbered from 1, and no row is ever deleted.
                guard try row[2] == applied.count else {
                    throw SQLiteError(
                        .corrupt,
                        "The file is damaged: the migration \"\(applied.last?.name ?? "")\" is at the wrong position."
                    )
                }
            }
            return applied
        } catch let error as SQLiteError where error.code == .mismatch {
            // A STRICT table can't contain another type, so the file is damaged.
            throw SQLiteError(
                .corrupt,
                "The file is damaged: the list of applied migrations can't be read. \(error.message)",
                sql: error.sql
            )
        }
    }

    /// Adds the name of the failed migration to an error of SQLite.
    private func named(_ step: SQLiteMigration, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as SQLiteError {
            throw SQLiteError(
                error.code,
                "The migration \"\(step.name)\" failed and was rolled back: \(error.message)",
                extendedCode: error.extendedCode,
                sql: error.sql
            )
        }
    }

    private func apply(_ step: SQLiteMigration) throws {
        let transaction = SQLiteWriteTransaction(self)
        transaction.note(try script(step.script, for: .writer))
        forgetStatements()
        try step.step?(transaction)
        try transaction.checkFailure()
        try run(
            "INSERT INTO querykit_migrations (name, checksum, date) VALUES (?, ?, ?)",
            [.text(step.name), .integer(step.checksum), Date().sqliteValue]
        )
        try SchemaRecord.write(on: self)
        forgetStatements()
    }

    /// Counts rows that refer to missing rows: some may exist after a recovery from damage.
    private func danglingCount() throws -> Int {
        try value(Int.self, "SELECT count(*) FROM pragma_foreign_key_check") ?? 0
    }

    /// Throws if a migration has increased the number of such rows.
    private func checkReferences(_ step: SQLiteMigration, _ before: Int) throws -> Int {
        let after = try danglingCount()
        guard after > before else { return after }
        let table = try value(String.self, "PRAGMA foreign_key_check") ?? "a table"
        throw SQLiteError(
            .constraint,
            "The migration \"\(step.name)\" was rolled back: after it, a row of \(table) refers to a missing row. Let it correct or delete such rows.",
            extendedCode: 787
        )
    }
}
