/// The range of an index that a statement reads, according to its program.
struct IndexRange: Hashable, Sendable {
    /// One end of the range, in the column after those with fixed values.
    struct End: Hashable, Sendable {
        /// The possible values of this end: the lowest is the lower end, the highest is the upper end.
        let keys: Set<RowKey>
        /// Whether entries with exactly this value are excluded.
        let isOpen: Bool
    }

    /// The columns that order the entries, up to the last bounded one.
    let columns: [StatementProgram.IndexColumn]
    /// The possible values of each leading column.
    let equal: [Set<RowKey>]
    let lower: End?
    let upper: End?

    fileprivate var findsKeys: Bool { (equal + [lower?.keys ?? [], upper?.keys ?? []]).contains { $0.contains(where: \.isFound) } }
}

/// Some rows of a table: rows with certain keys, and rows in ranges of its indexes.
struct TablePart: Hashable, Sendable {
    var rows: Set<RowKey> = []
    var ranges: Set<IndexRange> = []

    /// Whether some of the keys must be looked up.
    var findsKeys: Bool { rows.contains(where: \.isFound) || ranges.contains(where: \.findsKeys) }

    mutating func formUnion(_ other: TablePart) {
        rows.formUnion(other.rows)
        ranges.formUnion(other.ranges)
    }
}
