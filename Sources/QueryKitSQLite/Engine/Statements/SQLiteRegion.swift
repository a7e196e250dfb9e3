import QueryKit

/// A part of a database: the whole database, a table, one partition of a table, one row, or the rows in a range of an index.
public struct SQLiteRegion: Hashable, Sendable {
    /// The table; `nil` for the whole database.
    public let table: String?

    /// The partition, as text; `nil` for the whole table. See ``SQLitePartition``.
    public let partition: String?

    /// The row id, which is the key of a table with an `INTEGER PRIMARY KEY`; `nil` for all rows.
    public let rowID: Int64?

    /// The columns that are read or changed.
    var columns = RegionColumns.all

    /// The range of an index, or the values of a row in some columns; `nil` if the values are unknown.
    var keys: RegionKeys?

    /// Creates a region. A partition or a row id has an effect only together with a table.
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

    /// The whole database, for example after a change of its schema.
    public static let everything = SQLiteRegion()

    /// Returns whether a change in one region can affect the other. Table names are case-insensitive, as in SQLite.
    public func overlaps(_ other: SQLiteRegion) -> Bool {
        guard let table, let otherTable = other.table else { return true }
        guard table == otherTable || table.foldedName == otherTable.foldedName else { return false }
        return (partition == nil || other.partition == nil || partition == other.partition)
            && (rowID == nil || other.rowID == nil || rowID == other.rowID) && columns.overlaps(other.columns) && keys.overlaps(other.keys)
    }
}

extension SQLiteRegion: CustomStringConvertible, CustomReflectable {
    /// The table, and hashes of the partition and of keys, as in the description of a `QueryRegion`.
    public var description: String { text(showsValues: false) }

    public var customMirror: Mirror { Mirror(reflecting: description) }

    /// The region with its values.
    var unredacted: String { text(showsValues: true) }

    private func text(showsValues: Bool) -> String {
        guard let table else { return "everything" }
        func shown(_ value: String) -> String { showsValues ? value : Redaction.hash(value) }
        return table + (partition.map { "/" + shown($0) } ?? "") + (rowID.map { "#" + shown("\($0)") } ?? "")
            + (keys.map { "[\($0.text(showsValues: showsValues))]" } ?? "")
    }
}

/// A table that is partitioned by the value of a column, such as diary entries by their day.
///
/// A commit reports which partitions it changed, and a read can declare which ones it reads; a commit doesn't affect reads of other
/// partitions. Each row that is written to the table takes about half a microsecond longer.
///
/// ```swift
/// try db.rows(
///     """
///     SELECT * FROM entries
///     WHERE day = \(partition: today, of: "entries")
///     """
/// )
/// ```
public struct SQLitePartition: Hashable, Sendable {
    /// The table.
    public let table: String

    /// The column whose value determines the partition of a row.
    public let column: String

    /// Declares a table as partitioned.
    public init(table: StaticString, column: StaticString) {
        self.table = table.description
        self.column = column.description
    }
}

extension String {
    /// The name, quoted as an identifier for SQL.
    var quotedName: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The name in the form in which SQLite compares names: ASCII letters in lowercase, all other characters unchanged.
    var foldedName: String {
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// Details of a change in a table.
struct TableChange: Hashable, Sendable {
    let table: String
    /// The written rows, sorted and without duplicates; `nil` if not all of them are known.
    let rows: [Int64]?
    /// The updated columns; all columns if rows were inserted or deleted.
    let columns: RegionColumns

    /// The values of the written rows in some columns; `nil` if they aren't known for all rows.
    let values: WrittenValues?

    init(_ table: String, _ rows: [Int64]?, _ columns: RegionColumns = .all, _ values: WrittenValues? = nil) {
        self.table = table
        self.rows = rows.map { $0.count > 1 ? $0.sorted() : $0 }
        self.columns = columns
        self.values = values
    }

    /// The maximum number of rows in one merged change.
    private static let rowLimit = 256

    /// Merges two changes of the same table.
    func union(_ other: TableChange) -> TableChange {
        let rows = rows.flatMap { own in other.rows.map { Array(Set(own + $0)) } }
        return TableChange(
            table,
            rows.flatMap { $0.count > Self.rowLimit ? nil : $0 },
            columns.union(other.columns),
            values.flatMap { own in other.values.flatMap(own.union) }
        )
    }
}

/// The values of written rows in some columns, before and after the change.
struct WrittenValues: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        /// `nil` in a table without row ids.
        let id: Int64?
        let values: [RegionValue]
    }

    /// The maximum number of rows whose values are listed in one merged change.
    private static let limit = 256

    let columns: [String]
    let rows: Set<Row>
    /// The bounds of the rows, if there are too many to list them.
    let bounds: RegionBounds?

    init(columns: [String], rows: Set<Row>) { (self.columns, self.rows, bounds) = (columns, rows, nil) }

    init(_ bounds: RegionBounds) { (columns, rows, self.bounds) = (bounds.columns, [], bounds) }

    /// Returns whether a row is in a range; `true` if the rows are unknown.
    func overlaps(_ keys: RegionKeys) -> Bool {
        if let bounds { return RegionKeys.bounds(bounds).overlaps(keys) }
        return rows.isEmpty || rows.contains { RegionKeys.row(RegionRow(columns, $0.values)).overlaps(keys) }
    }

    /// The values of each row, or of the row with this id, or the bounds of all rows. A single `nil` if they are unknown.
    func keys(ofRow id: Int64? = nil) -> [RegionKeys?] {
        if let bounds { return [.bounds(bounds)] }
        let found = Set(rows.lazy.filter { id == nil || $0.id == id }.map(\.values))
        return found.isEmpty ? [nil] : found.map { .row(RegionRow(columns, $0)) }
    }

    /// Returns `nil` if the columns differ, or if rows are unknown.
    func union(_ other: WrittenValues) -> WrittenValues? {
        guard columns == other.columns, var all = allBounds, let others = other.allBounds else { return nil }
        let union = rows.union(other.rows)
        if bounds == nil, other.bounds == nil, union.count <= Self.limit { return WrittenValues(columns: columns, rows: union) }
        all.formUnion(others)
        return WrittenValues(all)
    }

    /// The bounds of all rows; `nil` if rows are unknown.
    private var allBounds: RegionBounds? {
        guard bounds == nil, let first = rows.first else { return bounds }
        var bounds = RegionBounds(RegionRow(columns, first.values))
        for row in rows { bounds.insert(row.values) }
        return bounds
    }
}

/// A list of regions that is reported repeatedly, with a cache of its translation.
// Invariant: `translation` is used only where the list is used: on the thread of one connection, or by one task.
final class RegionList {
    let regions: [SQLiteRegion]
    /// The columns of the contained ranges, by table.
    let ranges: [String: Set<String>]
    /// The regions in the form that the observer uses, created once.
    var translation: AnyObject?
    /// The statement that reads the regions; `nil` if unknown.
    let statement: StatementDescription?

    init(_ regions: [SQLiteRegion], readBy statement: StatementDescription? = nil) {
        self.regions = regions
        self.statement = statement
        var ranges: [String: Set<String>] = [:]
        for region in regions {
            if case .range(let range)? = region.keys, let table = region.table { ranges[table, default: []].formUnion(range.columns) }
        }
        self.ranges = ranges
    }
}
