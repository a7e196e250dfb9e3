/// A table whose rows are searched for on individual pages.
struct CarvedTable {
    private struct Column {
        let name: String
        let type: String
        let mayBeNull: Bool
        /// Whether the column is an alias of the row id, and is stored as NULL.
        let isNumber: Bool
    }

    let name: String
    private let columns: [Column]
    /// The indices of the columns that the new table has too.
    private let kept: [Int]

    /// Returns `nil`, or throws, if the table has no row ids or has computed columns.
    init?(_ name: String, _ source: Connection, _ target: Connection) throws {
        guard try !source.isWithoutRowID(name),
            source.schemaEntries().contains(where: { $0.name == name && $0.type == "table" && !$0.isVirtual })
        else { return nil }
        let found = try source.rows(
            "SELECT name, upper(type), \"notnull\", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid",
            [.text(name)]
        ) { row in
            (
                name: try row[0] as String, type: try row[1] as String, isNeeded: try row[2] as Bool, key: try row[3] as Int,
                hidden: try row[4] as Int
            )
        }
        guard !found.isEmpty, found.allSatisfy({ $0.hidden == 0 }) else { return nil }
        let keyCount = found.count { $0.key > 0 }
        columns = found.map { column in
            let isNumber = keyCount == 1 && column.key == 1 && column.type == "INTEGER"
            return Column(name: column.name, type: column.type, mayBeNull: !column.isNeeded, isNumber: isNumber)
        }
        let names = Set(try target.columns(of: name).map { $0.name.lowercased() })
        kept = columns.indices.filter { [columns] in names.contains(columns[$0].name.lowercased()) }
        self.name = name
    }

    /// Whether a record can belong to the table, according to the column types in its header.
    func fits(_ types: [Int64]) -> Bool {
        guard types.count == columns.count else { return false }
        return zip(types, columns).allSatisfy { type, column in
            if column.isNumber { return type == 0 }
            if type == 0 { return column.mayBeNull }
            switch column.type {
            case "INTEGER", "INT": return type <= 6 || type == 8 || type == 9
            case "REAL": return type <= 9
            case "TEXT": return type >= 13 && type % 2 == 1
            case "BLOB": return type >= 12 && type % 2 == 0
            default: return true
            }
        }
    }

    /// Inserts rows that don't exist yet. Returns the number of inserted rows.
    func insert(_ rows: [PageCarver.Row], into target: Connection) throws -> Int {
        let hasNumber = columns.contains { $0.isNumber }
        let names = (hasNumber ? [] : ["rowid"]) + kept.map { target.quoted(columns[$0].name) }
        let parameters = repeatElement("?", count: names.count).joined(separator: ", ")
        let text = "INSERT OR IGNORE INTO main.\(target.quoted(name)) (\(names.joined(separator: ", "))) VALUES (\(parameters))"
        let insertion = try target.prepare(text, for: .engine)
        var count = 0
        for row in rows {
            let values = kept.map { columns[$0].isNumber ? .integer(row.number) : row.values[$0] }
            try insertion.bind((hasNumber ? [] : [.integer(row.number)]) + values)
            defer { insertion.reset() }
            // If a constraint refuses a row, the row has been damaged.
            guard (try? insertion.step()) != nil else { continue }
            count += target.changes
        }
        return count
    }
}
