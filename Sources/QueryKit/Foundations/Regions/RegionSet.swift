/// Regions of which none lies inside another, bounded: what becomes too many is replaced by the larger region around it.
///
/// So a set never holds more than ``limit`` partitions of a table or tables of a source, however many are put in.
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
        var partitions: Set<String> = []

        mutating func insert(_ region: QueryRegion) -> QueryRegion? {
            if isWhole { return nil }
            guard let partition = region.partition, partitions.count < RegionSet.limit || partitions.contains(partition) else {
                self = Table(isWhole: true)
                return QueryRegion(source: region.source, name: region.name)
            }
            return partitions.insert(partition).inserted ? region : nil
        }

        mutating func formUnion(_ other: Table) {
            if isWhole { return }
            if other.isWhole {
                self = other
                return
            }
            partitions.formUnion(other.partitions)
            if partitions.count > RegionSet.limit { self = Table(isWhole: true) }
        }
    }

    static let limit = 256

    private var sources: [String: Source] = [:]

    init() {}

    init(_ regions: some Sequence<QueryRegion>) {
        for region in regions { insert(region) }
    }

    var isEmpty: Bool { sources.isEmpty }

    /// Puts a region in; answers with the region that is covered from now on and was not before, which may be a larger one.
    @discardableResult
    mutating func insert(_ region: QueryRegion) -> QueryRegion? {
        sources[region.source, default: Source()].insert(region)
    }

    /// Puts all regions of another set in.
    mutating func formUnion(_ other: RegionSet) {
        if isEmpty {
            self = other
            return
        }
        for (name, source) in other.sources { sources[name, default: Source()].formUnion(source) }
    }

    /// Whether a region is covered: a change that touches it will be seen.
    func covers(_ region: QueryRegion) -> Bool {
        guard let source = sources[region.source] else { return false }
        if source.isWhole { return true }
        guard let name = region.name, let table = source.tables[name] else { return false }
        if table.isWhole { return true }
        return region.partition.map { table.partitions.contains($0) } ?? false
    }

    /// Whether a change in a region touches anything in the set.
    func overlaps(_ region: QueryRegion) -> Bool {
        guard let source = sources[region.source] else { return false }
        guard !source.isWhole, let name = region.name else { return true }
        guard let table = source.tables[name] else { return false }
        guard !table.isWhole, let partition = region.partition else { return true }
        return table.partitions.contains(partition)
    }

    /// Whether the two sets have anything in common.
    func overlaps(_ other: RegionSet) -> Bool { other.regions.contains { overlaps($0) } }

    /// The regions, in no particular order.
    var regions: [QueryRegion] {
        sources.flatMap { source, content -> [QueryRegion] in
            if content.isWhole { return [QueryRegion(source: source)] }
            return content.tables.flatMap { name, table -> [QueryRegion] in
                if table.isWhole { return [QueryRegion(source: source, name: name)] }
                return table.partitions.map { QueryRegion(source: source, name: name, partition: $0) }
            }
        }
    }
}
