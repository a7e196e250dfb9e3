#if Postgres
import QueryKit

/// A part of a PostgreSQL database: the whole database, one table, or one partition of a table.
///
/// A *partition* is one that the configuration declares; see ``PostgresPartition``. PostgreSQL's own partitions are not regions: a change
/// in a partition of a partitioned table is a change in that table. In the same way, a change in a table that inherits from another one is
/// a change in the table at the root of the inheritance.
public struct PostgresRegion: Hashable, Sendable {
    /// The name of the table, such as `entries` or `audit.events`. The schema `public` is left out. `nil` for the whole database.
    public let table: String?

    /// The partition of the table, as text; `nil` for the whole table.
    public let partition: String?

    /// Creates a region. Without a table, the partition is ignored.
    public init(table: String? = nil, partition: String? = nil) {
        self.table = table.map(Self.name)
        self.partition = table == nil ? nil : partition
    }

    /// The whole database.
    public static let everything = PostgresRegion()

    /// Whether a change in one region can affect the other.
    public func overlaps(_ other: PostgresRegion) -> Bool {
        guard let table, let otherTable = other.table else { return true }
        guard table == otherTable else { return false }
        return partition == nil || other.partition == nil || partition == other.partition
    }

    /// The name of a table without the schema `public`.
    static func name(_ table: String) -> String { table.hasPrefix("public.") ? String(table.dropFirst(7)) : table }
}

extension PostgresRegion: CustomStringConvertible, CustomReflectable {
    /// The table and a hash of the partition, as in the description of a `QueryRegion`.
    public var description: String { table.map { $0 + (partition.map { "/" + Redaction.hash($0) } ?? "") } ?? "everything" }

    public var customMirror: Mirror { Mirror(reflecting: description) }
}
#endif
