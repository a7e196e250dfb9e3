/// The latest changes, numbered: whoever began to read before one of them may have missed it.
struct ChangeHistory {
    private static let limit = 128

    private(set) var number: UInt64 = 0
    /// The latest changes, oldest first; the last one has the present number.
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

    /// Those of the regions that were changed after a number; all of them if that is too long ago to tell.
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
