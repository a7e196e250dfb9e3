/// What one commit changed, or several that came together.
public struct SQLiteChangeSet: Hashable, Sendable {
    /// Who committed.
    public enum Origin: Sendable {
        /// This database, in this process.
        case local
        /// Another process, or another ``SQLiteDatabase`` of the same file.
        case otherProcess
    }

    /// Who committed.
    public let origin: Origin

    /// What was changed, as far as it is known: tables, and partitions of tables that declare them.
    public internal(set) var regions: Set<SQLiteRegion>

    init(_ origin: Origin, _ regions: Set<SQLiteRegion>) {
        self.origin = origin
        self.regions = regions
    }

    /// Whether a region may look different than before.
    public func concerns(_ region: SQLiteRegion) -> Bool { regions.contains { $0.overlaps(region) } }

    /// Whether a table may look different than before.
    public func concerns(table: String) -> Bool { concerns(SQLiteRegion(table: table)) }
}
