import QueryKitSQL

extension MigrationPlan<SQLiteMigration> {
    init(_ migrations: SQLiteMigrations, applied: [AppliedMigration]) throws(SQLiteError) {
        do {
            try self.init(comparing: migrations.steps, with: applied)
        } catch {
            switch error {
            case .newerSchema(let message): throw SQLiteError(.newerSchema, message)
            case .contradiction(let message): throw SQLiteError(.migration, message)
            }
        }
    }
}
