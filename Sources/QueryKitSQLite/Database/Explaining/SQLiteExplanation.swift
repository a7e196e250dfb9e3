/// SQLite's plan for a statement, and which commits affect a request that reads it.
///
/// It is for a developer who explains a statement with chosen values. So, unlike the descriptions of regions, it contains these values.
///
/// ```swift
/// let plan = try await database.explain(
///     "SELECT name FROM food WHERE id = \(id)"
/// )
/// print(plan)
/// // SEARCH food USING INTEGER PRIMARY KEY (rowid=?)
/// // reads food: row 7; columns name
/// ```
public struct SQLiteExplanation: Hashable, Sendable {
    /// SQLite's query plan, one step per line. Substeps are indented below their step.
    public let plan: [String]

    /// The tables that the statement reads.
    public let reads: [Read]

    /// The tables that the statement may write.
    public let writes: [String]

    /// Reasons why the statement may be slow, one sentence each.
    public let warnings: [String]

    /// What a statement reads of one table.
    public struct Read: Hashable, Sendable {
        /// The table.
        public let table: String

        /// The part of the table that the statement reads: changes of other parts don't affect it.
        public let part: Part

        /// The columns that the statement reads: an update of other columns doesn't affect it. `nil` if all columns count.
        public let columns: [String]?

        /// Why the statement depends on the whole table or on all columns; `nil` if it doesn't, or if the reason is unknown.
        public let reason: String?
    }

    /// The part of a table that a statement reads.
    public enum Part: Hashable, Sendable {
        /// The whole table.
        case table
        /// The partitions that the statement names; see ``SQLitePartition``.
        case partitions([String])
        /// The rows with these ids.
        case rows([Int64])
        /// The rows in these ranges of its indexes, such as `day >= 3, day < 9`, and rows with these ids, such as `row 7`.
        case ranges([String])
    }

    /// A table with more rows than this number is large: a statement that scans it gets a warning.
    public static let largeTable = StatementDescription.largeTable
}

extension SQLiteExplanation: CustomStringConvertible {
    public var description: String {
        let written = writes.isEmpty ? [] : ["writes " + writes.joined(separator: ", ")]
        return (plan + reads.map(\.description) + written + warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }
}

extension SQLiteExplanation.Read: CustomStringConvertible {
    public var description: String {
        let looked = columns.map { $0.isEmpty ? "; no columns" : "; columns " + $0.joined(separator: ", ") } ?? ""
        return "reads \(table): \(part)\(looked)" + (reason.map { ", because \($0)" } ?? "")
    }
}

extension SQLiteExplanation.Part: CustomStringConvertible {
    public var description: String {
        switch self {
        case .table: "the whole table"
        case .partitions(let names): Self.list(names, "partition")
        case .ranges(let ranges): Self.list(ranges, "range")
        case .rows(let ids): ids.isEmpty ? "no row" : Self.list(ids, "row")
        }
    }

    private static func list(_ names: [some Any], _ noun: String) -> String {
        let shown = names.prefix(8).map { "\($0)" }.joined(separator: noun == "range" ? " or " : ", ")
        return (names.count == 1 ? noun : noun + "s") + " " + shown + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }
}

extension SQLiteDatabase {
    /// Explains a statement without executing it: SQLite's plan, which commits affect a request that reads it, and why the region isn't
    /// smaller.
    ///
    /// The rows and ranges depend on the bound values, so pass the statement with the values that you would use in `read`. The result
    /// applies to the current schema and the current rows.
    ///
    /// - Throws: ``SQLiteError`` if the statement can't be prepared, or `CancellationError`.
    public func explain(_ sql: SQL) async throws -> SQLiteExplanation { try await core.explain(sql) }
}

extension SQLiteReader {
    /// Explains a statement without executing it; see ``SQLiteDatabase/explain(_:)``.
    public func explain(_ sql: SQL) async throws -> SQLiteExplanation { try await core.explain(sql) }
}
