extension StatementProgram {
    /// The keys of the rows that are read, by table; `nil` if a tree is unknown.
    ///
    /// Two conditions must hold. The program moves each cursor on the table, or on one of its indexes, only by row id or by all columns of
    /// a unique key. And each instruction that writes a register with such a key takes the key from a parameter, a constant, a list of
    /// these, or a row that is found in the same way. The order of the instructions is ignored, so the contents of a register with several
    /// uses are unknown.
    var rowKeys: [String: Set<RowKey>]? {
        var keys: [String: Set<RowKey>] = [:]
        var others: Set<String> = []
        for opening in openings {
            guard let tree = trees[opening.p2] else { return nil }
            if let found = rowKeys(ofCursor: opening.p1) {
                keys[tree.table, default: []].formUnion(found)
            } else {
                others.insert(tree.table)
            }
        }
        for table in others { keys[table] = nil }
        return keys
    }

    /// The tree that a cursor is opened on; `nil` if there is none or more than one.
    func tree(ofCursor cursor: Int) -> Tree? {
        let openings = openings.filter { $0.p1 == cursor }
        return openings.count == 1 ? trees[openings[0].p2] : nil
    }

    /// The keys of the rows that a cursor is moved to; `nil` if they are unknown, or if it is also moved in another way.
    ///
    /// - Parameter passed: The cursors that are being resolved. A cursor that depends on itself reaches rows that can't be known in
    ///   advance.
    func rowKeys(ofCursor cursor: Int, _ passed: Set<Int> = []) -> Set<RowKey>? {
        guard let tree = tree(ofCursor: cursor), !passed.contains(cursor) else { return nil }
        let passed = passed.union([cursor])
        return tree.holdsRows ? rowKeys(ofTableCursor: cursor, passed) : rowKeys(ofIndexCursor: cursor, tree, passed)
    }

    private func rowKeys(ofTableCursor cursor: Int, _ passed: Set<Int>) -> Set<RowKey>? {
        union(cursors[cursor] ?? []) { use in
            switch use.operation {
            case "OpenRead", "Column", "Rowid", "NullRow", "IfNullRow", "FinishSeek", "Close": []
            case "SeekRowid", "NotExists": values(of: use.p3, passed)
            // The cursor follows a cursor on an index.
            case "DeferredSeek": use.p3 == cursor ? rowKeys(ofCursor: use.p1, passed) : nil
            default: nil
            }
        }
    }

    /// A cursor on an index reaches one row if it is moved to all columns of a unique key and no further.
    private func rowKeys(ofIndexCursor cursor: Int, _ tree: Tree, _ passed: Set<Int>) -> Set<RowKey>? {
        guard let query = tree.uniqueKeyQuery else { return nil }
        var first: Int?
        var (seeks, ends) = (0, 0)
        for use in cursors[cursor] ?? [] {
            switch use.operation {
            case "OpenRead", "Column", "IdxRowid", "NullRow", "IfNullRow", "Next", "Close": break
            case "DeferredSeek":
                guard use.p1 == cursor else { return nil }
            case "SeekGE", "IdxGT":
                // The loop begins and ends at the same key, with all of its columns.
                guard use.p4 == "\(query.count)", (first ?? use.p3) == use.p3 else { return nil }
                first = use.p3
                if use.operation == "SeekGE" { seeks += 1 } else { ends += 1 }
            default: return nil
            }
        }
        guard let first, seeks > 0, ends == seeks else { return nil }
        var inputs: [Set<RowKey>] = []
        for register in first..<first + query.count {
            // Both ends of a range may use one register. The query also compares its inputs as the index does, so an input that was
            // converted before may be a different value.
            guard writers[register]?.count == 1, let keys = values(of: register, passed, isExact: true) else { return nil }
            inputs.append(keys)
        }
        return [.found(KeyQuery(sql: query.sql, inputs: inputs, mustFind: true))]
    }

    /// The keys that a register may hold; `nil` if they are unknown.
    ///
    /// - Parameters:
    ///   - passed: The cursors that are being resolved.
    ///   - copied: The registers that are being resolved, so that a cycle of copies ends.
    ///   - isExact: Whether a conversion in a register matters. It doesn't for row ids.
    func values(of register: Int, _ passed: Set<Int>, copied: Set<Int> = [], isExact: Bool = false) -> Set<RowKey>? {
        if copied.contains(register) { return [] }
        if isExact, conversions.contains(register) || !copied.isEmpty && affinities.contains(register) { return nil }
        let copied = copied.union([register])
        guard let writers = writers[register] else { return nil }
        return union(writers) { writer in
            switch writer.operation {
            case "Variable": [.parameter(writer.p1)]
            case "Integer": [.integer(Int64(writer.p1))]
            case "Int64": Int64(writer.p4).map { [.integer($0)] }
            case "String8": isExact ? [.text(Array(writer.p4.utf8))] : nil
            case "Null": isExact ? [.null] : []
            case "SCopy", "IntCopy": values(of: writer.p1, passed, copied: copied, isExact: isExact)
            case "Copy": values(of: writer.p1 + register - writer.p2, passed, copied: copied, isExact: isExact)
            case "Column": members(ofList: writer.p1, passed, isExact: isExact) ?? values(ofColumn: writer, passed)
            case "Rowid", "IdxRowid": rowKeys(ofCursor: writer.p1, passed)
            default: nil
            }
        }
    }

    /// The values of a column in the rows that a cursor is moved to; `nil` if they are unknown.
    private func values(ofColumn column: Instruction, _ passed: Set<Int>) -> Set<RowKey>? {
        guard let tree = tree(ofCursor: column.p1), let sql = tree.columnQuery(column.p2),
            let rows = rowKeys(ofCursor: column.p1, passed)
        else { return nil }
        return [.found(KeyQuery(sql: sql, inputs: [rows], mustFind: false))]
    }

    /// The keys in the list of an `IN`, which SQLite stores in an ephemeral table; `nil` if they are unknown.
    private func members(ofList cursor: Int, _ passed: Set<Int>, isExact: Bool) -> Set<RowKey>? {
        let uses = cursors[cursor] ?? []
        guard uses.contains(where: { $0.operation == "OpenEphemeral" }) else { return nil }
        // A long list fills the same registers repeatedly, so each register is inspected once.
        var records: Set<Int> = []
        for use in uses {
            switch use.operation {
            case "OpenEphemeral", "Rewind", "Last", "Next", "Prev", "Column", "NullRow", "Found", "NotFound", "Close": break
            case "IdxInsert": records.insert(use.p2)
            default: return nil
            }
        }
        var registers: Set<Int> = []
        for record in records {
            guard let makers = writers[record], makers.allSatisfy({ $0.operation == "MakeRecord" }) else { return nil }
            for maker in makers { registers.formUnion(maker.p1..<maker.p1 + maker.p2) }
        }
        return union(registers) { values(of: $0, passed, isExact: isExact) }
    }

    /// The keys of all elements; `nil` if the keys of one element are unknown.
    private func union<Element>(_ elements: some Sequence<Element>, _ keys: (Element) -> Set<RowKey>?) -> Set<RowKey>? {
        var all: Set<RowKey> = []
        for element in elements {
            guard let found = keys(element) else { return nil }
            all.formUnion(found)
        }
        return all
    }
}

extension StatementProgram.Tree {
    /// The query that finds a row id by the unique key of this tree, and the number of its columns; `nil` if the tree isn't a unique index.
    fileprivate var uniqueKeyQuery: (sql: String, count: Int)? {
        guard !unique.isEmpty, let rowID else { return nil }
        let terms = unique.enumerated().map { "\($1.name.quotedName) = ?\($0 + 1) COLLATE \($1.collation.quotedName)" }
        let sql = "SELECT \(rowID) FROM main.\(table.quotedName) INDEXED BY \(name.quotedName) WHERE \(terms.joined(separator: " AND "))"
        return (sql, unique.count)
    }

    /// The query that reads a column of the row with an id, given the column's position in the tree; `nil` if unknown.
    fileprivate func columnQuery(_ position: Int) -> String? {
        guard columns != nil, positions.indices.contains(position), let rowID else { return nil }
        guard let column = positions[position] == -1 ? rowID : names[positions[position]]?.quotedName else { return nil }
        return "SELECT \(column) FROM main.\(table.quotedName) WHERE \(rowID) = ?"
    }

    private var rowID: String? { Self.rowID(besides: names.values) }

    /// A name that SQLite accepts for the row id; `nil` if columns use all of these names.
    static func rowID(besides columns: some Sequence<String>) -> String? {
        let taken = Set(columns.map(\.foldedName))
        return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }
}
