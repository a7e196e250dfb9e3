/// The lowest and the highest value of some rows in each of some columns. The bounds are used if too many rows have changed to keep the
/// values of each row.
package struct RegionBounds: Hashable, Sendable {
    package let columns: [String]
    private var lowest: [RegionValue]
    private var highest: [RegionValue]

    /// The bounds of one row.
    package init(_ row: RegionRow) { (columns, lowest, highest) = (row.columns, row.values, row.values) }

    /// Adds a row.
    ///
    /// - Parameter values: Its values in the same columns.
    package mutating func insert(_ values: [RegionValue]) {
        for (index, value) in values.enumerated() { insert(value, at: index) }
    }

    /// Adds one value of a row.
    ///
    /// - Parameter index: The index of its column.
    package mutating func insert(_ value: RegionValue, at index: Int) {
        if value < lowest[index] { lowest[index] = value }
        if highest[index] < value { highest[index] = value }
    }

    /// Adds the rows of other bounds in the same columns.
    package mutating func formUnion(_ other: RegionBounds) {
        insert(other.lowest)
        insert(other.highest)
    }

    /// A range that contains all rows; `nil` if a column is unknown.
    func range(in columns: [String]) -> RegionRange? {
        var (low, high): ([RegionValue], [RegionValue]) = ([], [])
        for column in columns {
            guard let position = self.columns.firstIndex(of: column) else { return nil }
            low.append(lowest[position])
            high.append(highest[position])
            // Later columns order only rows that are equal so far.
            if lowest[position] != highest[position] { break }
        }
        return RegionRange(columns, from: .init(before: low), to: .init(after: high))
    }
}

extension RegionBounds {
    func text(showsValues: Bool) -> String {
        columns.indices.map { index in
            columns[index] + (showsValues ? " from \(lowest[index].unredacted) to \(highest[index].unredacted)" : " in a range")
        }.joined(separator: ", ")
    }
}
