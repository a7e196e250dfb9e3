/// A hash table of small numbers that identify objects stored elsewhere. A number takes eight bytes; in a dictionary it would take forty.
///
/// The owner of the objects computes their hashes and compares them. Open addressing with linear probing; a removal closes its gap.
struct HashIndex {
    private struct HashedNumber {
        static let vacant = HashedNumber(hash: 0, number: .max)
        var hash: UInt32
        var number: UInt32
        var isVacant: Bool { number == .max }
    }

    private var table: [HashedNumber] = []
    private(set) var count = 0

    private var mask: Int { table.count - 1 }

    /// The first number with this hash for which `matches` returns `true`.
    @inline(__always)
    func find(_ hash: Int, where matches: (UInt32) -> Bool) -> UInt32? {
        guard !table.isEmpty else { return nil }
        let short = UInt32(truncatingIfNeeded: hash)
        var bucket = Int(short) & mask
        while !table[bucket].isVacant {
            if table[bucket].hash == short, matches(table[bucket].number) { return table[bucket].number }
            bucket = (bucket + 1) & mask
        }
        return nil
    }

    mutating func insert(_ number: UInt32, hash: Int) {
        if (count + 1) * 5 > table.count * 4 { grow() }
        put(HashedNumber(hash: UInt32(truncatingIfNeeded: hash), number: number))
        count += 1
    }

    mutating func remove(_ number: UInt32, hash: Int) {
        guard !table.isEmpty else { return }
        var gap = Int(UInt32(truncatingIfNeeded: hash)) & mask
        while table[gap].number != number {
            if table[gap].isVacant { return }
            gap = (gap + 1) & mask
        }
        count -= 1
        var next = (gap + 1) & mask
        while !table[next].isVacant {
            // Move a number back into the gap, unless the gap is before the number's own bucket: a search begins at that bucket.
            let home = Int(table[next].hash) & mask
            if (next - home) & mask >= (next - gap) & mask {
                table[gap] = table[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        table[gap] = .vacant
        if table.count > 1_024, count * 8 < table.count { rebuild(size: table.count / 4) }
    }

    private mutating func put(_ new: HashedNumber) {
        var bucket = Int(new.hash) & mask
        while !table[bucket].isVacant { bucket = (bucket + 1) & mask }
        table[bucket] = new
    }

    /// How many numbers fit into the table. For tests.
    var capacity: Int { table.count }

    private mutating func grow() { rebuild(size: max(8, table.count * 2)) }

    private mutating func rebuild(size: Int) {
        let old = table
        table = [HashedNumber](repeating: .vacant, count: size)
        for number in old where !number.isVacant { put(number) }
    }
}
