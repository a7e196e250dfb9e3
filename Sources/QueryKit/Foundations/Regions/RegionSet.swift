/// A bounded set of regions: too many regions are replaced by the larger region around them.
///
/// The set never holds more than ``limit`` partitions and rows per table, nor more than ``limit`` tables per source.
struct RegionSet: Equatable, Sendable {
    private struct Source: Equatable, Sendable {
        var isWhole = false
        var tables: [String: Table] = [:]

        mutating func insert(_ region: QueryRegion) -> QueryRegion? {
            if isWhole { return nil }
            guard let name = region.name, tables[name] != nil || tables.count < RegionSet.limit else {
                self = Source(isWhole: true)
                return QueryRegion(source: region.source)
            }
            return tables[name, default: Table()].insert(region)
        }

        mutating func formUnion(_ other: Source) {
            if isWhole { return }
            if other.isWhole {
                self = other
                return
            }
            for (name, table) in other.tables {
                guard tables[name] != nil || tables.count < RegionSet.limit else {
                    self = Source(isWhole: true)
                    return
                }
                tables[name, default: Table()].formUnion(table)
            }
        }
    }

    private struct Table: Equatable, Sendable {
        var isWhole = false
        /// A row is kept even if the set contains its partition too, so that the order of insertions makes no difference.
        var parts: Set<Part> = []
        /// Whether all parts are whole partitions, with all columns.
        var arePartitions = true

        mutating func insert(_ region: QueryRegion) -> QueryRegion? {
            if isWhole { return nil }
            let part = Part(region)
            guard !part.isWhole, parts.count < RegionSet.limit || parts.contains(part) else {
                self = Table(isWhole: true)
                return QueryRegion(source: region.source, name: region.name)
            }
            let isCovered = covers(part)
            parts.insert(part)
            arePartitions = arePartitions && part.isPartition
            return isCovered ? nil : region
        }

        mutating func formUnion(_ other: Table) {
            if isWhole { return }
            if other.isWhole {
                self = other
                return
            }
            parts.formUnion(other.parts)
            arePartitions = arePartitions && other.arePartitions
            if parts.count > RegionSet.limit { self = Table(isWhole: true) }
        }

        func covers(_ part: Part) -> Bool {
            if isWhole || parts.contains(part) { return true }
            let (isRow, isInPartition) = (part.row != nil, part.partition != nil)
            return isRow && parts.contains(Part(partition: part.partition, columns: part.columns))
                || isInPartition && parts.contains(Part(partition: nil, row: part.row, columns: part.columns))
                || isRow && isInPartition && parts.contains(Part(partition: nil, columns: part.columns))
        }

        func overlaps(_ part: Part) -> Bool {
            if isWhole || part.isWhole { return true }
            if arePartitions, part.isPartition { return parts.contains(part) }
            return parts.contains { $0.overlaps(part) }
        }
    }

    /// A part of a table: a partition, a row, a row in a partition, or rows with some keys; and the columns that are read or changed.
    private struct Part: Hashable, Sendable {
        var partition: String?
        var row: String?
        var columns: RegionColumns
        var keys: RegionKeys?

        init(_ region: QueryRegion) {
            self.init(partition: region.partition, row: region.row, columns: region.columns, keys: region.keys)
        }

        init(partition: String?, row: String? = nil, columns: RegionColumns, keys: RegionKeys? = nil) {
            self.partition = partition
            self.row = row
            self.columns = columns
            self.keys = keys
        }

        var isWhole: Bool { partition == nil && row == nil && columns == .all && keys == nil }
        var isPartition: Bool { partition != nil && row == nil && columns == .all && keys == nil }

        func overlaps(_ other: Part) -> Bool {
            (partition == nil || other.partition == nil || partition == other.partition)
                && (row == nil || other.row == nil || row == other.row) && columns.overlaps(other.columns) && keys.overlaps(other.keys)
        }
    }

    static let limit = 256

    private var sources: [String: Source] = [:]

    init() {}

    init(_ regions: some Sequence<QueryRegion>) {
        for region in regions { insert(region) }
    }

    var isEmpty: Bool { sources.isEmpty }

    /// Inserts a region. Returns the region that is newly covered, which may be a larger one; `nil` if the region was covered before.
    @discardableResult
    mutating func insert(_ region: QueryRegion) -> QueryRegion? {
        sources[region.source, default: Source()].insert(region)
    }

    /// Inserts all regions of another set.
    mutating func formUnion(_ other: RegionSet) {
        if isEmpty {
            self = other
            return
        }
        for (name, source) in other.sources { sources[name, default: Source()].formUnion(source) }
    }

    /// Whether the set covers a region, so that every change of the region overlaps the set.
    func covers(_ region: QueryRegion) -> Bool {
        guard let source = sources[region.source] else { return false }
        if source.isWhole { return true }
        guard let name = region.name, let table = source.tables[name] else { return false }
        return table.covers(Part(region))
    }

    /// Whether a region overlaps any region of the set.
    func overlaps(_ region: QueryRegion) -> Bool {
        guard let source = sources[region.source] else { return false }
        guard !source.isWhole, let name = region.name else { return true }
        guard let table = source.tables[name] else { return false }
        return table.overlaps(Part(region))
    }

    /// Whether the sets have overlapping regions.
    func overlaps(_ other: RegionSet) -> Bool { other.regions.contains { overlaps($0) } }

    /// The regions, in no particular order.
    var regions: [QueryRegion] {
        sources.flatMap { source, content -> [QueryRegion] in
            if content.isWhole { return [QueryRegion(source: source)] }
            return content.tables.flatMap { name, table -> [QueryRegion] in
                if table.isWhole { return [QueryRegion(source: source, name: name)] }
                return table.parts.map {
                    QueryRegion(
                        source: source,
                        name: name,
                        partition: $0.partition,
                        row: $0.row,
                        columns: $0.columns,
                        keys: $0.keys
                    )
                }
            }
        }
    }
}
