#if Postgres
/// What one commit changed, or several commits that were read from the log together.
struct ChangeSet: Hashable, Sendable {
    /// Whether a write of this database, in this process, made the change.
    let isOwn: Bool
    /// The changed regions.
    let regions: Set<PostgresRegion>

    static func foreign(_ regions: Set<PostgresRegion>) -> ChangeSet { ChangeSet(isOwn: false, regions: regions) }

    static func own(_ regions: Set<PostgresRegion>) -> ChangeSet { ChangeSet(isOwn: true, regions: regions) }

    /// Whether the change may concern the contents of a region.
    func concerns(_ region: PostgresRegion) -> Bool {
        // The usual cases take no loop over a change of many partitions.
        if regions.contains(region) || regions.contains(.everything) { return true }
        return regions.contains { $0.overlaps(region) }
    }
}

/// The latest changes, numbered. A read that began before a change may have missed it.
struct ChangeHistory {
    private static let limit = 256

    private(set) var number: UInt64 = 0
    /// A ring buffer of the latest changes. The newest one has the number `number`.
    private var recent: [ChangeSet] = []
    private var start = 0

    mutating func append(_ change: ChangeSet) {
        number += 1
        if recent.count < Self.limit {
            recent.append(change)
        } else {
            recent[start] = change
            start = (start + 1) % Self.limit
        }
    }

    /// Returns the regions that were changed after a number; all regions if the history doesn't go back that far.
    ///
    /// - Parameter own: The number of a change to leave out, because the reader has made it itself.
    func changed(_ regions: some Collection<PostgresRegion>, since number: UInt64, except own: UInt64? = nil) -> [PostgresRegion] {
        guard number < self.number else { return [] }
        let count = self.number - number
        guard count <= UInt64(recent.count) else { return Array(regions) }
        return regions.filter { region in
            (1...Int(count)).contains { back in
                self.number - UInt64(back) + 1 != own && recent[(start + recent.count - back) % recent.count].concerns(region)
            }
        }
    }
}
#endif
