/// Decides which migrations a database still needs, or that it can not be used.
struct MigrationPlan {
    /// A migration that the database has seen.
    struct Applied: Equatable {
        let name: String
        let checksum: Int64
    }

    /// Those that are still to be carried out, in order.
    let pending: [SQLiteMigration]

    init(_ migrations: SQLiteMigrations, applied: [Applied]) throws(SQLiteError) {
        let steps = migrations.steps
        var seen: Set<String> = []
        for step in steps where !seen.insert(step.name).inserted {
            throw SQLiteError(.migration, "Two migrations are called \"\(step.name)\".")
        }
        for (index, applied) in applied.enumerated() {
            guard index < steps.count, seen.contains(applied.name) else {
                throw SQLiteError(
                    .newerSchema,
                    "The database was written by a newer version of the app: it has the migration \"\(applied.name)\", which is unknown here. Update the app."
                )
            }
            let step = steps[index]
            guard step.name == applied.name else {
                throw SQLiteError(
                    .migration,
                    "Migration \(index + 1) of the database is \"\(applied.name)\", and here it is \"\(step.name)\": add new ones at the end."
                )
            }
            guard step.checksum == applied.checksum else {
                throw SQLiteError(
                    .migration,
                    "The migration \"\(step.name)\" is not the one that the database has seen: leave it as it was, and add another."
                )
            }
        }
        pending = Array(steps.dropFirst(applied.count))
    }
}
