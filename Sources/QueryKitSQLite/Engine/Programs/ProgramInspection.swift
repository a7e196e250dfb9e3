/// Explains why a program's reads can't be narrowed down, and which tables it scans.
struct ProgramInspection {
    private let trees: [Int: StatementProgram.Tree]
    private let openings: [StatementProgram.Instruction]
    /// `nil` if the program contains an unknown instruction.
    private let program: StatementProgram?
    private let unknown: String?
    private let keyed: Set<String>
    private let ranged: Set<String>

    /// - Parameter reads: What the program reads, without tables that it doesn't show.
    init(
        of instructions: [StatementProgram.Instruction],
        _ trees: [Int: StatementProgram.Tree],
        _ program: StatementProgram?,
        _ reads: StatementReads
    ) {
        self.trees = trees
        openings = instructions.filter(\.isOpening)
        self.program = program
        unknown = instructions.first { InstructionEffect(of: $0) == nil }?.operation
        keyed = Set(reads.rows.keys)
        ranged = Set(reads.parts.keys)
    }

    /// Explains why a table counts as a whole, or why all of its columns count.
    ///
    /// - Parameters:
    ///   - isTable: Whether the whole table counts.
    ///   - kind: The type of the table.
    func reason(for table: String, isTable: Bool, _ kind: String?) -> String? {
        if kind == "virtual" { return "it is a virtual table" }
        guard let program else { return "SQLite's program for the statement contains the unknown instruction \(unknown ?? "?")" }
        let tableOpenings = openings.filter { trees[$0.p2]?.table == table }
        if !isTable { return "one of its columns is computed, or an index on it is partial or has expressions" }
        if ranged.contains(table) {
            return "a value is converted before it is compared with a column, or there are too many ranges"
        }
        if keyed.contains(table) {
            return "a key doesn't exist yet or isn't an integer, or there are too many keys to look up"
        }
        for opening in tableOpenings {
            guard let tree = trees[opening.p2] else { continue }
            if let reason = program.unknownRowsReason(atCursor: opening.p1, tree) { return reason }
        }
        return tableOpenings.isEmpty ? nil : "its rows are found in an unsupported way"
    }

    /// Whether the program scans all rows of a table; `nil` if unknown.
    func scans(_ table: String) -> Bool? {
        guard let program else { return nil }
        return openings.contains { opening in
            trees[opening.p2]?.table == table && program.scans(atCursor: opening.p1)
        }
    }

    /// Whether the program counts the rows of a table without looking at them.
    func counts(_ table: String) -> Bool {
        guard let program else { return false }
        return openings.contains { opening in
            trees[opening.p2]?.table == table && program.operations(atCursor: opening.p1).contains("Count")
        }
    }
}

extension StatementProgram {
    fileprivate func operations(atCursor cursor: Int) -> Set<String> { Set((cursors[cursor] ?? []).map(\.operation)) }

    fileprivate func scans(atCursor cursor: Int) -> Bool {
        let operations = operations(atCursor: cursor)
        if operations.contains("Count") { return true }
        return !operations.isDisjoint(with: ["Rewind", "Last"]) && !operations.isDisjoint(with: ["Next", "Prev"])
    }

    /// The reason why the rows that a cursor reaches are unknown; `nil` if they are known.
    fileprivate func unknownRowsReason(atCursor cursor: Int, _ tree: Tree) -> String? {
        let operations = operations(atCursor: cursor)
        let source = tree.holdsRows ? "its rows" : "its index \(tree.name)"
        if scans(atCursor: cursor) { return tree.holdsRows ? "all of its rows are read" : "all of \(source) is read" }
        if !operations.isDisjoint(with: ["SeekGE", "SeekGT", "SeekLE", "SeekLT", "Rewind", "Last"]) {
            if !tree.holdsRows, tree.order.isEmpty {
                return "the order of \(source) isn't supported: it is descending, or doesn't compare text by its bytes"
            }
            if tree.holdsRows || range(ofCursor: cursor, tree) == nil && rowKeys(ofCursor: cursor) == nil {
                return "a range of \(source) is read, or a key that comes from an expression"
            }
            return nil
        }
        if !operations.isDisjoint(with: ["SeekRowid", "NotExists"]), rowKeys(ofCursor: cursor) == nil {
            return "the ids of its rows come from an expression, or from rows that aren't known in advance"
        }
        return nil
    }
}
