/// The entries of a ``SQLiteQueryCache`` that were read since the last write.
struct CacheUses {
    private var uses: [Int64: Int] = [:]
    private var count = 0

    var isEmpty: Bool { uses.isEmpty }

    /// The row ids of the entries, ordered from the least to the most recently read.
    var inOrder: [Int64] { uses.sorted { $0.value < $1.value }.map(\.key) }

    mutating func note(_ id: Int64) {
        count += 1
        uses[id] = count
    }
}
