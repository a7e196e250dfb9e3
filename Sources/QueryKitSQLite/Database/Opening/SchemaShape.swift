import QueryKit

/// The tables, columns, indexes, triggers and views of a database, to compare what is there with what the migrations make.
struct SchemaShape: Sendable {
    private struct Part: Hashable, Sendable {
        let kind: String
        let name: String
        let table: String
    }

    private var parts: Set<Part> = []
    /// Of tables with rows of their own, in small letters.
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

    /// What this schema has and another one lacks, a sentence each. What the other has beside it is somebody's own.
    func missing(in other: SchemaShape) -> [String] {
        let missing = parts.subtracting(other.parts)
        let tables = Set(missing.filter { $0.kind == "table" }.map(\.name))
        // What belongs to a missing table is missing with it.
        var sentences = missing.filter { $0.kind == "table" || !tables.contains($0.table) }.map { part in
            part.kind == "table" ? "the table \(part.name) is missing" : "the \(part.kind) \(part.name) of \(part.table) is missing"
        }
        for (table, names) in columns {
            guard let found = other.columns[table] else { continue }
            sentences += names.subtracting(found).map { "the column \($0) of \(table) is missing" }
        }
        return sentences.sorted()
    }

    /// Whether the two have tables of the same names.
    func sharesTables(with other: SchemaShape) -> Bool { !Set(columns.keys).isDisjoint(with: other.columns.keys) }

    // MARK: What migrations make

    private static let known = Lock<[[Int64]: SchemaShape]>([:])

    /// What migrations make of an empty database; `nil` where one of them has a closure, which may do anything, and where they fail: that is for who carries
    /// them out to say.
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
    /// What is missing of the schema that the migrations have made, a sentence each.
    func missingParts(of migrations: SQLiteMigrations) throws -> [String] {
        guard let expected = SchemaShape.expected(of: migrations) else { return [] }
        return expected.missing(in: try SchemaShape(of: self))
    }

    /// Throws ``SQLiteError/Code/corrupt`` if something of the schema is missing that the migrations have made.
    func lookAtShape(_ migrations: SQLiteMigrations) throws {
        let missing = try missingParts(of: migrations)
        if let first = missing.first {
            let rest = missing.count == 1 ? "" : ", and \(missing.count - 1) more"
            throw SQLiteError(.corrupt, "The file is damaged: \(first)\(rest).")
        }
    }
}
