import QueryKit

/// What one commit changed, or several commits that were merged.
public struct SQLiteChangeSet: Hashable, Sendable {
    /// The origin of a commit.
    public enum Origin: Sendable {
        /// This database, in this process.
        case local
        /// Another process, or another ``SQLiteDatabase`` of the same file.
        case otherProcess
    }

    /// The origin of the commit.
    public let origin: Origin

    /// The changed regions, as precisely as they are known: tables, and partitions of tables that declare them.
    public private(set) var regions: Set<SQLiteRegion>

    /// Details of the changed tables, sorted by name. A changed table without known details is missing.
    private(set) var tables: [TableChange]

    init(_ origin: Origin, _ regions: Set<SQLiteRegion>, _ tables: [TableChange] = []) {
        self.origin = origin
        self.regions = regions
        self.tables = tables.count > 1 ? tables.sorted { $0.table < $1.table } : tables
    }

    /// Returns the ids of the rows that were inserted, updated or deleted in a table; `nil` if they are unknown or if there are more than
    /// 64.
    ///
    /// They are unknown if the table has no row ids, if a statement replaced rows or updated row ids, or if a program without a log of
    /// changes has committed.
    public func rowIDs(of table: String) -> Set<Int64>? {
        if regions.contains(.everything) { return nil }
        guard let name = regions.first(where: { $0.table?.foldedName == table.foldedName })?.table else { return [] }
        return change(of: name)?.rows.map(Set.init)
    }

    /// Returns whether the commit may have changed the contents of a region.
    public func concerns(_ region: SQLiteRegion) -> Bool {
        regions.contains { $0.overlaps(region) && isChanged(region, $0.table) }
    }

    /// Returns whether the commit may have changed the contents of a table.
    public func concerns(table: String) -> Bool { concerns(SQLiteRegion(table: table)) }

    private func isChanged(_ region: SQLiteRegion, _ table: String?) -> Bool {
        guard let table, let change = change(of: table) else { return true }
        guard change.columns.overlaps(region.columns) else { return false }
        if let keys = region.keys, let values = change.values, !values.overlaps(keys) { return false }
        guard let row = region.rowID, let rows = change.rows else { return true }
        return rows.contains(row)
    }

    /// The tables with known values of their written rows.
    var reportedTables: some Sequence<String> { tables.lazy.filter { $0.values != nil }.map(\.table) }

    private func change(of table: String) -> TableChange? { tables.first { $0.table == table } }

    /// Merges the changes of another commit of the same origin.
    mutating func formUnion(_ other: SQLiteChangeSet) {
        let names = Set(regions.union(other.regions).compactMap(\.table)).sorted()
        tables = names.compactMap { name in
            if !isOf(name) { return other.change(of: name) }
            if !other.isOf(name) { return change(of: name) }
            return change(of: name).flatMap { own in other.change(of: name).map(own.union) }
        }
        regions.formUnion(other.regions)
    }

    private func isOf(_ table: String) -> Bool { regions.contains { $0.table == table } }

    /// The regions with their columns, and with their rows and values if there are few enough of them.
    var details: [SQLiteRegion] {
        var counts: [String: Int] = [:]
        for region in regions { counts[region.table ?? "", default: 0] += 1 }
        return regions.flatMap { region -> [SQLiteRegion] in
            guard let table = region.table, let change = change(of: table) else { return [region] }
            let count = counts[table, default: 1]
            let values = change.values.flatMap { $0.rows.count * count <= Self.limit ? $0 : nil }
            guard let rows = change.rows, !rows.isEmpty, rows.count * count <= Self.limit else {
                return (values?.keys() ?? [nil]).map { SQLiteRegion(table: table, partition: region.partition, change.columns, $0) }
            }
            return rows.flatMap { id in
                (values?.keys(ofRow: id) ?? [nil]).map {
                    SQLiteRegion(table: table, partition: region.partition, rowID: id, change.columns, $0)
                }
            }
        }
    }

    private static let limit = 256
}

extension SQLiteChangeSet: CustomStringConvertible, CustomReflectable {
    /// The changed regions, with hashes instead of values.
    public var description: String { regions.map(\.description).sorted().joined(separator: ", ") }

    public var customMirror: Mirror { Mirror(reflecting: description) }
}
