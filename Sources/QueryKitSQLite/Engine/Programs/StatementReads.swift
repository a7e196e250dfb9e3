import QueryKit

/// The tables, rows and columns that a statement depends on. Changes of others can't change its result.
struct StatementReads: Sendable {
    /// The tables that its program opens. SQLite doesn't name a table to the authorizer of which only columns in `USING` or of a natural join are read.
    var tables: Set<String> = []
    /// The keys of the rows by table, for each table that the statement reaches by keys alone.
    var rows: [String: Set<RowKey>] = [:]
    /// What is read of each table that the statement reaches by keys and ranges of indexes alone, for those with such a range.
    var parts: [String: TablePart] = [:]
    /// The columns by table, where they are known.
    var columns: [String: RegionColumns] = [:]

    /// Whether some of the keys have to be looked up.
    private(set) var findsKeys = false

    static let none = StatementReads()

    /// The parameter with the only row id, if there is just one and nothing else depends on values.
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
    /// Finds the tables that a program opens, those that it reaches by known keys alone, and the columns that it reads.
    init(of instructions: [StatementProgram.Instruction], _ trees: [Int: StatementProgram.Tree]) {
        tables = Set(instructions.filter(\.isOpening).compactMap { trees[$0.p2]?.table }.filter { !Access.isInternal($0) })
        guard let program = StatementProgram(instructions, trees) else { return }
        rows = program.rowKeys ?? [:]
        parts = program.parts ?? [:]
        columns = program.columns ?? [:]
        findsKeys = rows.values.contains { $0.contains(where: \.isFound) } || parts.values.contains(where: \.findsKeys)
    }
}
