/// The columns whose values a connection reports, by table. The number changes with each change of the columns.
struct ReportedColumns: Sendable {
    var number: UInt64 = 0
    var tables: [String: Set<String>] = [:]
}

extension Connection {
    /// The columns that are reported now, and the schema version that their triggers were created for.
    struct Reporting {
        let number: UInt64
        let schemaVersion: Int?
    }

    /// The prefix of the triggers' names; see ``AccessRecorder``.
    private static let prefix = AccessRecorder.reporting

    /// Whether the triggers must be created again, because the columns differ or another process may have changed the schema.
    func mustReport(_ number: UInt64) -> Bool {
        guard reporting?.number == number else { return reporting != nil || number > 0 }
        return !values.tables.isEmpty && reporting?.schemaVersion != schemaVersion
    }

    /// The number of reported rows, by SQLite's update hook or, for tables without row ids, by a trigger.
    var reportedCount: Int64 { rows.count + values.countWithoutRowIDs }

    private var schemaVersion: Int? { try? value(Int.self, "PRAGMA main.schema_version") }

    /// Creates the triggers that report the values of columns. Missing tables and columns are skipped. Call it outside a transaction.
    ///
    /// The triggers are temporary, so other processes don't see them and need not define the function. A table with triggers can't be
    /// emptied in one step, only row by row.
    func report(_ columns: ReportedColumns) throws {
        try stopReporting()
        if !columns.tables.isEmpty { try values.define(on: self) }
        for (table, names) in columns.tables.sorted(by: { $0.key < $1.key }) {
            guard let reported = try reportable(table, names.sorted()) else { continue }
            let index = values.tables.count
            do {
                try makeTriggers(reported, at: index)
                values.tables.append(reported)
            } catch {
                // SQLite allows no triggers on some tables.
                try dropTriggers { $0.hasSuffix("_\(index)") }
            }
        }
        // Cached statements were prepared without the triggers. SQLite would reprepare them one at a time, and their reads would be
        // unknown.
        forgetStatements()
        reporting = Reporting(number: columns.number, schemaVersion: schemaVersion)
    }

    /// Removes the triggers, so that they don't prevent a change of the schema. If the transaction is rolled back, they are restored.
    func stopReporting() throws {
        if !values.isDefined || values.tables.isEmpty && reporting != nil { return }
        reporting = nil
        values.tables = []
        try dropTriggers { _ in true }
    }

    private func dropTriggers(_ isMeant: (String) -> Bool) throws {
        var names: [String] = []
        try forEachRow("SELECT name FROM temp.sqlite_schema WHERE type = ?", "trigger") { names.append(try $0[0]) }
        for name in names where name.hasPrefix(Self.prefix) && isMeant(name) {
            // If another process has dropped its table, the trigger remains only as a name.
            try run("DROP TRIGGER IF EXISTS temp.\(quoted(name))")
        }
    }

    /// Returns a table if it has rows and none of these columns is computed; otherwise `nil`.
    private func reportable(_ table: String, _ columns: [String]) throws -> ValueRecorder.Table? {
        var (isTable, hasRowIDs) = (false, true)
        try forEachRow("SELECT wr = 0 FROM pragma_table_list(?) WHERE schema = 'main' AND type = 'table'", table) {
            (isTable, hasRowIDs) = (true, try $0[0])
        }
        var names: [String] = []
        var plain: Set<String> = []
        try forEachRow("SELECT name, hidden = 0 FROM pragma_table_xinfo(?, 'main')", table) { row in
            names.append(try row[0])
            if try row[1] { plain.insert(try row[0]) }
        }
        let rowID = hasRowIDs ? StatementProgram.Tree.rowID(besides: names) : nil
        guard isTable, plain.isSuperset(of: columns), hasRowIDs == (rowID != nil) else { return nil }
        return ValueRecorder.Table(name: table, columns: columns, rowID: rowID)
    }

    private func makeTriggers(_ table: ValueRecorder.Table, at index: Int) throws {
        let events = [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])]
        for (event, rows) in events {
            let name = "\(Self.prefix)\(event)_\(index)"
            let id = table.rowID.map { "\(rows[rows.count - 1]).\($0)" } ?? "NULL"
            let values = rows.flatMap { row in table.columns.map { "\(row).\(quoted($0))" } }.joined(separator: ", ")
            try run(
                """
                CREATE TEMP TRIGGER \(quoted(name)) AFTER \(event) ON main.\(quoted(table.name))
                BEGIN SELECT \(ValueRecorder.function)(\(index), \(id), \(values)); END
                """
            )
        }
    }
}
