/// A part of a data source: the whole source, one table or file, one partition or row of a table, or the rows in a range of an index.
///
/// Sources report which regions a fetch reads and which regions a write has changed; QueryKit refetches the requests that read a changed
/// region. QueryKit needs to know nothing else about a source, so any kind of source works: a database, a folder of files, a server.
///
/// ```swift
/// let entries = QueryRegion(
///     source: "diary",
///     name: "entries",
///     partition: "2026-11-21"
/// )
/// ```
public struct QueryRegion: Hashable, Sendable {
    /// The name of the source, such as that of a database.
    public let source: String

    /// The part of the source, such as a table; `nil` for the whole source.
    public let name: String?

    /// The partition of that part, such as a day; `nil` for the whole part.
    public let partition: String?

    /// The row of that part, such as its key; `nil` for every row.
    public let row: String?

    /// The columns of the rows.
    package let columns: RegionColumns

    /// What is known about the values of the rows in some columns; `nil` if nothing is known.
    package let keys: RegionKeys?

    /// Creates a region. Without a name, partition and row are ignored.
    public init(source: String, name: String? = nil, partition: String? = nil, row: String? = nil) {
        self.init(source: source, name: name, partition: partition, row: row, columns: .all)
    }

    package init(source: String, name: String?, partition: String?, row: String?, columns: RegionColumns, keys: RegionKeys? = nil) {
        self.columns = name == nil ? .all : columns
        self.keys = name == nil ? nil : keys
        self.source = source
        self.name = name
        self.partition = name == nil ? nil : partition
        self.row = name == nil ? nil : row
    }

    /// The same region with all columns, for display and for comparisons that the app makes.
    package var inAllColumns: QueryRegion {
        QueryRegion(source: source, name: name, partition: partition, row: row, columns: .all, keys: keys)
    }

    /// Whether a change in one region can affect the other.
    public func overlaps(_ other: QueryRegion) -> Bool {
        guard source == other.source else { return false }
        guard let name, let otherName = other.name else { return true }
        guard name == otherName else { return false }
        return (partition == nil || other.partition == nil || partition == other.partition)
            && (row == nil || other.row == nil || row == other.row) && columns.overlaps(other.columns) && keys.overlaps(other.keys)
    }
}

extension RegionKeys? {
    /// Whether some row may match both these keys and the other keys. Returns `true` if one of them is `nil`, because then nothing is known
    /// about it.
    package func overlaps(_ other: RegionKeys?) -> Bool {
        guard let self, let other else { return true }
        return self.overlaps(other)
    }
}

extension QueryRegion: Redacted, CustomStringConvertible, CustomReflectable {
    /// The source, the name, and hashes of the partition and of keys. Equal values have equal hashes in one process. Of a range, only the
    /// columns are shown.
    public var description: String { text(showsValues: false) }

    public var customMirror: Mirror { Mirror(reflecting: description) }

    package func text(showsValues: Bool) -> String {
        let (partition, row) = showsValues ? (partition, row) : (partition.map(Redaction.hash), row.map(Redaction.hash))
        let keys = keys.map { "[\($0.text(showsValues: showsValues))]" } ?? ""
        return [source, name, partition].compactMap(\.self).joined(separator: "/") + (row.map { "#\($0)" } ?? "") + keys
    }
}
