#if Postgres
import QueryKitSQL

extension MigrationPlan<PostgresMigration> {
    init(_ migrations: PostgresMigrations, applied: [AppliedMigration]) throws(PostgresError) {
        do {
            try self.init(comparing: migrations.steps, with: applied)
        } catch {
            switch error {
            case .newerSchema(let message): throw PostgresError(.newerSchema, message)
            case .contradiction(let message): throw PostgresError(.migration, message)
            }
        }
    }
}
#endif
