extension Connection {
    /// Returns the problems of the database, one sentence each.
    func problems(_ job: any Interruptible, _ progress: (@Sendable (Double) -> Void)?) throws -> [String] {
        interruption.work = job
        defer { interruption.work = nil }
        var problems: [String] = []
        do {
            let tables = try checkedTables()
            // One step for each table, one for the whole file, and one for foreign keys.
            let steps = Double(tables.count + 2)
            for (index, table) in tables.enumerated() {
                try note("PRAGMA integrity_check(\(quoted(table)))", in: &problems)
                progress?(Double(index + 1) / steps)
            }
            try note("PRAGMA quick_check", in: &problems)
            progress?((steps - 1) / steps)
            problems += try invalidTexts()
            problems += try danglingRows()
            progress?(1)
            return problems
        } catch let error as SQLiteError where error.isDamage {
            return problems + [error.message]
        } catch let error as SQLiteError where error.code == .interrupted && job.isCancelled {
            throw CancellationError()
        }
    }

    /// Throws ``SQLiteError/Code/corrupt`` if a table that stores rows is damaged.
    func checkTables() throws {
        for table in try ["sqlite_schema"] + checkedTables() {
            let found = try value(String.self, "PRAGMA integrity_check(\(quoted(table)))")
            if let found, found != "ok" { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
        }
    }

    /// Returns the columns with texts that are not valid UTF-8, one sentence each.
    func invalidTexts() throws -> [String] {
        try textProblems(rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name") { try $0[0] })
    }

    private func checkedTables() throws -> [String] {
        try rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name") { try $0[0] }
    }

    /// Adds the findings of a check, without duplicates.
    private func note(_ pragma: String, in problems: inout [String]) throws {
        do {
            for found in try rows(pragma, [], { try $0[0] as String }) where found != "ok" && !problems.contains(found) {
                problems.append(found)
            }
        } catch let error as SQLiteError where error.isDamage {
            if !problems.contains(error.message) { problems.append(error.message) }
        }
    }

    private func danglingRows() throws -> [String] {
        try rows("SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2") { row in
            let count: Int = try row[2]
            return
                "\(count) \(count == 1 ? "row" : "rows") of \(try row[0] as String) with a reference to a missing row of \(try row[1] as String)"
        }
    }
}
