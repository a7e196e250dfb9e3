/// Which entries of a ``SQLiteQueryCache`` were read, until that is written down.
struct CacheUses {
    private var uses: [Int64: Int] = [:]
    private var count = 0

    var isEmpty: Bool { uses.isEmpty }

    /// The entries by their numbers, the one that was read last at the end.
    var inOrder: [Int64] { uses.sorted { $0.value < $1.value }.map(\.key) }

    mutating func note(_ id: Int64) {
        count += 1
        uses[id] = count
    }
}
