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
    public private(set) var regions: Set<SQLiteRegion>

    /// The changed row ids by table. A table is missing if not all of its row ids are known.
    private var rows: [String: Set<Int64>]

    init(_ origin: Origin, _ regions: Set<SQLiteRegion>, rows: [String: Set<Int64>] = [:]) {
        self.origin = origin
        self.regions = regions
        self.rows = rows
    }

    /// The ids of the rows that were inserted, updated or deleted in a table; `nil` if they are unknown or more than 64.
    ///
    /// They are unknown if another process committed, if the table has no row ids, or if a statement replaced rows or updated row ids.
    public func rowIDs(of table: String) -> Set<Int64>? {
        if regions.contains(.everything) { return nil }
        guard let name = regions.first(where: { $0.table?.foldedName == table.foldedName })?.table else { return [] }
        return rows[name]
    }

    /// Whether a region may look different than before.
    public func concerns(_ region: SQLiteRegion) -> Bool {
        regions.contains { $0.overlaps(region) && isChanged(region.rowID, of: $0.table) }
    }

    /// Whether a table may look different than before.
    public func concerns(table: String) -> Bool { concerns(SQLiteRegion(table: table)) }

    private func isChanged(_ rowID: Int64?, of table: String?) -> Bool {
        guard let rowID, let table, let rows = rows[table] else { return true }
        return rows.contains(rowID)
    }

    /// Adds what another commit of the same origin has changed.
    mutating func formUnion(_ other: SQLiteChangeSet) {
        for table in Set((regions.union(other.regions)).compactMap(\.table)) {
            let own = regions.contains { $0.table == table } ? rows[table] : []
            let others = other.regions.contains { $0.table == table } ? other.rows[table] : []
            rows[table] = own.flatMap { own in others.map(own.union) }
        }
        regions.formUnion(other.regions)
    }

    /// The regions with their rows, as long as they are few.
    var details: [SQLiteRegion] {
        var counts: [String: Int] = [:]
        for region in regions { counts[region.table ?? "", default: 0] += 1 }
        return regions.flatMap { region -> [SQLiteRegion] in
            guard let table = region.table, let rows = rows[table], !rows.isEmpty, rows.count * counts[table, default: 1] <= Self.limit
            else {
                return [region]
            }
            return rows.map { SQLiteRegion(table: table, partition: region.partition, rowID: $0) }
        }
    }

    private static let limit = 256
}
