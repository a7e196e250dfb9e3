import CSQLite
import QueryKit

extension Connection {
    /// Whether SQLite doesn't count the changed rows of a table as usual: of a virtual table, and of the schema, in which ANALYZE lists the
    /// table that it creates. True if the schema can't be read.
    func isUncounted(_ table: String) -> Bool {
        table == "sqlite_schema" || (try? facts())?.virtualTables.contains(table.foldedName) ?? true
    }

    /// Whether one of these tables has AUTOINCREMENT.
    func isNumbered(_ tables: Set<String>) -> Bool {
        !tables.isEmpty && (try? facts())?.sources["sqlite_sequence"]?.isDisjoint(with: tables) != true
    }

    /// Whether a table is partitioned, by its folded name.
    func isPartitioned(_ table: String) -> Bool { partitions.contains { $0.table.foldedName == table } }

    /// The partitions of a table that the transaction has changed; `nil` if only the table is known.
    func touchedPartitions(of table: String) -> [String]? {
        // A table that another connection has created has no triggers here.
        guard let index = partitions.firstIndex(where: { $0.table.foldedName == table.foldedName }), divided.contains(index),
            let facts = try? facts(), !facts.mayReplace
        else {
            return nil
        }
        guard let touched = touches.tables[index] else { return [] }
        return touched.isWhole ? nil : touched.partitions.map(\.partition)
    }

    /// The tables that a view reads, and the views.
    func tables(ofView view: String) throws -> Set<String> {
        let statement = try prepare("SELECT * FROM main.\(quoted(view))", for: .reader)
        let (instructions, trees) = try program(of: statement)
        return statement.access.reads.union(StatementReads(of: instructions, trees, StatementProgram(instructions, trees)).tables)
    }

    /// The program of a statement, and the trees that it opens. Call it within a transaction.
    func program(of statement: Statement) throws -> ([StatementProgram.Instruction], [Int: StatementProgram.Tree]) {
        // Read the schema first: that makes SQLite load the schema version of this transaction, which the program then belongs to.
        var trees = try trees()
        let instructions = try instructions(of: statement)
        for instruction in instructions where instruction.isOpening {
            if let tree = trees[instruction.p2] { trees[instruction.p2] = try described(tree) }
        }
        return (instructions, trees)
    }

    private func trees() throws -> [Int: StatementProgram.Tree] {
        let statement = try statement(
            "SELECT rootpage, tbl_name, name, type = 'table' FROM main.sqlite_schema WHERE rootpage > 0",
            for: .engine
        )
        defer { statement.reset() }
        var trees: [Int: StatementProgram.Tree] = [:]
        let row = SQLiteRow(statement)
        while try statement.step() {
            trees[try row[0]] = StatementProgram.Tree(table: try row[1], name: try row[2], holdsRows: try row[3])
        }
        return trees
    }

    /// Adds its columns to a tree. They stay unknown if one of the table's columns is computed, because a program that reads a computed
    /// column doesn't name the columns it is computed from.
    private func described(_ tree: StatementProgram.Tree) throws -> StatementProgram.Tree {
        var tree = tree
        var columns: [Int] = []
        var affinities: [Int: StatementProgram.Affinity] = [:]
        try forEachRow("SELECT cid, name, iif(hidden = 0, cid, -2), type FROM pragma_table_xinfo(?, 'main')", tree.table) { row in
            tree.names[try row[0]] = try row[1] as String
            columns.append(try row[2])
            affinities[try row[0]] = StatementProgram.Affinity(ofType: try row[3])
        }
        if columns.contains(-2) { return tree }
        var hasRowIDs = true
        try forEachRow("SELECT wr = 0 FROM pragma_table_list(?) WHERE schema = 'main'", tree.table) { hasRowIDs = try $0[0] }
        if tree.holdsRows {
            (tree.columns, tree.positions) = (columns, columns)
            if !hasRowIDs { tree.order = try order(ofKeyOf: tree, affinities) }
            return tree
        }
        var (isPartial, isUnique) = (true, false)
        try forEachRow("SELECT partial, \"unique\", name FROM pragma_index_list(?, 'main')", tree.table) { row in
            if try row[2] == tree.name { (isPartial, isUnique) = (try row[0], try row[1]) }
        }
        // A partial index implies its own condition, so it need not contain the columns of that condition.
        if isPartial { return tree }
        try forEachRow("SELECT cid FROM pragma_index_xinfo(?, 'main')", tree.name) { tree.positions.append(try $0[0]) }
        if tree.positions.contains(-2) { return tree }
        tree.columns = tree.positions.filter { $0 != -1 }
        let key = try key(of: tree.name, tree, affinities)
        tree.order = try order(of: key)
        // A key that contains the row id can't be used to find the row id, and some tables have none.
        if isUnique, hasRowIDs, key.allSatisfy({ $0.column != nil }) { tree.unique = key.compactMap(\.column) }
        return tree
    }

    /// A column of an index and its direction; the column is `nil` if it has no name.
    private typealias KeyColumn = (column: StatementProgram.IndexColumn?, isDescending: Bool)

    private func key(
        of index: String,
        _ tree: StatementProgram.Tree,
        _ affinities: [Int: StatementProgram.Affinity]
    ) throws -> [KeyColumn] {
        var key: [KeyColumn] = []
        try forEachRow("SELECT cid, coll, \"desc\" FROM pragma_index_xinfo(?, 'main') WHERE key", index) { row in
            let position: Int = try row[0]
            let collation: String = try row[1]
            let column = tree.names[position].map {
                StatementProgram.IndexColumn(name: $0, collation: collation, affinity: affinities[position])
            }
            key.append((column, try row[2]))
        }
        return key
    }

    /// The leading columns of a key whose order can be reproduced.
    private func order(of key: [KeyColumn]) throws -> [StatementProgram.IndexColumn] {
        let known = key.prefix { $0.column?.affinity != nil && $0.column?.collation.uppercased() == "BINARY" && !$0.isDescending }
            .compactMap(\.column)
        // In UTF-16, the bytes have a different order.
        return try known.isEmpty || value(String.self, "PRAGMA encoding") != "UTF-8" ? [] : known
    }

    /// The order of a table without row ids, which is the order of its primary key.
    private func order(
        ofKeyOf tree: StatementProgram.Tree,
        _ affinities: [Int: StatementProgram.Affinity]
    ) throws -> [StatementProgram.IndexColumn] {
        var index: String?
        try forEachRow("SELECT name FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", tree.table) { index = try $0[0] }
        return try index.map { try order(of: try key(of: $0, tree, affinities)) } ?? []
    }

    func forEachRow(_ sql: String, _ name: String, _ body: (borrowing SQLiteRow) throws -> Void) throws {
        let statement = try statement(sql, for: .engine)
        defer { statement.reset() }
        try statement.bind([.text(name)])
        let row = SQLiteRow(statement)
        while try statement.step() { try body(row) }
    }

    /// Returns the results of a query for keys; `nil` if it fails.
    func keys(_ sql: String, _ values: [SQLiteValue]) -> [SQLiteValue]? {
        guard let statement = try? statement(sql, for: .engine), (try? statement.bind(values)) != nil else { return nil }
        defer {
            statement.reset()
            statement.clear()
        }
        var keys: [SQLiteValue] = []
        let row = SQLiteRow(statement)
        do {
            while try statement.step() { keys.append(try row[0]) }
        } catch {
            return nil
        }
        return keys
    }

    func instructions(of statement: Statement) throws -> [StatementProgram.Instruction] {
        let explanation = try prepare("EXPLAIN " + statement.sql, for: .engine)
        var instructions: [StatementProgram.Instruction] = []
        let row = SQLiteRow(explanation)
        while try explanation.step() {
            instructions.append(
                StatementProgram.Instruction(operation: try row[1], p1: try row[2], p2: try row[3], p3: try row[4], p4: try row[5] ?? "")
            )
        }
        return instructions
    }

    /// Returns the known details of the transaction's changes. Tables without details are left out.
    ///
    /// - Parameter columns: The updated columns, for tables that were only updated.
    func changes(in tables: Set<String>, except unreported: Set<String>, _ columns: [String: RegionColumns]) -> [TableChange] {
        // If the schema can't be read, assume the worst case.
        guard let facts = try? facts(), !facts.mayReplace else { return [] }
        return tables.compactMap { table in
            if unreported.contains(table) || facts.virtualTables.contains(table.foldedName) { return nil }
            return TableChange(
                table,
                values.isWithoutRowIDs(table) ? nil : rows.rows(of: table),
                columns[table] ?? .all,
                values.values(of: table, count: rows.count(of: table))
            )
        }
    }

    /// The positions of a table's columns, by their folded names; empty if one of them is computed.
    private func positions(in table: String) throws -> [String: Int] {
        // Queried for each statement, because another process may have changed the table.
        let statement = try statement("SELECT cid, name, hidden FROM pragma_table_xinfo(?, 'main')", for: .engine)
        defer { statement.reset() }
        try statement.bind([.text(table)])
        var positions: [String: Int] = [:]
        let row = SQLiteRow(statement)
        while try statement.step() {
            guard try row[2] == 0 else { return [:] }
            positions[(try row[1] as String).foldedName] = try row[0]
        }
        return positions
    }

    /// The columns that a statement updates, for tables that it only updates.
    func updatedColumns(of statement: Statement) -> [String: RegionColumns] {
        if let known = statement.updatedColumns { return known }
        var columns: [String: RegionColumns] = [:]
        let access = statement.access
        for table in access.writes.subtracting(access.inserts) {
            // If the columns of a table can't be determined, all of them count as changed.
            let positions = (try? positions(in: table)) ?? [:]
            let updated = access.updates.filter { $0.table == table }.map { positions[$0.name.foldedName] }
            if !updated.isEmpty, !updated.contains(nil) { columns[table] = RegionColumns(updated.compactMap(\.self)) }
        }
        statement.updatedColumns = columns
        return columns
    }

    /// Tables as regions. The latest result is cached, because most commits change the same tables as the commit before.
    func regions(of tables: Set<String>) -> Set<SQLiteRegion> {
        if whole.tables != tables { whole = (tables, Set(tables.map { SQLiteRegion(table: $0) })) }
        return whole.regions
    }

    /// Returns whether a statement may update row ids. The update hook doesn't report the old ones.
    func changesKeys(_ statement: Statement) -> Bool {
        if let known = statement.changesKeys { return known }
        let changes = statement.access.updates.contains { column in
            var isKey: Int32 = 0
            let code = sqlite3_table_column_metadata(handle, "main", column.table, column.name, nil, nil, nil, &isKey, nil)
            // The row id itself, or a column that no longer exists.
            return code != SQLITE_OK || isKey != 0
        }
        statement.changesKeys = changes
        return changes
    }

    /// Creates the triggers that report partitions. They are temporary, so other processes don't see them and need not define the function.
    ///
    /// A table that doesn't exist yet gets its triggers once it is created. A missing column is an error, unless a migration may still add
    /// it.
    func installPartitions(_ partitions: [SQLitePartition], isLenient: Bool = false) throws {
        self.partitions = partitions
        divided = []
        if partitions.isEmpty { return }
        try touches.define(on: self)
        for (index, partition) in partitions.enumerated() {
            let table = quoted(partition.table)
            let exists = try value(
                Int.self,
                "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
                [.text(partition.table)]
            )
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try run("DROP TRIGGER IF EXISTS temp.\(quoted("querykit_\(event)_\(partition.table)"))")
            }
            guard exists == 1 else { continue }
            let found = try value(
                Int.self,
                "SELECT count(*) FROM pragma_table_info(?, 'main') WHERE name = ? COLLATE NOCASE",
                [.text(partition.table), .text(partition.column)]
            )
            guard found == 1 else {
                if !isLenient {
                    let reason = "it has no column \(partition.column). Declare another column, or add it in a migration."
                    throw SQLiteError(.misuse, "The table \(partition.table) can't be partitioned: \(reason)")
                }
                continue
            }
            try checkCollation(of: partition)
            divided.insert(index)
            for (event, rows) in [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])] {
                let calls = rows.map { "\(TouchRecorder.function)(\(index), \($0).\(quoted(partition.column)))" }.joined(separator: ", ")
                try run(
                    "CREATE TEMP TRIGGER \(quoted("querykit_\(event)_\(partition.table)")) AFTER \(event) ON main.\(table) BEGIN SELECT \(calls); END"
                )
            }
        }
    }

    /// Throws if the column's collation treats different texts as equal: one partition would then have several names.
    private func checkCollation(of partition: SQLitePartition) throws(SQLiteError) {
        var collation: UnsafePointer<CChar>?
        guard
            sqlite3_table_column_metadata(handle, "main", partition.table, partition.column, nil, &collation, nil, nil, nil) == SQLITE_OK,
            let collation
        else { return }
        let name = String(cString: collation)
        guard name.uppercased() != "BINARY" else { return }
        throw SQLiteError(
            .misuse,
            "The column \(partition.column) can't partition the table \(partition.table): with its collation \(name), SQLite treats values as equal that are in different partitions. Use a column without a collation."
        )
    }

    func quoted(_ name: String) -> String { name.quotedName }
}
