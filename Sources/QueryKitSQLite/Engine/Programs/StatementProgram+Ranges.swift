extension StatementProgram {
    /// The part of each table that is read, for tables that the program reaches only by keys and ranges of indexes; `nil` if a tree is
    /// unknown.
    ///
    /// The program can see a row that enters a range, but no row outside it. A unique key counts as a range too, so that the dependency is
    /// known even if no row has that key.
    var parts: [String: TablePart]? {
        var parts: [String: TablePart] = [:]
        var others: Set<String> = []
        for opening in openings {
            guard let tree = trees[opening.p2] else { return nil }
            if let part = part(ofCursor: opening.p1, of: tree.table) {
                parts[tree.table, default: TablePart()].formUnion(part)
            } else {
                others.insert(tree.table)
            }
        }
        for table in others { parts[table] = nil }
        return parts.filter { !$0.value.ranges.isEmpty }
    }

    /// The part of a table that a cursor reaches; `nil` if it is unknown, or if the cursor is on another table.
    private func part(ofCursor cursor: Int, of table: String, _ passed: Set<Int> = []) -> TablePart? {
        guard let tree = tree(ofCursor: cursor), tree.table == table, !passed.contains(cursor) else { return nil }
        if tree.holdsRows, tree.order.isEmpty { return part(ofTableCursor: cursor, of: table, passed.union([cursor])) }
        if let range = range(ofCursor: cursor, tree) { return TablePart(ranges: [range]) }
        return rowKeys(ofCursor: cursor).map { TablePart(rows: $0) }
    }

    private func part(ofTableCursor cursor: Int, of table: String, _ passed: Set<Int>) -> TablePart? {
        var all = TablePart()
        for use in cursors[cursor] ?? [] {
            let part: TablePart? =
                switch use.operation {
                case "OpenRead", "Column", "Rowid", "NullRow", "IfNullRow", "FinishSeek", "Close": TablePart()
                case "SeekRowid", "NotExists":
                    values(of: use.p3, []).map { TablePart(rows: $0) } ?? part(ofRowIDsIn: use.p3, of: table, passed)
                // The cursor follows a cursor on an index.
                case "DeferredSeek": use.p3 == cursor ? self.part(ofCursor: use.p1, of: table, passed) : nil
                default: nil
                }
            guard let part else { return nil }
            all.formUnion(part)
        }
        return all
    }

    /// The part of a table that is reached by row ids that come only from cursors on the table itself.
    private func part(ofRowIDsIn register: Int, of table: String, _ passed: Set<Int>) -> TablePart? {
        var all = TablePart()
        for writer in writers[register] ?? [] {
            guard ["IdxRowid", "Rowid"].contains(writer.operation), let part = part(ofCursor: writer.p1, of: table, passed) else {
                return nil
            }
            all.formUnion(part)
        }
        return all
    }

    // MARK: The range of a cursor

    /// A loop over part of an index, from a start key to an end key.
    private struct Loop {
        let start: Instruction
        let end: Instruction?
        let isForward: Bool

        var startWidth: Int { Self.width(start) }
        var endWidth: Int { end.map(Self.width) ?? 0 }

        /// The number of columns in the key; 0 for the first or last entry of the index.
        private static func width(_ instruction: Instruction) -> Int {
            ["Rewind", "Last"].contains(instruction.operation) ? 0 : Int(instruction.p4) ?? 0
        }
    }

    /// The range of an index that a cursor doesn't leave; `nil` if there is none or it is unknown.
    func range(ofCursor cursor: Int, _ tree: Tree) -> IndexRange? {
        guard let loop = loop(ofCursor: cursor) else { return nil }
        var equal: [Set<RowKey>] = []
        while equal.count < tree.order.count, let keys = equalKeys(ofColumn: equal.count, in: loop) { equal.append(keys) }
        var (lower, upper): (IndexRange.End?, IndexRange.End?)
        if equal.count < tree.order.count {
            let first = edge(at: loop.start, ofColumn: equal.count, loop.startWidth, isOpen: ["SeekGT", "SeekLT"])
            let last = loop.end.flatMap { edge(at: $0, ofColumn: equal.count, loop.endWidth, isOpen: ["IdxGE", "IdxLE"]) }
            (lower, upper) = loop.isForward ? (first, last) : (last, first)
        }
        // A range of everything but NULL is treated as the whole index.
        if equal.isEmpty, upper == nil, lower?.keys ?? [.null] == [.null] { return nil }
        let count = equal.count + (lower == nil && upper == nil ? 0 : 1)
        return IndexRange(columns: Array(tree.order.prefix(count)), equal: equal, lower: lower, upper: upper)
    }

    /// The only loop of a cursor; `nil` if it is also moved in another way.
    ///
    /// The end counts only if the program compares each entry with the end before it reads the entry: the comparison must follow each move
    /// of the cursor directly. In between, only instructions that prepare the key are allowed, and they may leave the loop.
    private func loop(ofCursor cursor: Int) -> Loop? {
        var (starts, ends, steps): ([Instruction], [Instruction], [Instruction]) = ([], [], [])
        for use in cursors[cursor] ?? [] {
            switch use.operation {
            case "OpenRead", "Column", "IdxRowid", "NullRow", "IfNullRow", "Close": break
            case "DeferredSeek": guard use.p1 == cursor else { return nil }
            case "SeekGE", "SeekGT", "SeekLE", "SeekLT", "Rewind", "Last": starts.append(use)
            case "IdxGT", "IdxGE", "IdxLT", "IdxLE": ends.append(use)
            case "Next", "Prev": steps.append(use)
            default: return nil
            }
        }
        guard starts.count == 1, let start = starts.first, ends.count <= 1 else { return nil }
        let isForward = ["SeekGE", "SeekGT", "Rewind"].contains(start.operation)
        guard steps.allSatisfy({ ($0.operation == "Next") == isForward }) else { return nil }
        guard let end = ends.first, ["IdxGT", "IdxGE"].contains(end.operation) == isForward, steps.allSatisfy({ $0.p2 == end.address }),
            start.address < end.address
        else { return Loop(start: start, end: nil, isForward: isForward) }
        let isGuarded = instructions[start.address + 1..<end.address].allSatisfy {
            isPreparation($0, for: cursor) && ($0.operation != "IsNull" || $0.p2 == end.p2)
        }
        return Loop(start: start, end: isGuarded ? end : nil, isForward: isForward)
    }

    /// Whether an instruction only prepares values, or jumps if a value is NULL.
    private func isPreparation(_ instruction: Instruction, for cursor: Int) -> Bool {
        switch instruction.operation {
        case "Variable", "Integer", "Int64", "Real", "String8", "Blob", "Null", "SCopy", "IntCopy", "Copy", "Affinity", "IsNull", "Noop",
            "Explain", "ReleaseReg":
            true
        case "Column", "Rowid", "IdxRowid": instruction.p1 != cursor
        default: false
        }
    }

    /// The possible values of a column in all entries of a loop, if the loop begins and ends at the same key; `nil` if there may be other
    /// values.
    private func equalKeys(ofColumn column: Int, in loop: Loop) -> Set<RowKey>? {
        guard let end = loop.end, loop.start.p3 == end.p3, column < min(loop.startWidth, loop.endWidth) else { return nil }
        let register = end.p3 + column
        guard let writers = writers[register], writers.count == 1, let keys = values(of: register, [], isExact: true) else { return nil }
        if keys.count == 1, let key = keys.first, !key.isFound { return keys }
        // The register holds one of several values, so its value must not change between the start and the end of the loop.
        let preparation = instructions[..<loop.start.address].reversed().prefix { isPreparation($0, for: loop.start.p1) }
        return preparation.contains { $0.address == writers[0].address } ? keys : nil
    }

    private func edge(at instruction: Instruction, ofColumn column: Int, _ width: Int, isOpen: Set<String>) -> IndexRange.End? {
        guard column < width, let keys = values(of: instruction.p3 + column, [], isExact: true) else { return nil }
        // If the key has further columns, the range begins or ends within the entries of this value.
        return IndexRange.End(keys: keys, isOpen: column == width - 1 && isOpen.contains(instruction.operation))
    }
}

extension RowKey {
    /// Whether the key must be looked up.
    var isFound: Bool {
        if case .found = self { true } else { false }
    }
}
