/// A statement, written as a literal. Interpolated values are bound as parameters and never become part of its text.
///
/// ```swift
/// let sql: SQL = """
///     SELECT name FROM food WHERE id IN \(ids) AND grams > \(grams)
///     """
/// ```
///
/// A statement can't be created from a string at run time, so input is never interpreted as SQL. Fragments have this type too, and may be
/// optional:
///
/// ```swift
/// let filter: SQL? = category.map { "AND category = \($0)" }
/// let sql: SQL = """
///     SELECT name FROM food WHERE grams > \(grams) \(filter)
///     ORDER BY name
///     """
/// ```
///
/// The text for `MATCH` has its own query language; see `FullTextQuery` in QueryKitSQLite.
public struct SQL: Sendable {
    /// The text, in pieces.
    package private(set) var pieces: [SQLPiece]

    /// A hash of the pieces. Different statements usually have different hashes.
    package private(set) var mark: UInt = 0

    /// The bound values, in order.
    public fileprivate(set) var values: [SQLValue]

    /// The partitions that the statement reads; see ``StringInterpolation/appendInterpolation(partition:of:)``.
    package fileprivate(set) var partitions: [PartitionClaim] = []

    package init(text: String, values: [SQLValue] = []) {
        pieces = []
        self.values = values
        if !text.isEmpty { append(.text(text)) }
    }

    /// The text, with `?` in place of the values.
    public var text: String {
        var text = ""
        for piece in pieces { piece.append(to: &text) }
        return text
    }

    fileprivate mutating func append(_ piece: SQLPiece) {
        pieces.append(piece)
        mark = (mark ^ piece.mark) &* 0x9e37_79b9_7f4a_7c15
    }

    fileprivate mutating func reserve(_ pieceCount: Int, _ valueCount: Int) {
        pieces.reserveCapacity(pieceCount)
        values.reserveCapacity(valueCount)
    }

    /// Joins parts into one statement, with a separator between them.
    public init(joining parts: [SQL], separator: SQL = ", ") {
        self.init(text: "")
        for (index, part) in parts.enumerated() {
            if index > 0 { append(separator) }
            append(part)
        }
    }

    fileprivate mutating func append(_ fragment: SQL) {
        pieces += fragment.pieces
        // Adds the hash of the whole fragment in one step. Hashing its pieces again would take longer with each level of nested fragments.
        mark = (mark ^ fragment.mark) &* 0x9e37_79b9_7f4a_7c15
        values += fragment.values
        partitions += fragment.partitions
    }
}

/// A statement's declaration that it reads only these partitions of a table.
package struct PartitionClaim: Hashable, Sendable {
    package let table: String
    package let values: [SQLValue]
}

extension SQL: ExpressibleByStringInterpolation {
    public init(stringLiteral text: StaticString) {
        self.init(text: "")
        append(.literal(text))
    }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// Builds a statement from a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql = SQL(text: "")
            sql.reserve(interpolationCount * 2 + 1, interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            if literal.utf8CodeUnitCount > 0 { sql.append(.literal(literal)) }
        }

        // Inlined, so that values of known types convert without dynamic dispatch. Without inlining, binding a list of 30 days took a fifth
        // of the time of a read of 30 totals.

        /// Binds a value.
        @inlinable
        public mutating func appendInterpolation(_ value: some SQLConvertible) { bind(value.sqlValue) }

        /// Binds a value, or NULL.
        @inlinable
        public mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) { bind(value.sqlValue) }

        /// Binds a list, in parentheses, for `IN`. An empty list matches nothing.
        @inlinable
        public mutating func appendInterpolation<Value: SQLConvertible>(_ list: [Value]) {
            bind(list.map { $0.sqlValue }, of: Value.sqlType)
        }

        /// Inserts a fragment and its values.
        public mutating func appendInterpolation(_ fragment: SQL) { sql.append(fragment) }

        /// Inserts a fragment and its values, if there is one.
        public mutating func appendInterpolation(_ fragment: SQL?) {
            if let fragment { sql.append(fragment) }
        }

        /// Binds a value, and declares that the statement reads only the rows of this partition of `table`; see `SQLitePartition` in
        /// QueryKitSQLite.
        ///
        /// The database trusts the declaration for every use of the table in the statement. Write it in a condition that restricts the
        /// statement to this partition: `WHERE day = \(partition: day, of: "entries")`.
        @inlinable
        public mutating func appendInterpolation(partition value: some SQLConvertible, of table: StaticString) {
            let value = value.sqlValue
            bind(value)
            claim([value], of: table)
        }

        /// Binds a list for `IN`, and declares that the statement reads only the rows of these partitions of `table`.
        @inlinable
        public mutating func appendInterpolation<Value: SQLConvertible>(partitions list: [Value], of table: StaticString) {
            let values = list.map { $0.sqlValue }
            bind(values, of: Value.sqlType)
            claim(values, of: table)
        }

        /// Declares that the statement reads only the rows of these partitions of `table`, for conditions of any other form. Adds nothing
        /// to the text.
        @inlinable
        public mutating func appendInterpolation<Value: SQLConvertible>(reading list: [Value], of table: StaticString) {
            claim(list.map { $0.sqlValue }, of: table)
        }

        @usableFromInline
        mutating func bind(_ value: SQLValue) {
            sql.append(.parameter)
            sql.values.append(value)
        }

        @usableFromInline
        mutating func bind(_ list: [SQLValue], of type: SQLType) {
            let width = Self.width(of: list.count)
            sql.append(.list(count: list.count, width: width, type: type))
            sql.values += list
            // Lists of similar length share one statement, so that fewer statements are prepared. The last value fills the remaining
            // parameters.
            if let last = list.last { sql.values += repeatElement(last, count: width - list.count) }
        }

        @usableFromInline
        mutating func claim(_ values: [SQLValue], of table: StaticString) {
            sql.partitions.append(PartitionClaim(table: table.description, values: values))
        }

        /// The number of parameters for a list: the next power of two, up to 1,024.
        private static func width(of count: Int) -> Int {
            guard count > 2, count <= 1_024 else { return count }
            return 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
        }
    }
}

extension SQL: CustomStringConvertible, CustomReflectable {
    /// The text, without the values.
    public var description: String { text }

    public var customMirror: Mirror { Mirror(reflecting: text) }
}
