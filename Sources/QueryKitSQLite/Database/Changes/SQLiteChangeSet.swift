import QueryKit

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

    /// What is known of each table, by their names. A table is missing if no more is known than that it was changed.
    private var tables: [TableChange]

    init(_ origin: Origin, _ regions: Set<SQLiteRegion>, _ tables: [TableChange] = []) {
        self.origin = origin
        self.regions = regions
        self.tables = tables.count > 1 ? tables.sorted { $0.table < $1.table } : tables
    }

    /// The ids of the rows that were inserted, updated or deleted in a table; `nil` if they are unknown or more than 64.
    ///
    /// They are unknown if another process committed, if the table has no row ids, or if a statement replaced rows or updated row ids.
    public func rowIDs(of table: String) -> Set<Int64>? {
        if regions.contains(.everything) { return nil }
        guard let name = regions.first(where: { $0.table?.foldedName == table.foldedName })?.table else { return [] }
        return change(of: name)?.rows.map(Set.init)
    }

    /// Whether a region may look different than before.
    public func concerns(_ region: SQLiteRegion) -> Bool {
        regions.contains { $0.overlaps(region) && isChanged(region, $0.table) }
    }

    /// Whether a table may look different than before.
    public func concerns(table: String) -> Bool { concerns(SQLiteRegion(table: table)) }

    private func isChanged(_ region: SQLiteRegion, _ table: String?) -> Bool {
        guard let table, let change = change(of: table) else { return true }
        guard change.columns.overlaps(region.columns) else { return false }
        guard let row = region.rowID, let rows = change.rows else { return true }
        return rows.contains(row)
    }

    private func change(of table: String) -> TableChange? { tables.first { $0.table == table } }

    /// Adds what another commit of the same origin has changed.
    mutating func formUnion(_ other: SQLiteChangeSet) {
        let names = Set(regions.union(other.regions).compactMap(\.table)).sorted()
        tables = names.compactMap { name in
            guard let own = knownChange(of: name), let others = other.knownChange(of: name) else { return nil }
            let rows = own.rows.flatMap { own in others.rows.map { Array(Set(own + $0)) } }
            return TableChange(name, rows, own.columns.union(others.columns))
        }
        regions.formUnion(other.regions)
    }

    /// No rows and no columns for a table that was not changed; `nil` for one of which no more is known.
    private func knownChange(of table: String) -> TableChange? {
        regions.contains { $0.table == table } ? change(of: table) : TableChange(table, [], .none)
    }

    /// The regions with their columns, and with their rows as long as they are few.
    var details: [SQLiteRegion] {
        var counts: [String: Int] = [:]
        for region in regions { counts[region.table ?? "", default: 0] += 1 }
        return regions.flatMap { region -> [SQLiteRegion] in
            guard let table = region.table, let change = change(of: table) else { return [region] }
            guard let rows = change.rows, !rows.isEmpty, rows.count * counts[table, default: 1] <= Self.limit else {
                return [SQLiteRegion(table: table, partition: region.partition, change.columns)]
            }
            return rows.map { SQLiteRegion(table: table, partition: region.partition, rowID: $0, change.columns) }
        }
    }

    private static let limit = 256
}
