import QueryKit

/// The tables, rows and columns that a statement depends on. Other changes can't affect its result.
struct StatementReads: Sendable {
    /// The tables that its program opens. The authorizer doesn't report a table if only its columns in `USING` or in a natural join are
    /// read.
    var tables: Set<String> = []
    /// The keys of the rows, for each table that the statement reaches only by keys.
    var rows: [String: Set<RowKey>] = [:]
    /// The part of each table that the statement reaches only by keys and ranges of indexes, if there is at least one range.
    var parts: [String: TablePart] = [:]
    /// The columns by table, if they are known.
    var columns: [String: RegionColumns] = [:]

    /// Whether some of the keys must be looked up.
    private(set) var findsKeys = false

    static let none = StatementReads()

    /// The parameter with the only row id, if there is exactly one and nothing else depends on values.
    var onlyParameter: Int? {
        guard rows.count == 1, parts.keys.allSatisfy({ rows[$0] != nil }), let keys = rows.values.first, keys.count == 1,
            case .parameter(let number)? = keys.first
        else {
            return nil
        }
        return number
    }
}

extension StatementReads {
    /// Analyzes a program: the tables that it opens, the tables that it reaches only by known keys, and the columns that it reads.
    ///
    /// - Parameter program: The program of these instructions; `nil` if one of them is unknown.
    init(of instructions: [StatementProgram.Instruction], _ trees: [Int: StatementProgram.Tree], _ program: StatementProgram?) {
        tables = Set(instructions.filter(\.isOpening).compactMap { trees[$0.p2]?.table }.filter { !Access.isInternal($0) })
        guard let program else { return }
        rows = program.rowKeys ?? [:]
        parts = program.parts ?? [:]
        columns = program.columns ?? [:]
        findsKeys = rows.values.contains { $0.contains(where: \.isFound) } || parts.values.contains(where: \.findsKeys)
    }

    /// Adds tables whose read rows the program doesn't show.
    mutating func add(wholeTables: Set<String>) {
        tables.formUnion(wholeTables)
        for table in wholeTables { (rows[table], parts[table], columns[table]) = (nil, nil, nil) }
    }
}
