#if Postgres
/// What one commit changed, or several commits that were read from the log together.
struct ChangeSet: Hashable, Sendable {
    /// Whether a write of this database, in this process, made the change.
    let isOwn: Bool
    /// The changed regions.
    let regions: Set<PostgresRegion>

    static func foreign(_ regions: Set<PostgresRegion>) -> ChangeSet { ChangeSet(isOwn: false, regions: regions) }

    static func own(_ regions: Set<PostgresRegion>) -> ChangeSet { ChangeSet(isOwn: true, regions: regions) }
}

/// When each region was changed last, by the number of the change. A read that began before a change may have missed it.
struct ChangeHistory {
    /// The number of partitions to remember. Beyond it, they count as their table.
    static let limit = 10_000

    /// The numbers of the latest two changes. The previous one counts for a reader that has made the last change itself.
    fileprivate struct Latest {
        var last: UInt64 = 0
        var previous: UInt64 = 0

        mutating func add(_ number: UInt64) {
            if number > last { (last, previous) = (number, last) } else if number < last { previous = max(previous, number) }
        }

        func isAfter(_ number: UInt64, except own: UInt64?) -> Bool { (last == own ? previous : last) > number }
    }

    fileprivate struct Table {
        /// Changes of the table or of any partition, and those of the whole table.
        var any = Latest()
        var whole = Latest()
        var partitions: [String: Latest] = [:]
    }

    private(set) var number: UInt64 = 0
    private var any = Latest()
    private var everything = Latest()
    private var tables: [String: Table] = [:]
    private var partitionCount = 0

    mutating func append(_ change: ChangeSet) {
        number += 1
        any.add(number)
        for region in change.regions { note(region) }
        if partitionCount > Self.limit { forgetPartitions() }
    }

    private mutating func note(_ region: PostgresRegion) {
        guard let name = region.table else { return everything.add(number) }
        let isNew = tables[name, default: Table()].note(number, region.partition)
        if isNew { partitionCount += 1 }
    }

    private mutating func forgetPartitions() {
        for name in tables.keys { tables[name]?.forgetPartitions() }
        partitionCount = 0
    }

    /// Returns the regions that were changed after a number.
    ///
    /// - Parameter own: The number of a change to leave out, because the reader has made it itself.
    func changed(_ regions: some Collection<PostgresRegion>, since number: UInt64, except own: UInt64? = nil) -> [PostgresRegion] {
        guard any.isAfter(number, except: own) else { return [] }
        return regions.filter { region in
            guard let name = region.table else { return true }
            if everything.isAfter(number, except: own) { return true }
            guard let table = tables[name] else { return false }
            guard let partition = region.partition else { return table.any.isAfter(number, except: own) }
            return table.whole.isAfter(number, except: own) || table.partitions[partition]?.isAfter(number, except: own) == true
        }
    }
}

extension ChangeHistory.Table {
    /// Returns whether the partition is new.
    fileprivate mutating func note(_ number: UInt64, _ partition: String?) -> Bool {
        any.add(number)
        guard let partition else {
            whole.add(number)
            return false
        }
        let isNew = partitions[partition] == nil
        partitions[partition, default: ChangeHistory.Latest()].add(number)
        return isNew
    }

    fileprivate mutating func forgetPartitions() {
        if !partitions.isEmpty { whole = any }
        partitions = [:]
    }
}
#endif
