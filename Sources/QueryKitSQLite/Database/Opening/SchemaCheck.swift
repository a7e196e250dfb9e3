import QueryKit

extension SchemaShape {
    private static let known = Lock<[[Int64]: SchemaShape]>([:])

    /// The schema that migrations create in an empty database. `nil` if one of them has a closure, which may do anything, or if they fail:
    /// the error is reported when they are applied.
    static func expected(of migrations: SQLiteMigrations) -> SchemaShape? {
        if migrations.steps.isEmpty || migrations.steps.contains(where: { $0.step != nil }) { return nil }
        let key = migrations.steps.map(\.checksum)
        if let shape = known.withLock({ $0[key] }) { return shape }
        guard let connection = try? Connection(path: nil, settings: ConnectionSettings(mode: .readWrite)),
            (try? connection.migrate(migrations)) != nil, let shape = try? SchemaShape(of: connection)
        else { return nil }
        known.withLock { $0[key] = shape }
        return shape
    }
}

extension Connection {
    /// Returns the missing and damaged parts of the schema, one sentence each, according to the file's own record. A file without a record
    /// is compared with the schema that its migrations create.
    func missingParts(of migrations: SQLiteMigrations) throws -> [String] {
        // In one snapshot: another process may be changing the schema.
        try inSnapshot {
            guard let expected = try SchemaRecord.shape(on: self) ?? SchemaShape.expected(of: try applied(of: migrations)) else {
                return []
            }
            let found = try SchemaShape(of: self)
            let altered = try SchemaRecord.isCurrent(on: self) ? expected.altered(in: found) : []
            return expected.missing(in: found).sentences("is missing") + altered.sentences("is damaged")
        }
    }

    /// Throws ``SQLiteError/Code/corrupt`` if a part of the schema is missing.
    func checkShape(_ migrations: SQLiteMigrations) throws {
        let missing = try missingParts(of: migrations)
        if let first = missing.first {
            let rest = missing.count == 1 ? "" : ", and \(missing.count - 1) more"
            throw SQLiteError(.corrupt, "The file is damaged: \(first)\(rest).")
        }
    }

    /// The migrations that were applied to the file; none if the file has other migrations.
    private func applied(of migrations: SQLiteMigrations) throws -> SQLiteMigrations {
        guard try hasMigrationTable(), let plan = try? MigrationPlan(migrations, applied: try appliedMigrations()) else { return [] }
        return SQLiteMigrations(Array(migrations.steps.dropLast(plan.pending.count)))
    }

    /// Whether the file contains a current record of its schema.
    func hasSchemaRecord() throws -> Bool { try inSnapshot { try SchemaRecord.isCurrent(on: self) } }

    /// Records the schema of a file that has no current record, after its schema was checked. If that is impossible now, for example on a
    /// full disk, the next opening tries again.
    func beginSchemaRecord(_ changes: ChangeLog?) throws {
        do {
            try ChangeLog.commitQuietly(changes, on: self) { connection in
                // Another process may have recorded it in the meantime.
                if try !SchemaRecord.isCurrent(on: connection) { try SchemaRecord.write(on: connection) }
            }
        } catch let error as SQLiteError where !error.isDamage {}
    }
}
