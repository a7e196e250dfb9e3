/// Finds the slots whose runs read a region, in time proportional to their number.
///
/// A run enters regions as it reads them, with its number. When it has ended well, the entries of earlier runs go: they say what was
/// read for a value that is no longer shown.
struct RegionIndex {
    private struct Source {
        var whole: Set<UInt32> = []
        var tables: [String: Table] = [:]

        var isEmpty: Bool { whole.isEmpty && tables.isEmpty }
    }

    private struct Table {
        var whole: Set<UInt32> = []
        var partitions: [String: Set<UInt32>] = [:]

        var isEmpty: Bool { whole.isEmpty && partitions.isEmpty }

        func add(to slots: inout Set<UInt32>) {
            slots.formUnion(whole)
            for readers in partitions.values { slots.formUnion(readers) }
        }
    }

    private var sources: [String: Source] = [:]
    /// The regions of a slot, and the last run that read each.
    private var reads: [UInt32: [QueryRegion: Int32]] = [:]

    /// Enters a region that run `run` of a slot reads.
    mutating func enter(_ region: QueryRegion, slot: UInt32, run: Int32) {
        let known = reads[slot, default: [:]].updateValue(run, forKey: region)
        guard known == nil else { return }
        update(region) { $0.insert(slot) }
    }

    /// Forgets what runs before `run` read and it did not.
    mutating func settle(slot: UInt32, run: Int32) {
        guard let regions = reads[slot] else { return }
        for (region, last) in regions where last < run {
            reads[slot]?[region] = nil
            update(region) { $0.remove(slot) }
        }
        if reads[slot]?.isEmpty == true { reads[slot] = nil }
    }

    /// Forgets a slot.
    mutating func remove(slot: UInt32) { settle(slot: slot, run: .max) }

    /// What a slot is entered for, in no particular order.
    func regions(of slot: UInt32) -> [QueryRegion] { reads[slot].map { Array($0.keys) } ?? [] }

    /// The last run of a slot that read something which overlaps one of the regions; 0 for none.
    func latestRun(of slot: UInt32, reading regions: [QueryRegion]) -> Int32 {
        var latest: Int32 = 0
        for (region, run) in reads[slot] ?? [:] where run > latest && regions.contains(where: region.overlaps) { latest = run }
        return latest
    }

    /// The slots that read something which overlaps a region, each once.
    func slots(overlapping region: QueryRegion) -> Set<UInt32> {
        guard let source = sources[region.source] else { return [] }
        guard let name = region.name else {
            return source.tables.values.reduce(into: source.whole) { $1.add(to: &$0) }
        }
        guard let table = source.tables[name] else { return source.whole }
        var slots = source.whole
        if let partition = region.partition {
            slots.formUnion(table.whole)
            if let readers = table.partitions[partition] { slots.formUnion(readers) }
        } else {
            table.add(to: &slots)
        }
        return slots
    }

    private mutating func update(_ region: QueryRegion, _ change: (inout Set<UInt32>) -> Void) {
        var source = sources.removeValue(forKey: region.source) ?? Source()
        if let name = region.name {
            var table = source.tables.removeValue(forKey: name) ?? Table()
            if let partition = region.partition {
                change(&table.partitions[partition, default: []])
                if table.partitions[partition]?.isEmpty == true { table.partitions[partition] = nil }
            } else {
                change(&table.whole)
            }
            if !table.isEmpty { source.tables[name] = table }
        } else {
            change(&source.whole)
        }
        if !source.isEmpty { sources[region.source] = source }
    }
}
