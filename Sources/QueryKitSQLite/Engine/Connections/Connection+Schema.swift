/// What a connection has to know of the schema to say what was changed.
struct SchemaFacts {
    /// Tables whose rows SQLite does not count.
    var virtualTables: Set<String> = []
    /// Whether the schema itself replaces rows, by a conflict clause or in a trigger.
    var mayReplace = false
}

extension Connection {
    private func facts() -> SchemaFacts {
        if let schema { return schema }
        var facts = SchemaFacts()
        // What can not be read counts as the worst case.
        facts.mayReplace = true
        if let statement = try? prepare("SELECT type, name, sql FROM sqlite_schema", for: .engine) {
            facts.mayReplace = false
            let row = SQLiteRow(statement)
            while (try? statement.step()) == true {
                let text = ((try? row[2]) ?? "" as String).uppercased()
                if text.hasPrefix("CREATE VIRTUAL"), let name: String = try? row[1] { facts.virtualTables.insert(name) }
                if text.contains("REPLACE") { facts.mayReplace = true }
            }
        }
        schema = facts
        return facts
    }

    func isVirtual(_ table: String) -> Bool { facts().virtualTables.contains(table) }

    var partitionedTables: Set<String> { Set(partitions.map(\.table)) }

    /// The partitions of a table that the transaction has touched; `nil` where only the table is known.
    func touchedPartitions(of table: String) -> [String]? {
        // A table that another connection has made has no triggers here.
        guard let index = partitions.firstIndex(where: { $0.table == table }), divided.contains(index), !facts().mayReplace else {
            return nil
        }
        guard let touched = touches.tables[index] else { return [] }
        return touched.isWhole ? nil : touched.partitions.map(\.partition)
    }

    /// Makes the triggers that report partitions. They are temporary: no other process sees them, and none has to know the function.
    ///
    /// A table that is not there yet gets them when it is made. A column that is not there is an error, unless a migration may still add it.
    func installPartitions(_ partitions: [SQLitePartition], isLenient: Bool = false) throws {
        self.partitions = partitions
        divided = []
        if partitions.isEmpty { return }
        try touches.define(on: self)
        for (index, partition) in partitions.enumerated() {
            let table = quoted(partition.table)
            let exists = try value(
                Int.self,
                "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?",
                [.text(partition.table)]
            )
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try run("DROP TRIGGER IF EXISTS temp.\(quoted("querykit_\(event)_\(partition.table)"))")
            }
            guard exists == 1 else { continue }
            let found = try value(
                Int.self,
                "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?",
                [.text(partition.table), .text(partition.column)]
            )
            guard found == 1 else {
                if !isLenient {
                    throw SQLiteError(.misuse, "The table \(partition.table) has no column \(partition.column) that could divide it.")
                }
                continue
            }
            divided.insert(index)
            for (event, rows) in [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])] {
                let calls = rows.map { "\(TouchRecorder.function)(\(index), \($0).\(quoted(partition.column)))" }.joined(separator: ", ")
                try run(
                    "CREATE TEMP TRIGGER \(quoted("querykit_\(event)_\(partition.table)")) AFTER \(event) ON main.\(table) BEGIN SELECT \(calls); END"
                )
            }
        }
    }

    /// A name of the schema within a statement of the engine.
    func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
