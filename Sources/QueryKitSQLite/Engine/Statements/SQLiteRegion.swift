/// A part of a database: all of it, a table, or one partition of a table.
public struct SQLiteRegion: Hashable, Sendable {
    /// The table; `nil` for the whole database.
    public let table: String?

    /// The partition, as text; `nil` for the whole table. See ``SQLitePartition``.
    public let partition: String?

    /// Creates a region. A partition counts only together with a table.
    public init(table: String? = nil, partition: String? = nil) {
        self.table = table
        self.partition = table == nil ? nil : partition
    }

    /// The whole database, as after a change of its schema.
    public static let everything = SQLiteRegion()

    /// Whether a change in one region can be seen in the other. Names of tables ignore case, as SQLite's do.
    public func overlaps(_ other: SQLiteRegion) -> Bool {
        guard let table, let otherTable = other.table else { return true }
        guard table == otherTable || table.foldedName == otherTable.foldedName else { return false }
        guard let partition, let otherPartition = other.partition else { return true }
        return partition == otherPartition
    }
}

extension SQLiteRegion: CustomStringConvertible {
    public var description: String {
        guard let table else { return "everything" }
        return partition.map { "\(table)/\($0)" } ?? table
    }
}

extension String {
    /// A name as SQLite compares it: letters of ASCII in small ones, all others as they are.
    var foldedName: String {
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// Regions that are told again and again, with what somebody has made of them.
// Invariant: `translation` is used where the list is: on the thread of one connection, or by one task.
final class RegionList {
    let regions: [SQLiteRegion]
    /// The same in the words of whoever is told, made once.
    var translation: AnyObject?

    init(_ regions: [SQLiteRegion]) { self.regions = regions }
}
