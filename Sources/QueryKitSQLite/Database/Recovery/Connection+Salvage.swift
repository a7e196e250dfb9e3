import CSQLite

/// An entry of the schema.
struct SchemaEntry {
    let type: String
    let name: String
    let table: String
    let sql: String

    var isVirtual: Bool { type == "table" && sql.uppercased().hasPrefix("CREATE VIRTUAL") }
}

struct SchemaColumn {
    let name: String
    let type: String
    let isKey: Bool
}

struct KeyColumn {
    let name: String
    let isDescending: Bool
    let collation: String
}

extension Connection {
    /// The readable part of the schema, without the internal objects of SQLite.
    func schemaEntries() -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        guard let statement = try? prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid", for: .engine) else {
            return []
        }
        let row = SQLiteRow(statement)
        while (try? statement.step()) == true {
            guard let entry = try? SchemaEntry(type: row[0], name: row[1], table: row[2], sql: row[3]) else { continue }
            if !entry.name.hasPrefix("sqlite_") { entries.append(entry) }
        }
        return entries
    }

    /// The shadow tables, in which virtual tables store their data, in lowercase. Other tables may have names that begin the same way.
    func shadowTables(among entries: [SchemaEntry]) -> Set<String> {
        // SQLite 3.37 and later list them if the schema is intact.
        let list = "SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"
        if let names = try? rows(list, [], { try $0[0] as String }) { return Set(names) }
        let suffixes = [
            "data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid",
        ]
        return Set(entries.filter(\.isVirtual).flatMap { entry in suffixes.map { "\(entry.name)_\($0)".lowercased() } })
    }

    /// The columns of a table that store values.
    func columns(of table: String) throws -> [SchemaColumn] {
        try rows("SELECT name, type, pk > 0 FROM pragma_table_xinfo(?) WHERE hidden = 0", [.text(table)]) {
            SchemaColumn(name: try $0[0], type: try $0[1], isKey: try $0[2])
        }
    }

    func isWithoutRowID(_ table: String) throws -> Bool {
        try value(Bool.self, "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [.text(table)]) ?? false
    }

    /// The columns of a table's key, in the storage order of a table without row ids.
    func keyColumns(of table: String) throws -> [KeyColumn] {
        try rows(
            """
            SELECT i.name, i.desc, i.coll FROM pragma_index_list(?) AS l, pragma_index_xinfo(l.name) AS i
            WHERE l.origin = 'pk' AND i.key = 1 ORDER BY i.seqno
            """,
            [.text(table)]
        ) { KeyColumn(name: try $0[0], isDescending: try $0[1], collation: try $0[2]) }
    }

    /// Copies the whole database to another connection, replacing its contents.
    func copyAll(to target: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(connection: target.handle, code: sqlite3_errcode(target.handle))
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(connection: target.handle, code: code == SQLITE_DONE ? end : code)
        }
    }
}
