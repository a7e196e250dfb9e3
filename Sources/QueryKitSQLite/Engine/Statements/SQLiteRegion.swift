import QueryKit

/// A part of a database: all of it, a table, one partition of a table, one row, or the rows in a range of an index.
public struct SQLiteRegion: Hashable, Sendable {
    /// The table; `nil` for the whole database.
    public let table: String?

    /// The partition, as text; `nil` for the whole table. See ``SQLitePartition``.
    public let partition: String?

    /// The row id, which is the key of a table with an `INTEGER PRIMARY KEY`; `nil` for every row.
    public let rowID: Int64?

    /// The columns that count.
    var columns = RegionColumns.all

    /// The range of an index, or the values that a row has in some columns; `nil` if nothing is known of the values.
    var keys: RegionKeys?

    /// Creates a region. A partition and a row id count only together with a table.
    public init(table: String? = nil, partition: String? = nil, rowID: Int64? = nil) {
        self.table = table
        self.partition = table == nil ? nil : partition
        self.rowID = table == nil ? nil : rowID
    }

    init(table: String, partition: String? = nil, rowID: Int64? = nil, _ columns: RegionColumns, _ keys: RegionKeys? = nil) {
        self.init(table: table, partition: partition, rowID: rowID)
        self.columns = columns
        self.keys = keys
    }

    /// The whole database, as after a change of its schema.
    public static let everything = SQLiteRegion()

    /// Whether a change in one region can be seen in the other. Names of tables ignore case, as SQLite's do.
    public func overlaps(_ other: SQLiteRegion) -> Bool {
        guard let table, let otherTable = other.table else { return true }
        guard table == otherTable || table.foldedName == otherTable.foldedName else { return false }
        return (partition == nil || other.partition == nil || partition == other.partition)
            && (rowID == nil || other.rowID == nil || rowID == other.rowID) && columns.overlaps(other.columns) && keys.overlaps(other.keys)
    }
}

extension SQLiteRegion: CustomStringConvertible {
    public var description: String {
        guard let table else { return "everything" }
        return table + (partition.map { "/\($0)" } ?? "") + (rowID.map { "#\($0)" } ?? "") + (keys.map { "[\($0)]" } ?? "")
    }
}

/// A table that is divided by the value of a column, such as diary entries by their day.
///
/// A commit then reports which partitions it touched, and a read may name those it looks at; one never concerns the other where they differ.
/// It costs about half a microsecond for each row that is written to the table.
///
/// ```swift
/// try db.rows("SELECT * FROM entries WHERE day = \(partition: today, of: "entries")")
/// ```
public struct SQLitePartition: Hashable, Sendable {
    /// The table.
    public let table: String

    /// The column whose value says to which partition a row belongs.
    public let column: String

    /// Declares a table as divided.
    public init(table: StaticString, column: StaticString) {
        self.table = table.description
        self.column = column.description
    }
}

extension String {
    /// A name of the schema within a statement of the engine.
    var quotedName: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// A name as SQLite compares it: letters of ASCII in small ones, all others as they are.
    var foldedName: String {
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// What is known of a change in a table beyond its name.
struct TableChange: Hashable, Sendable {
    let table: String
    /// The rows that were written, in their order and each once; `nil` if not all are known.
    let rows: [Int64]?
    /// The columns that were updated; all of them if rows were inserted or deleted.
    let columns: RegionColumns

    /// What the rows have in some columns; `nil` if that isn't known of all of them.
    let values: WrittenValues?

    init(_ table: String, _ rows: [Int64]?, _ columns: RegionColumns = .all, _ values: WrittenValues? = nil) {
        self.table = table
        self.rows = rows.map { $0.count > 1 ? $0.sorted() : $0 }
        self.columns = columns
        self.values = values
    }

    /// What one change and another one have changed.
    func union(_ other: TableChange) -> TableChange {
        let rows = rows.flatMap { own in other.rows.map { Array(Set(own + $0)) } }
        return TableChange(table, rows, columns.union(other.columns), values.flatMap { own in other.values.flatMap(own.union) })
    }
}

/// What rows that were written have in some columns: before the change, and after it.
struct WrittenValues: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        /// `nil` in a table without row ids.
        let id: Int64?
        let values: [RegionValue]
    }

    /// More than these are not kept together.
    private static let limit = 256

    let columns: [String]
    let rows: Set<Row>

    /// Whether one of the rows is in a range; true if that is unknown.
    func overlaps(_ keys: RegionKeys) -> Bool {
        rows.isEmpty || rows.contains { RegionKeys.row(RegionRow(columns, $0.values)).overlaps(keys) }
    }

    /// The values of each row, or of the one with an id. One `nil` if they are unknown.
    func keys(ofRow id: Int64? = nil) -> [RegionKeys?] {
        let found = Set(rows.lazy.filter { id == nil || $0.id == id }.map(\.values))
        return found.isEmpty ? [nil] : found.map { .row(RegionRow(columns, $0)) }
    }

    /// `nil` if they are of different columns, or too many.
    func union(_ other: WrittenValues) -> WrittenValues? {
        guard columns == other.columns else { return nil }
        let rows = rows.union(other.rows)
        return rows.count > Self.limit ? nil : WrittenValues(columns: columns, rows: rows)
    }
}

/// Regions that are told again and again, with what the one who is told has made of them.
// Invariant: `translation` is used where the list is: on the thread of one connection, or by one task.
final class RegionList {
    let regions: [SQLiteRegion]
    /// The columns of the ranges in it, by table.
    let ranges: [String: Set<String>]
    /// The same in the words of the one who is told, made once.
    var translation: AnyObject?

    init(_ regions: [SQLiteRegion]) {
        self.regions = regions
        var ranges: [String: Set<String>] = [:]
        for region in regions {
            if case .range(let range)? = region.keys, let table = region.table { ranges[table, default: []].formUnion(range.columns) }
        }
        self.ranges = ranges
    }
}
