import QueryKit

/// Where a row id comes from that a statement looks up.
enum RowKey: Hashable, Sendable {
    /// The value of a parameter, counted from one.
    case parameter(Int)
    case constant(Int64)
}

/// The tables, rows and columns that a statement depends on. Changes of others can't change its result.
struct StatementReads: Sendable {
    /// The tables that its program opens. SQLite doesn't name a table to the authorizer of which only columns in `USING` or of a natural join are read.
    var tables: Set<String> = []
    /// The row ids by table, for each table that the statement reaches by row id alone.
    var rows: [String: Set<RowKey>] = [:]
    /// The columns by table, where they are known.
    var columns: [String: RegionColumns] = [:]

    static let none = StatementReads()

    /// The parameter with the only row id, if there is just one.
    var onlyParameter: Int? {
        guard rows.count == 1, let keys = rows.values.first, keys.count == 1, case .parameter(let number)? = keys.first else {
            return nil
        }
        return number
    }
}

extension StatementReads {
    /// Finds the tables that a program opens, those that it reaches by known row ids alone, and the columns that it reads.
    init(of instructions: [StatementProgram.Instruction], _ trees: [Int: StatementProgram.Tree]) {
        tables = Set(instructions.filter(\.isOpening).compactMap { trees[$0.p2]?.table }.filter { !Access.isInternal($0) })
        guard let program = StatementProgram(instructions, trees) else { return }
        rows = program.rowKeys ?? [:]
        columns = program.columns ?? [:]
    }
}

extension StatementProgram {
    /// The row ids by table; `nil` if one of the trees is unknown.
    ///
    /// Two conditions must hold. The program moves each cursor on the table only by row id, and opens no index of it. And each instruction that
    /// writes a register with such a row id takes it from a parameter, a constant, or a list of them. The order of the instructions is ignored, so a
    /// register that also serves another purpose is unknown.
    fileprivate var rowKeys: [String: Set<RowKey>]? {
        var keys: [String: Set<RowKey>] = [:]
        var others: Set<String> = []
        for opening in openings {
            guard let tree = trees[opening.p2] else { return nil }
            if tree.holdsRows, let found = rowKeys(ofCursor: opening.p1) {
                keys[tree.table, default: []].formUnion(found)
            } else {
                others.insert(tree.table)
            }
        }
        for table in others { keys[table] = nil }
        return keys
    }

    /// The row ids that a cursor is moved to; `nil` if they are unknown, or if it is also moved in another way.
    fileprivate func rowKeys(ofCursor cursor: Int) -> Set<RowKey>? {
        var keys: Set<RowKey> = []
        var openings = 0
        for use in cursors[cursor] ?? [] {
            switch use.operation {
            case "OpenRead": openings += 1
            case "Column", "Rowid", "NullRow", "IfNullRow", "Close": break
            case "SeekRowid", "NotExists":
                guard let found = values(of: use.p3, []) else { return nil }
                keys.formUnion(found)
            default: return nil
            }
        }
        return openings == 1 ? keys : nil
    }

    /// The row ids that a register may hold; `nil` if they are unknown.
    ///
    /// - Parameter passed: The registers that are being resolved, so that a cycle ends.
    private func values(of register: Int, _ passed: Set<Int>) -> Set<RowKey>? {
        if passed.contains(register) { return [] }
        let passed = passed.union([register])
        guard let writers = writers[register] else { return nil }
        return union(writers) { writer in
            switch writer.operation {
            case "Variable": [.parameter(writer.p1)]
            case "Integer": [.constant(Int64(writer.p1))]
            case "Int64": Int64(writer.p4).map { [.constant($0)] }
            case "Null": []
            case "SCopy", "IntCopy": values(of: writer.p1, passed)
            case "Copy": values(of: writer.p1 + register - writer.p2, passed)
            case "Column": members(ofList: writer.p1, passed)
            default: nil
            }
        }
    }

    /// The row ids in the list of an `IN`, which SQLite keeps in an ephemeral table; `nil` if they are unknown.
    private func members(ofList cursor: Int, _ passed: Set<Int>) -> Set<RowKey>? {
        let uses = cursors[cursor] ?? []
        guard uses.contains(where: { $0.operation == "OpenEphemeral" }) else { return nil }
        return union(uses) { use in
            switch use.operation {
            case "OpenEphemeral", "Rewind", "Last", "Next", "Prev", "Column", "NullRow", "Found", "NotFound", "Close": []
            case "IdxInsert":
                writers[use.p2].flatMap { records in
                    union(records) { record in
                        guard record.operation == "MakeRecord" else { return nil }
                        return union(record.p1..<record.p1 + record.p2) { values(of: $0, passed) }
                    }
                }
            default: nil
            }
        }
    }

    /// The keys of all elements; `nil` if those of one are unknown.
    private func union<Element>(_ elements: some Sequence<Element>, _ keys: (Element) -> Set<RowKey>?) -> Set<RowKey>? {
        var all: Set<RowKey> = []
        for element in elements {
            guard let found = keys(element) else { return nil }
            all.formUnion(found)
        }
        return all
    }
}
