/// The shape of a schema, stored in the file, so that a lost part is noticed.
///
/// A migration writes the record, and so does each later commit that changes the schema: in the same transaction as the change. So a part
/// that is recorded but doesn't exist was removed by damage or by another program.
///
/// The record also contains the root pages, SQLite's number of the schema (`PRAGMA schema_version`), and a checksum of all this. Each
/// statement that changes the schema increases the number, in any program. So while the file has the recorded number, each difference
/// between the schema and an undamaged record is damage.
enum SchemaRecord {
    static let table = "querykit_schema"
    static let columns = ["kind", "name", "owner", "sql"]

    static func exists(on connection: Connection) throws -> Bool {
        try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
    }

    /// The recorded shape; `nil` if there is none, if it is damaged, or if an older version of this library has applied a migration without
    /// recording the schema. Call it within a transaction.
    static func shape(on connection: Connection) throws -> SchemaShape? {
        guard try exists(on: connection) else { return nil }
        let unknown = "SELECT name FROM querykit_migrations NOT INDEXED EXCEPT SELECT name FROM \(table) WHERE kind = 'migration'"
        if try hasMigrations(connection), try connection.value(String.self, unknown) != nil { return nil }
        if let state = try state(on: connection), try state.checksum != checksum(of: state.number, on: connection) { return nil }
        return SchemaShape(
            try connection.rows(
                """
                SELECT s.kind, s.name, s.owner, s.sql, CAST(coalesce(p.owner, '0') AS INTEGER) FROM \(table) AS s
                LEFT JOIN \(table) AS p ON p.kind = 'page' AND p.name = s.name AND p.sql = s.kind
                WHERE s.kind IN ('table', 'column', 'index', 'trigger', 'view') ORDER BY s.rowid
                """
            ) { SchemaShape.Part(kind: try $0[0], name: try $0[1], table: try $0[2], sql: try $0[3], page: try $0[4]) }
        )
    }

    /// Whether the record is undamaged, and no statement has changed the schema since. Call it within a transaction.
    static func isCurrent(on connection: Connection) throws -> Bool {
        try shape(on: connection) != nil && state(on: connection)?.number == number(on: connection)
    }

    /// SQLite's number of the schema.
    private static func number(on connection: Connection) throws -> String {
        "\(try connection.value(Int.self, "PRAGMA schema_version") ?? 0)"
    }

    /// The recorded number of the schema, and the checksum of the record.
    private static func state(on connection: Connection) throws -> (number: String, checksum: String)? {
        try connection.rows("SELECT name, owner FROM \(table) WHERE kind = 'state'") { row in
            (number: try row[0] as String, checksum: try row[1] as String)
        }
        .first
    }

    private static func checksum(of number: String, on connection: Connection) throws -> String {
        let texts = try connection.rows("SELECT kind, name, owner, sql FROM \(table) WHERE kind <> 'state' ORDER BY rowid") {
            (row) -> [String] in [try row[0], try row[1], try row[2], try row[3]]
        }
        return "\((texts.joined() + [number]).joined(separator: "\0").checksum)"
    }

    /// Replaces the schema of a copy of a damaged file with the recorded one, if the record is current. Otherwise replaces only the
    /// statements of tables whose own statements can't be used. SQLite must read the schema again afterwards.
    static func restore(on connection: Connection) throws {
        guard let recorded = try shape(on: connection) else { return }
        try connection.run("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        if try isCurrent(on: connection) {
            let columns = "type, name, tbl_name, rootpage, sql"
            let own = "name LIKE 'sqlite\\_%' ESCAPE '\\' OR name LIKE 'querykit\\_%' ESCAPE '\\'"
            try connection.run("CREATE TEMP TABLE querykit_own AS SELECT \(columns) FROM main.sqlite_schema WHERE \(own)")
            try connection.run("DELETE FROM main.sqlite_schema")
            for part in recorded.parts where part.kind != "column" && (part.page != 0 || !["table", "index"].contains(part.kind)) {
                try connection.run(
                    "INSERT INTO main.sqlite_schema (\(columns)) VALUES (?, ?, ?, ?, ?)",
                    [.text(part.kind), .text(part.name), .text(part.table), .integer(Int64(part.page)), .text(part.sql)]
                )
            }
            // SQLite's own indexes must follow their tables.
            try connection.run(
                """
                INSERT INTO main.sqlite_schema (\(columns)) SELECT \(columns) FROM temp.querykit_own
                WHERE name NOT IN (SELECT name FROM main.sqlite_schema)
                """
            )
        } else {
            for part in recorded.parts where part.kind == "table" && (try? connection.columns(of: part.name))?.isEmpty != false {
                try connection.run(
                    "UPDATE main.sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
                    [.text(part.sql), .text(part.name)]
                )
            }
        }
        try connection.run("COMMIT")
    }

    /// Whether the record belongs to a file with migrations.
    static func namesMigrations(on connection: Connection) throws -> Bool {
        guard try exists(on: connection) else { return false }
        return try connection.value(Int.self, "SELECT EXISTS (SELECT 1 FROM \(table) WHERE kind = 'migration')") == 1
    }

    /// Records the current schema. Call it within a transaction.
    static func write(on connection: Connection) throws {
        try write(connection.readingSchema { try SchemaShape(of: connection) }, on: connection)
    }

    private static func write(_ shape: SchemaShape, on connection: Connection) throws {
        try connection.run(
            "CREATE TABLE IF NOT EXISTS \(table) (kind TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, sql TEXT NOT NULL) STRICT"
        )
        try connection.run("DELETE FROM \(table)")
        let insertion = "INSERT INTO \(table) (kind, name, owner, sql) VALUES (?, ?, ?, ?)"
        for part in shape.parts {
            try connection.run(insertion, [.text(part.kind), .text(part.name), .text(part.table), .text(part.sql)])
        }
        for part in shape.parts where part.page != 0 {
            try connection.run(insertion, [.text("page"), .text(part.name), .text("\(part.page)"), .text(part.kind)])
        }
        if try hasMigrations(connection) {
            try connection.run(
                "INSERT INTO \(table) (kind, name, owner, sql) SELECT 'migration', name, '', '' FROM querykit_migrations NOT INDEXED"
            )
        }
        let number = try number(on: connection)
        try connection.run(insertion, [.text("state"), .text(number), .text(try checksum(of: number, on: connection)), .text("")])
    }

    private static func hasMigrations(_ connection: Connection) throws -> Bool {
        try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'querykit_migrations'") == 1
    }

    /// The schema before a transaction changes it.
    struct Change {
        private let recorded: SchemaShape
        private let before: SchemaShape

        /// Returns `nil` if there is no record to update.
        init?(on connection: Connection) throws {
            guard let recorded = try connection.readingSchema({ try SchemaRecord.shape(on: connection) }) else { return nil }
            self.recorded = recorded
            before = try connection.readingSchema { try SchemaShape(of: connection) }
        }

        /// Updates the record before the commit.
        func record(on connection: Connection) throws {
            if try SchemaRecord.isCurrent(on: connection) { return }
            let after = try connection.readingSchema { recorded.following(before, try SchemaShape(of: connection)) }
            try SchemaRecord.write(after, on: connection)
        }
    }
}
