/// How SQLite would carry out a statement, and which commits would concern a request that reads it.
///
/// ```swift
/// print(try await database.explain("SELECT name FROM food WHERE id = \(id)"))
/// // SEARCH food USING INTEGER PRIMARY KEY (rowid=?)
/// // reads food: row 7; columns name
/// ```
public struct SQLiteExplanation: Hashable, Sendable {
    /// SQLite's plan, a step in each line; what belongs to a step is indented below it.
    public let plan: [String]

    /// The tables that the statement reads.
    public let reads: [Read]

    /// The tables that it may write.
    public let writes: [String]

    /// What makes it slow, a sentence each.
    public let warnings: [String]

    /// What a statement reads of one table.
    public struct Read: Hashable, Sendable {
        /// The table.
        public let table: String

        /// The part of it in which a change concerns the statement.
        public let part: Part

        /// The columns that it looks at: an update of others does not concern it. `nil` if all of them count.
        public let columns: [String]?

        /// Why it is the whole table, or why all columns count; `nil` if neither is so, or there is nothing to say.
        public let reason: String?
    }

    /// A part of a table.
    public enum Part: Hashable, Sendable {
        /// All of it.
        case table
        /// The partitions that the statement names; see ``SQLitePartition``.
        case partitions([String])
        /// The rows with these ids.
        case rows([Int64])
        /// The rows in these ranges of its indexes, such as `day >= 3, day < 9`, and those with ids, such as `row 7`.
        case ranges([String])
    }

    /// A table with more rows than these is large: a statement that looks at each of them gets a warning.
    public static let largeTable = 1_000
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
    /// Explains a statement without carrying it out: SQLite's plan, what concerns a request that reads it, and why it isn't less.
    ///
    /// The values decide which rows it reads, so give it the statement as you would to `read`. What it says holds for the present schema and the present rows.
    ///
    /// - Throws: ``SQLiteError`` if the statement can't be prepared, or `CancellationError`.
    public func explain(_ sql: SQL) async throws -> SQLiteExplanation { try await core.explain(sql) }
}

extension SQLiteReader {
    /// Explains a statement without carrying it out; see ``SQLiteDatabase/explain(_:)``.
    public func explain(_ sql: SQL) async throws -> SQLiteExplanation { try await core.explain(sql) }
}
