/// The columns whose values a connection reports, by table; numbered, so that a change of them is noticed.
struct ReportedColumns: Sendable {
    var number: UInt64 = 0
    var tables: [String: Set<String>] = [:]
}

extension Connection {
    /// Which columns are reported, and for which version of the schema their triggers were made.
    struct Reporting {
        let number: UInt64
        let schemaVersion: Int?
    }

    /// The triggers' names begin with it; see ``AccessRecorder``.
    private static let prefix = AccessRecorder.reporting

    /// Whether the triggers are not those for a set of columns, or may not fit the schema, which another process may have changed.
    func mustReport(_ number: UInt64) -> Bool {
        guard reporting?.number == number else { return reporting != nil || number > 0 }
        return !values.tables.isEmpty && reporting?.schemaVersion != schemaVersion
    }

    /// How many rows were reported, by SQLite's update hook or, where it doesn't, by a trigger.
    var reportedCount: Int64 { rows.count + values.countWithoutRowIDs }

    private var schemaVersion: Int? { try? value(Int.self, "PRAGMA main.schema_version") }

    /// Makes the triggers that report the values of columns. A table or column that isn't there is left out. Call it outside of a transaction.
    ///
    /// They are temporary: no other process sees them, and none has to know the function. A table with triggers isn't emptied at once, but row by row.
    func report(_ columns: ReportedColumns) throws {
        try stopReporting()
        if !columns.tables.isEmpty { try values.define(on: self) }
        for (table, names) in columns.tables.sorted(by: { $0.key < $1.key }) {
            guard let reported = try reportable(table, names.sorted()) else { continue }
            let place = values.tables.count
            do {
                try makeTriggers(reported, at: place)
                values.tables.append(reported)
            } catch {
                // SQLite allows no triggers on some tables.
                try dropTriggers { $0.hasSuffix("_\(place)") }
            }
        }
        // Statements that were prepared before call no triggers. SQLite would prepare them again, one after the other, and their reads would be unknown.
        forgetStatements()
        reporting = Reporting(number: columns.number, schemaVersion: schemaVersion)
    }

    /// Removes the triggers, as they must not be in the way of a change of the schema. In a transaction that is undone they come back.
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
            // One whose table another process has dropped is there only in name.
            try run("DROP TRIGGER IF EXISTS temp.\(quoted(name))")
        }
    }

    /// A table of rows with columns that aren't computed; `nil` if it is something else.
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

    private func makeTriggers(_ table: ValueRecorder.Table, at place: Int) throws {
        let events = [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])]
        for (event, rows) in events {
            let name = "\(Self.prefix)\(event)_\(place)"
            let id = table.rowID.map { "\(rows[rows.count - 1]).\($0)" } ?? "NULL"
            let values = rows.flatMap { row in table.columns.map { "\(row).\(quoted($0))" } }.joined(separator: ", ")
            try run(
                """
                CREATE TEMP TRIGGER \(quoted(name)) AFTER \(event) ON main.\(quoted(table.name))
                BEGIN SELECT \(ValueRecorder.function)(\(place), \(id), \(values)); END
                """
            )
        }
    }
}
