import QueryKit

/// The tables, columns, indexes, triggers and views of a database, for comparison with those of another schema.
struct SchemaShape: Sendable {
    struct Part: Sendable {
        /// SQLite's name of the type of object, or "column".
        let kind: String
        let name: String
        let table: String
        /// The statement that creates the part; empty for a column.
        let sql: String
        /// The root page of a table or index; 0 if there is none, or if it is unknown.
        var page: Int

        fileprivate var id: ID { ID(kind: kind, name: name.foldedName, table: table.foldedName) }
    }

    fileprivate struct ID: Hashable {
        let kind: String
        let name: String
        let table: String
    }

    /// The parts, in the order of their creation.
    private(set) var parts: [Part]

    init(_ parts: [Part]) { self.parts = parts }

    /// Reads the schema, without internal tables. Call it within a transaction.
    init(of connection: Connection) throws {
        let own = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        parts = try connection.rows(
            """
            SELECT type, name, tbl_name, coalesce(sql, ''), coalesce(rootpage, 0), 0, rowid AS position FROM main.sqlite_schema WHERE \(own)
            UNION ALL
            SELECT 'column', c.name, t.name, '', 0, 1, t.rowid FROM main.sqlite_schema AS t, pragma_table_xinfo(t.name, 'main') AS c
            WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND t.\(own)
            ORDER BY position, 6
            """
        ) { Part(kind: try $0[0], name: try $0[1], table: try $0[2], sql: try $0[3], page: try $0[4]) }
        .filter { !Access.isInternal($0.table) }
    }

    /// The parts that another schema lacks. Additional parts of the other schema are ignored: the app may have created them.
    func missing(in other: SchemaShape) -> [Part] {
        let found = Set(other.parts.map(\.id))
        return parts.filter { !found.contains($0.id) }
    }

    /// The parts that another schema has with another statement, root page or spelling.
    func altered(in other: SchemaShape) -> [Part] {
        let found = Dictionary(other.parts.map { ($0.id, $0) }) { $1 }
        return parts.filter { part in
            guard let other = found[part.id] else { return false }
            return (other.name, other.table, other.sql) != (part.name, part.table, part.sql) || part.page != 0 && other.page != part.page
        }
    }

    /// Returns whether both schemas have a table with the same name.
    func sharesTables(with other: SchemaShape) -> Bool { !tables.isDisjoint(with: other.tables) }

    func hasTable(_ name: String) -> Bool { tables.contains(name.foldedName) }

    private var tables: Set<String> { Set(parts.filter { $0.kind == "table" }.map(\.name.foldedName)) }

    /// The shape after a transaction has changed the schema. What was missing before is still missing, and its page may be another part's.
    func following(_ before: SchemaShape, _ after: SchemaShape) -> SchemaShape {
        let found = Set(after.parts.map(\.id))
        let lost = missing(in: before).filter { !found.contains($0.id) }
        return SchemaShape(after.parts + lost.map { Part(kind: $0.kind, name: $0.name, table: $0.table, sql: $0.sql, page: 0) })
    }
}

extension [SchemaShape.Part] {
    /// One sentence for each part.
    ///
    /// - Parameter finding: What was found, such as "is missing".
    func sentences(_ finding: String) -> [String] {
        let tables = Set(filter { $0.kind == "table" }.map(\.table.foldedName))
        // The parts of a missing table are missing with it and not listed separately.
        return filter { $0.kind == "table" || !tables.contains($0.table.foldedName) }.map { part in
            let isPart = part.kind != "table" && part.kind != "view"
            return "the \(part.kind) \(part.name)\(isPart ? " of \(part.table)" : "") \(finding)"
        }
        .sorted()
    }
}

extension Connection {
    /// Performs work within one snapshot: the one of the current transaction, or a new one.
    func inSnapshot<Result>(_ work: () throws -> Result) throws -> Result {
        guard isOutsideTransaction else { return try work() }
        try run(.begin)
        defer { rollBack() }
        // The first read takes the snapshot.
        _ = try value(Int.self, "SELECT count(*) FROM sqlite_schema")
        return try work()
    }

    /// A name that isn't a text is a sign of damage, because SQLite writes all names as texts.
    func readingSchema<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as SQLiteError where error.code == .mismatch {
            throw SQLiteError(.corrupt, "The file is damaged: its schema can't be read. \(error.message)", sql: error.sql)
        }
    }
}
