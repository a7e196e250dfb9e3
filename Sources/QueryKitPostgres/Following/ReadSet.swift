#if Postgres
import QueryKitSQL

/// How often a table and its indexes were used. The server's counters only rise within a transaction.
struct TableCounters: Hashable, Sendable {
    /// The scans, and the rows that they have returned.
    var scans: Int64 = 0
    /// The blocks that were read, also by writes.
    var blocks: Int64 = 0
}

/// A row of the statement that lists what a transaction has read: one table, with its use so far.
struct TableUse: Hashable, Sendable {
    /// The name of the table's root.
    let name: String
    /// The table itself, as the number that the server gives it.
    let id: String
    /// Whether the transaction holds a lock on it that a read takes.
    let isLocked: Bool
    /// Whether it holds only locks that writes take. A write that reads, such as an UPDATE, counts its scan.
    let isOnlyWritten: Bool
    let counters: TableCounters
    /// Whether changes of the table are reported.
    let isFollowed: Bool
    /// The type of the declared partition column, if the text of a partition is certain for it.
    let partitionType: Int?
}

/// The tables that a transaction has read.
///
/// A read locks each table until the end of the transaction, through views and functions. The list is queried after each statement, and is
/// always complete. Two details follow from the server's counters of uses. A PL/pgSQL block with an exception handler releases its locks
/// when it fails, although it has read. So a table whose counters have risen counts as read, whether it is locked or not. And a table that
/// an earlier statement has locked is read again only if its counters have risen, so that the earlier statement's partitions stay valid.
struct ReadSet {
    /// What one statement has read.
    struct Reading: Equatable {
        var regions: [PostgresRegion] = []
        /// The tables whose changes aren't reported.
        var unfollowed: [String] = []
    }

    private var counters: [String: TableCounters] = [:]
    private var locked: Set<String> = []

    /// Begins with the counters before the first statement of the transaction. The counters count from the time when the connection last
    /// reported them.
    mutating func begin(_ counters: [String: TableCounters]) { self.counters = counters }

    /// Adds what a statement has read, according to the list that was queried after it.
    mutating func add(_ list: [TableUse], claims: [PartitionClaim]) -> Reading {
        var partitions: [String: [SQLValue]] = [:]
        for claim in claims { partitions[PostgresRegion.name(claim.table), default: []] += claim.values }
        var (reading, regions) = (Reading(), Set<PostgresRegion>())
        for use in list {
            let before = counters[use.id] ?? TableCounters()
            let isUsed = use.counters.scans > before.scans || !use.isOnlyWritten && use.counters.blocks > before.blocks
            // A partitioned table has no counters, but those of its partitions rise.
            let isNew = use.isLocked && !locked.contains(use.id)
            guard isUsed || isNew else { continue }
            for region in Self.regions(use, partitions[use.name]) where regions.insert(region).inserted { reading.regions.append(region) }
            if !use.isFollowed, !reading.unfollowed.contains(use.name) { reading.unfollowed.append(use.name) }
        }
        // The counters and locks are updated only afterwards, because a table with several roots has several rows.
        for use in list {
            counters[use.id] = use.counters
            if use.isLocked { locked.insert(use.id) }
        }
        return reading
    }

    private static func regions(_ use: TableUse, _ values: [SQLValue]?) -> [PostgresRegion] {
        guard let values, let type = use.partitionType else { return [PostgresRegion(table: use.name)] }
        let texts = values.map { PartitionText.text(of: $0, type: type) }
        // If one value is uncertain, the whole table counts as read.
        guard !texts.contains(nil) else { return [PostgresRegion(table: use.name)] }
        return texts.map { PostgresRegion(table: use.name, partition: $0) }
    }
}
#endif
