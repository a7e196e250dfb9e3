/// The shape of a schema, stored in the file, so that a lost part is noticed.
///
/// A migration writes the record, and so does each later commit that changes the schema: in the same transaction as the change. So a part
/// that is recorded but doesn't exist was removed by damage or by another program.
enum SchemaRecord {
    static let table = "querykit_schema"
    static let columns = ["kind", "name", "owner", "sql"]

    static func exists(on connection: Connection) throws -> Bool {
        try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
    }

    /// The recorded shape; `nil` if there is none, or if an older version of this library has applied a migration without recording the
    /// schema. Call it within a transaction.
    static func shape(on connection: Connection) throws -> SchemaShape? {
        guard try exists(on: connection) else { return nil }
        let unknown = "SELECT name FROM querykit_migrations NOT INDEXED EXCEPT SELECT name FROM \(table) WHERE kind = 'migration'"
        if try hasMigrations(connection), try connection.value(String.self, unknown) != nil { return nil }
        return SchemaShape(
            try connection.rows("SELECT kind, name, owner, sql FROM \(table) WHERE kind <> 'migration' ORDER BY rowid") {
                SchemaShape.Part(kind: try $0[0], name: try $0[1], table: try $0[2], sql: try $0[3])
            }
        )
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
        guard try hasMigrations(connection) else { return }
        try connection.run(
            "INSERT INTO \(table) (kind, name, owner, sql) SELECT 'migration', name, '', '' FROM querykit_migrations NOT INDEXED"
        )
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
            let after = try connection.readingSchema { recorded.following(before, try SchemaShape(of: connection)) }
            if !after.isSame(as: recorded) { try SchemaRecord.write(after, on: connection) }
        }
    }
}
