import Foundation

extension Connection {
    /// Carries out the migrations that are missing, each in a transaction of its own, and answers with their names.
    func migrate(_ migrations: SQLiteMigrations) throws -> [String] {
        if migrations.steps.isEmpty { return [] }
        // Nobody has to wait for the lock of others to learn that nothing is missing.
        if try hasMigrationTable(), try MigrationPlan(migrations, applied: try appliedMigrations()).pending.isEmpty { return [] }
        var done: [String] = []
        // "This pragma is a no-op within a transaction": so before it, and checked as a whole at its end.
        try run("PRAGMA foreign_keys = 0")
        defer { try? run("PRAGMA foreign_keys = 1") }
        // Known only when a migration is missing.
        var dangling: Int?
        while true {
            try run("BEGIN IMMEDIATE")
            do {
                // Asked within the transaction: another process may do the same just now.
                try makeMigrationTable()
                guard let step = try MigrationPlan(migrations, applied: try appliedMigrations()).pending.first else {
                    try run("COMMIT")
                    return done
                }
                let before = try dangling ?? danglingCount()
                try named(step) { try apply(step) }
                dangling = try checkReferences(step, before)
                try run("COMMIT")
                done.append(step.name)
            } catch {
                rollBack()
                throw error
            }
        }
    }

    /// Throws if the database is not as the migrations leave it; for those who may not migrate.
    func checkMigrations(_ migrations: SQLiteMigrations) throws {
        if migrations.steps.isEmpty { return }
        let plan = try MigrationPlan(migrations, applied: try hasMigrationTable() ? try appliedMigrations() : [])
        if let missing = plan.pending.first {
            throw SQLiteError(
                .migration,
                "The database lacks the migration \"\(missing.name)\", and a reader can not migrate: open it for writing first."
            )
        }
    }

    private func hasMigrationTable() throws -> Bool {
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

    func appliedMigrations() throws -> [MigrationPlan.Applied] {
        let statement = try statement("SELECT name, checksum, position FROM querykit_migrations ORDER BY position", for: .engine)
        defer { statement.reset() }
        var applied: [MigrationPlan.Applied] = []
        let row = SQLiteRow(statement)
        do {
            while try statement.step() {
                applied.append(MigrationPlan.Applied(name: try row[0], checksum: try row[1]))
                // They are counted from 1, and none is ever taken out.
                guard try row[2] == applied.count else {
                    throw SQLiteError(.corrupt, "The file is damaged: the migration \"\(applied.last?.name ?? "")\" is out of its place.")
                }
            }
            return applied
        } catch let error as SQLiteError where error.code == .mismatch {
            // STRICT lets nothing else in.
            throw SQLiteError(.corrupt, "The file is damaged: its list of migrations is none. \(error.message)", sql: error.sql)
        }
    }

    /// Says in an error of SQLite which migration failed.
    private func named(_ step: SQLiteMigration, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as SQLiteError {
            throw SQLiteError(
                error.code,
                "The migration \"\(step.name)\" failed, and is undone: \(error.message)",
                extendedCode: error.extendedCode,
                sql: error.sql
            )
        }
    }

    private func apply(_ step: SQLiteMigration) throws {
        let transaction = SQLiteWriteTransaction(self, nil, nil)
        transaction.note(try script(step.script, for: .writer))
        forgetStatements()
        try step.step?(transaction)
        try transaction.checkFailure()
        try run(
            "INSERT INTO querykit_migrations (name, checksum, date) VALUES (?, ?, ?)",
            [.text(step.name), .integer(step.checksum), Date().sqliteValue]
        )
        forgetStatements()
    }

    /// How many rows refer to one that is not there: after damage was recovered from, some may.
    private func danglingCount() throws -> Int {
        try value(Int.self, "SELECT count(*) FROM pragma_foreign_key_check") ?? 0
    }

    /// Throws if a migration has left more such rows than there were.
    private func checkReferences(_ step: SQLiteMigration, _ before: Int) throws -> Int {
        let after = try danglingCount()
        guard after > before else { return after }
        let table = try value(String.self, "PRAGMA foreign_key_check") ?? "a table"
        throw SQLiteError(
            .constraint,
            "After the migration \"\(step.name)\" a row of \(table) refers to one that is not there.",
            extendedCode: 787
        )
    }
}
