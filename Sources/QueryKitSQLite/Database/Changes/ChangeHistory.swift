/// The latest changes, numbered. A read that began before a change may have missed it.
struct ChangeHistory {
    private static let limit = 128

    private(set) var number: UInt64 = 0
    /// A ring buffer of the latest changes. The newest one has the number `number`.
    private var recent: [SQLiteChangeSet] = []
    private var start = 0

    mutating func append(_ change: SQLiteChangeSet) {
        number += 1
        if recent.count < Self.limit {
            recent.append(change)
        } else {
            recent[start] = change
            start = (start + 1) % Self.limit
        }
    }

    /// Returns the regions that were changed after a number; all regions if the history doesn't go back that far.
    func changed(_ regions: [SQLiteRegion], since number: UInt64) -> [SQLiteRegion] {
        guard number < self.number else { return [] }
        let count = self.number - number
        guard count <= UInt64(recent.count) else { return regions }
        return regions.filter { region in
            (1...Int(count)).contains { back in
                recent[(start + recent.count - back) % recent.count].concerns(region)
            }
        }
    }
}
