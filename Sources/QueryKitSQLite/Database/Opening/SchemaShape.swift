import QueryKit

/// The tables, columns, indexes, triggers and views of a database, for comparison with the schema that the migrations create.
struct SchemaShape: Sendable {
    private struct Part: Hashable, Sendable {
        let kind: String
        let name: String
        let table: String
    }

    private var parts: Set<Part> = []
    /// The columns of tables that store rows, in lowercase.
    private var columns: [String: Set<String>] = [:]

    init(of connection: Connection) throws {
        let entries = try connection.rows(
            "SELECT type, name, tbl_name, coalesce(sql, '') LIKE 'CREATE VIRTUAL%' FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ) { row in (part: Part(kind: try row[0], name: try row[1], table: try row[2]), isVirtual: try row[3] as Bool) }
        for (part, isVirtual) in entries where !Access.isInternal(part.table) {
            parts.insert(Part(kind: part.kind, name: part.name.lowercased(), table: part.table.lowercased()))
            guard part.kind == "table", !isVirtual else { continue }
            let names = try connection.rows("SELECT name FROM pragma_table_xinfo(?)", [.text(part.name)]) { try $0[0] as String }
            columns[part.name.lowercased()] = Set(names.map { $0.lowercased() })
        }
    }

    /// What another schema lacks, one sentence each. Additional parts of the other schema are ignored: the app may have created them.
    func missing(in other: SchemaShape) -> [String] {
        let missing = parts.subtracting(other.parts)
        let tables = Set(missing.filter { $0.kind == "table" }.map(\.name))
        // The parts of a missing table are missing with it and not listed separately.
        var sentences = missing.filter { $0.kind == "table" || !tables.contains($0.table) }.map { part in
            part.kind == "table" ? "the table \(part.name) is missing" : "the \(part.kind) \(part.name) of \(part.table) is missing"
        }
        for (table, names) in columns {
            guard let found = other.columns[table] else { continue }
            sentences += names.subtracting(found).map { "the column \($0) of \(table) is missing" }
        }
        return sentences.sorted()
    }

    /// Returns whether both schemas have a table with the same name.
    func sharesTables(with other: SchemaShape) -> Bool { !Set(columns.keys).isDisjoint(with: other.columns.keys) }

    // MARK: The schema of migrations

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
    /// Returns the missing parts of the schema that the migrations have created, one sentence each.
    func missingParts(of migrations: SQLiteMigrations) throws -> [String] {
        guard let expected = SchemaShape.expected(of: migrations) else { return [] }
        return expected.missing(in: try SchemaShape(of: self))
    }

    /// Throws ``SQLiteError/Code/corrupt`` if a part of the schema that the migrations have created is missing.
    func checkShape(_ migrations: SQLiteMigrations) throws {
        let missing = try missingParts(of: migrations)
        if let first = missing.first {
            let rest = missing.count == 1 ? "" : ", and \(missing.count - 1) more"
            throw SQLiteError(.corrupt, "The file is damaged: \(first)\(rest).")
        }
    }
}
