/// A part of a data source: all of it, one table or file of it, one partition of that, one row, or the rows in a range of an index.
///
/// Sources say which regions a fetch reads and which ones a write changed; QueryKit runs those requests again that read what changed.
/// Nothing else has to be known about a source, so any can take part: a database, a folder of files, a server.
///
/// ```swift
/// let entries = QueryRegion(source: "diary", name: "entries", partition: "2026-11-21")
/// ```
public struct QueryRegion: Hashable, Sendable {
    /// Which source, such as the name of a database.
    public let source: String

    /// Which part of the source, such as a table; `nil` for all of it.
    public let name: String?

    /// Which partition of that part, such as a day; `nil` for all of it.
    public let partition: String?

    /// Which row of that part, such as its key; `nil` for every row.
    public let row: String?

    /// Which columns of its rows.
    package let columns: RegionColumns

    /// The values of its rows in some columns; `nil` if nothing is known of them.
    package let keys: RegionKeys?

    /// Creates a region. A partition and a row count only together with a name.
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

    /// The same without regard to columns, as it is shown to people and compared by them.
    package var inAllColumns: QueryRegion {
        QueryRegion(source: source, name: name, partition: partition, row: row, columns: .all, keys: keys)
    }

    /// Whether a change in one region can be seen in the other.
    public func overlaps(_ other: QueryRegion) -> Bool {
        guard source == other.source else { return false }
        guard let name, let otherName = other.name else { return true }
        guard name == otherName else { return false }
        return (partition == nil || other.partition == nil || partition == other.partition)
            && (row == nil || other.row == nil || row == other.row) && columns.overlaps(other.columns) && keys.overlaps(other.keys)
    }
}

extension RegionKeys? {
    /// Whether there can be a row in both. Of a row of which nothing is known, anything can be true.
    package func overlaps(_ other: RegionKeys?) -> Bool {
        guard let self, let other else { return true }
        return self.overlaps(other)
    }
}

extension QueryRegion: CustomStringConvertible {
    public var description: String {
        [source, name, partition].compactMap(\.self).joined(separator: "/") + (row.map { "#\($0)" } ?? "") + (keys.map { "[\($0)]" } ?? "")
    }
}
