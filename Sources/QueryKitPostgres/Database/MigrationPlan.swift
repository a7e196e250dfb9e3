#if Postgres
/// Decides which migrations a database still needs, or throws if the database can't be used.
struct MigrationPlan {
    /// A migration that has been applied to the database.
    struct Applied: Equatable {
        let name: String
        let checksum: Int64
    }

    /// The migrations that are still to be applied, in order.
    let pending: [PostgresMigration]

    init(_ migrations: PostgresMigrations, applied: [Applied]) throws(PostgresError) {
        let steps = migrations.steps
        var seen: Set<String> = []
        for step in steps where !seen.insert(step.name).inserted {
            throw PostgresError(.migration, "Two migrations have the name \"\(step.name)\". Rename one of them.")
        }
        for (index, applied) in applied.enumerated() {
            guard index < steps.count, seen.contains(applied.name) else {
                throw PostgresError(
                    .newerSchema,
                    "The database was migrated by a newer version of the app: it has the migration \"\(applied.name)\", which is unknown here. Update the app."
                )
            }
            let step = steps[index]
            guard step.name == applied.name else {
                throw PostgresError(
                    .migration,
                    "Migration \(index + 1) of the database is \"\(applied.name)\", but the app's is \"\(step.name)\". Add new migrations at the end."
                )
            }
            guard step.checksum == applied.checksum else {
                throw PostgresError(
                    .migration,
                    "The migration \"\(step.name)\" has changed since it was applied to the database. Restore its old text, and add a new migration."
                )
            }
        }
        pending = Array(steps.dropFirst(applied.count))
    }
}
#endif
