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

    /// The changed rows, by the names of their tables. A table is missing if not all of its row ids are known.
    private var rows: [TableRows]

    init(_ origin: Origin, _ regions: Set<SQLiteRegion>, rows: [TableRows] = []) {
        self.origin = origin
        self.regions = regions
        self.rows = rows.count > 1 ? rows.sorted { $0.table < $1.table } : rows
    }

    /// The ids of the rows that were inserted, updated or deleted in a table; `nil` if they are unknown or more than 64.
    ///
    /// They are unknown if another process committed, if the table has no row ids, or if a statement replaced rows or updated row ids.
    public func rowIDs(of table: String) -> Set<Int64>? {
        if regions.contains(.everything) { return nil }
        guard let name = regions.first(where: { $0.table?.foldedName == table.foldedName })?.table else { return [] }
        return rows(of: name).map(Set.init)
    }

    /// Whether a region may look different than before.
    public func concerns(_ region: SQLiteRegion) -> Bool {
        regions.contains { $0.overlaps(region) && isChanged(region.rowID, of: $0.table) }
    }

    /// Whether a table may look different than before.
    public func concerns(table: String) -> Bool { concerns(SQLiteRegion(table: table)) }

    private func isChanged(_ rowID: Int64?, of table: String?) -> Bool {
        guard let rowID, let table, let ids = rows(of: table) else { return true }
        return ids.contains(rowID)
    }

    private func rows(of table: String) -> [Int64]? { rows.first { $0.table == table }?.ids }

    /// Adds what another commit of the same origin has changed.
    mutating func formUnion(_ other: SQLiteChangeSet) {
        let tables = Set(regions.union(other.regions).compactMap(\.table)).sorted()
        rows = tables.compactMap { table in
            guard let own = changedRows(of: table), let others = other.changedRows(of: table) else { return nil }
            return TableRows(table, Set(own + others).sorted())
        }
        regions.formUnion(other.regions)
    }

    /// No rows for a table that was not changed; `nil` for one of which they are unknown.
    private func changedRows(of table: String) -> [Int64]? {
        regions.contains { $0.table == table } ? rows(of: table) : []
    }

    /// The regions with their rows, as long as they are few.
    var details: [SQLiteRegion] {
        var counts: [String: Int] = [:]
        for region in regions { counts[region.table ?? "", default: 0] += 1 }
        return regions.flatMap { region -> [SQLiteRegion] in
            guard let table = region.table, let ids = rows(of: table), !ids.isEmpty, ids.count * counts[table, default: 1] <= Self.limit
            else {
                return [region]
            }
            return ids.map { SQLiteRegion(table: table, partition: region.partition, rowID: $0) }
        }
    }

    private static let limit = 256
}
