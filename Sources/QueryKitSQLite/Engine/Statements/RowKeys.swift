/// Where a row id comes from that a statement looks up.
enum RowKey: Hashable, Sendable {
    /// The value of a parameter, counted from one.
    case parameter(Int)
    case constant(Int64)
}

/// The rows that a statement depends on. Changes of other rows in these tables can't change its result.
struct RowKeys: Sendable {
    /// The row ids by table, for each table that the statement reaches by row id alone.
    let tables: [String: Set<RowKey>]

    static let none = RowKeys(tables: [:])

    /// The parameter with the only row id, if there is just one.
    var onlyParameter: Int? {
        guard tables.count == 1, let keys = tables.values.first, keys.count == 1, case .parameter(let number)? = keys.first else {
            return nil
        }
        return number
    }

    /// Returns the regions of some tables for these parameter values.
    ///
    /// SQLite may convert a text or a real number to a row id. Such a value makes the statement depend on the whole table.
    func regions(of names: [String], _ values: [SQLiteValue]) -> [SQLiteRegion] {
        names.flatMap { name -> [SQLiteRegion] in
            guard let keys = tables[name] else { return [SQLiteRegion(table: name)] }
            var regions: [SQLiteRegion] = []
            for key in keys {
                switch key {
                case .constant(let id):
                    regions.append(SQLiteRegion(table: name, rowID: id))
                case .parameter(let number):
                    guard values.indices.contains(number - 1) else { return [SQLiteRegion(table: name)] }
                    switch values[number - 1] {
                    case .integer(let id): regions.append(SQLiteRegion(table: name, rowID: id))
                    case .null: break
                    default: return [SQLiteRegion(table: name)]
                    }
                }
            }
            return regions
        }
    }
}

extension RowKeys {
    /// Finds the tables that a program reaches by known row ids alone.
    ///
    /// Two conditions must hold. The program moves each cursor on the table only by row id, and opens no index of it. And each instruction that
    /// writes a register with such a row id takes it from a parameter, a constant, or a list of them. The order of the instructions is ignored, so a
    /// register that also serves another purpose is unknown.
    init(provenBy program: StatementProgram) {
        var keys: [String: Set<RowKey>] = [:]
        var others: Set<String> = []
        for instruction in program.instructions where instruction.operation == "OpenRead" && instruction.p3 == 0 {
            guard let tree = program.trees[instruction.p2] else {
                self = .none
                return
            }
            if tree.holdsRows, let found = program.rowKeys(ofCursor: instruction.p1) {
                keys[tree.table, default: []].formUnion(found)
            } else {
                others.insert(tree.table)
            }
        }
        for table in others { keys[table] = nil }
        tables = keys
    }
}

extension StatementProgram {
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
