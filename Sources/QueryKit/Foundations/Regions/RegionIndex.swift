/// An index that finds the slots of stores whose runs have read a region, in time proportional to the number of those slots.
///
/// A run enters its regions, with the number of the run, before it reads them. When a run has succeeded, the entries of earlier runs are
/// removed, because they belong to values that are no longer shown.
struct RegionIndex {
    private struct Source {
        var whole: Set<UInt32> = []
        var tables: [String: Table] = [:]

        var isEmpty: Bool { whole.isEmpty && tables.isEmpty }
    }

    private struct Table {
        /// Readers of the whole table or of a whole partition, not of a row or a range.
        var parts = Parts()
        /// Readers of single rows.
        var rows: [String: Parts] = [:]
        /// Readers of ranges, by the columns of the ranges.
        var ranges: [[String]: RangeTree<Parts>] = [:]

        var isEmpty: Bool { parts.isEmpty && rows.isEmpty && ranges.isEmpty }

        func add(_ region: QueryRegion, to slots: inout Set<UInt32>) {
            parts.add(region, to: &slots)
            for (columns, tree) in ranges {
                if let range = region.keys?.range(in: columns) {
                    tree.visit(overlapping: range) { $0.add(region, to: &slots) }
                } else {
                    tree.visit { $0.add(region, to: &slots) }
                }
            }
            if let row = region.row {
                rows[row]?.add(region, to: &slots)
            } else {
                for parts in rows.values { parts.add(region, to: &slots) }
            }
        }

        mutating func update(_ region: QueryRegion, _ change: (inout Set<UInt32>) -> Void) {
            guard let row = region.row else {
                guard case .range(let range)? = region.keys else { return parts.update(region, change) }
                return update(range, region, change)
            }
            rows[row, default: Parts()].update(region, change)
            if rows[row]?.isEmpty == true { rows[row] = nil }
        }

        private mutating func update(_ range: RegionRange, _ region: QueryRegion, _ change: (inout Set<UInt32>) -> Void) {
            ranges[range.columns, default: RangeTree()].update(range, Parts()) { parts in
                parts.update(region, change)
                return !parts.isEmpty
            }
            if ranges[range.columns]?.isEmpty == true { ranges[range.columns] = nil }
        }
    }

    /// Readers of a partition, and readers that name no partition.
    private struct Parts {
        var whole = Readers()
        var partitions: [String: Readers] = [:]

        var isEmpty: Bool { whole.isEmpty && partitions.isEmpty }

        func add(_ region: QueryRegion, to slots: inout Set<UInt32>) {
            whole.add(region.columns, to: &slots)
            if let partition = region.partition {
                partitions[partition]?.add(region.columns, to: &slots)
            } else {
                for readers in partitions.values { readers.add(region.columns, to: &slots) }
            }
        }

        mutating func update(_ region: QueryRegion, _ change: (inout Set<UInt32>) -> Void) {
            guard let partition = region.partition else { return whole.update(region.columns, change) }
            partitions[partition, default: Readers()].update(region.columns, change)
            if partitions[partition]?.isEmpty == true { partitions[partition] = nil }
        }
    }

    /// Readers by the columns they read. Most requests of one type read the same columns.
    private struct Readers {
        private var slots: [RegionColumns: Set<UInt32>] = [:]

        var isEmpty: Bool { slots.isEmpty }

        func add(_ columns: RegionColumns, to found: inout Set<UInt32>) {
            for (read, slots) in slots where read.overlaps(columns) { found.formUnion(slots) }
        }

        mutating func update(_ columns: RegionColumns, _ change: (inout Set<UInt32>) -> Void) {
            change(&slots[columns, default: []])
            if slots[columns]?.isEmpty == true { slots[columns] = nil }
        }
    }

    /// What the runs of one slot have read.
    private struct Reads {
        /// The regions, with the last run that read each region.
        var regions: [QueryRegion: Int32] = [:]
        var statements = ReadStatements()

        /// Enters a region, and the statement that reads it. Returns whether the region is new.
        mutating func enter(_ region: QueryRegion, by statement: (any ReadStatement)?, run: Int32) -> Bool {
            if let statement { statements.insert(statement, run: run) }
            // Of a shared and a private run, the one that began first may read last.
            guard let last = regions.updateValue(run, forKey: region) else { return true }
            if last > run { regions[region] = last }
            return false
        }

        /// Removes the regions and statements that were last read by a run before `run`. Returns the removed regions, and whether nothing
        /// is left.
        mutating func settle(run: Int32) -> (removed: [QueryRegion], isEmpty: Bool) {
            var removed: [QueryRegion] = []
            for (region, last) in regions where last < run { removed.append(region) }
            for region in removed { regions[region] = nil }
            statements.removeAll(before: run)
            return (removed, regions.isEmpty && statements.isEmpty)
        }
    }

    private var sources: [String: Source] = [:]
    private var reads: [UInt32: Reads] = [:]

    /// Enters a region that a run of a slot reads, and the statement that reads it, if there is one.
    mutating func enter(_ region: QueryRegion, by statement: (any ReadStatement)? = nil, slot: UInt32, run: Int32) {
        guard reads[slot, default: Reads()].enter(region, by: statement, run: run) else { return }
        update(region) { $0.insert(slot) }
    }

    /// Enters a statement of a run whose regions are entered already.
    mutating func enter(_ statement: any ReadStatement, slot: UInt32, run: Int32) {
        reads[slot, default: Reads()].statements.insert(statement, run: run)
    }

    /// Removes the regions and statements of a slot that were last read by a run before `run`.
    mutating func settle(slot: UInt32, run: Int32) {
        guard let index = reads.index(forKey: slot) else { return }
        // In place, because a copy would cost more than the rest.
        let (removed, isEmpty) = reads.values[index].settle(run: run)
        for region in removed { update(region) { $0.remove(slot) } }
        if isEmpty { reads.remove(at: index) }
    }

    /// Removes a slot.
    mutating func remove(slot: UInt32) { settle(slot: slot, run: .max) }

    /// The regions of a slot, in no particular order.
    func regions(of slot: UInt32) -> [QueryRegion] { reads[slot].map { Array($0.regions.keys) } ?? [] }

    /// The statements by which the regions of a slot were read.
    func statements(of slot: UInt32) -> ReadStatements { reads[slot]?.statements ?? ReadStatements() }

    /// The last run of a slot that read a region overlapping one of the given ones; 0 if there is none.
    func latestRun(of slot: UInt32, reading regions: [QueryRegion]) -> Int32 {
        var latest: Int32 = 0
        for (region, run) in reads[slot]?.regions ?? [:] where run > latest && regions.contains(where: region.overlaps) { latest = run }
        return latest
    }

    /// Whether ranges are read in the part of a source that a region belongs to.
    func hasRanges(in region: QueryRegion) -> Bool {
        region.name.flatMap { sources[region.source]?.tables[$0] }?.ranges.isEmpty == false
    }

    /// The slots that have read a region overlapping the given one, each once.
    func slots(overlapping region: QueryRegion) -> Set<UInt32> {
        guard let source = sources[region.source] else { return [] }
        var slots = source.whole
        if let name = region.name {
            source.tables[name]?.add(region, to: &slots)
        } else {
            for table in source.tables.values { table.add(region, to: &slots) }
        }
        return slots
    }

    private mutating func update(_ region: QueryRegion, _ change: (inout Set<UInt32>) -> Void) {
        var source = sources.removeValue(forKey: region.source) ?? Source()
        if let name = region.name {
            var table = source.tables.removeValue(forKey: name) ?? Table()
            table.update(region, change)
            if !table.isEmpty { source.tables[name] = table }
        } else {
            change(&source.whole)
        }
        if !source.isEmpty { sources[region.source] = source }
    }
}
