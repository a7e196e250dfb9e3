/// The columns of a table that a read looks at or that a write changes, a bit each.
///
/// One bit stands for the rows themselves: each read looks at it, and what inserts or deletes rows changes all bits. So an update concerns only the reads
/// that look at one of its columns.
package struct RegionColumns: Hashable, Sendable {
    private var bits: UInt64

    /// All columns, and the rows.
    package static let all = RegionColumns(bits: .max)
    /// Only which rows there are.
    package static let rows = RegionColumns(bits: 1 << 63)
    package static let none = RegionColumns(bits: 0)

    /// Columns by their places in the table. Those from the 63rd on count as one.
    package init(_ places: some Sequence<Int>) {
        self = .none
        for place in places { bits |= 1 << UInt64(max(0, min(place, 62))) }
    }

    private init(bits: UInt64) { self.bits = bits }

    package func overlaps(_ other: RegionColumns) -> Bool { bits & other.bits != 0 }

    package func union(_ other: RegionColumns) -> RegionColumns { RegionColumns(bits: bits | other.bits) }
}
