/// The columns of a table that a statement reads or changes, as one bit each.
///
/// One bit stands for the existence of rows: each read includes it, and inserting or deleting rows changes all bits. So an update affects
/// only reads of the columns that it changes.
package struct RegionColumns: Hashable, Sendable {
    /// The bits, used to store the columns as text.
    package private(set) var bits: UInt64

    /// All columns, and the existence of rows.
    package static let all = RegionColumns(bits: .max)
    /// Only the existence of rows.
    package static let rows = RegionColumns(bits: 1 << 63)
    package static let none = RegionColumns(bits: 0)

    /// Creates a set from the positions of columns in the table. All columns from the 63rd on share one bit.
    package init(_ positions: some Sequence<Int>) {
        self = .none
        for position in positions { bits |= 1 << UInt64(max(0, min(position, 62))) }
    }

    package init(bits: UInt64) { self.bits = bits }

    package func overlaps(_ other: RegionColumns) -> Bool { bits & other.bits != 0 }

    package func union(_ other: RegionColumns) -> RegionColumns { RegionColumns(bits: bits | other.bits) }
}
