/// The entries of an index that a statement looks at, as far as its program bounds them.
struct IndexRange: Hashable, Sendable {
    /// One end, in the column that follows those with a fixed value.
    struct End: Hashable, Sendable {
        /// Where it may be: the lowest of them is the lower end, the highest the upper one.
        let keys: Set<RowKey>
        /// Whether an entry with just this value is outside.
        let isOpen: Bool
    }

    /// The columns by which the entries are ordered, up to the last one that is bounded.
    let columns: [StatementProgram.IndexColumn]
    /// The values that each of the first columns may have.
    let equal: [Set<RowKey>]
    let lower: End?
    let upper: End?

    fileprivate var findsKeys: Bool { (equal + [lower?.keys ?? [], upper?.keys ?? []]).contains { $0.contains(where: \.isFound) } }
}

/// Some rows of a table: those with some keys, and those in ranges of its indexes.
struct TablePart: Hashable, Sendable {
    var rows: Set<RowKey> = []
    var ranges: Set<IndexRange> = []

    /// Whether some of the keys have to be looked up.
    var findsKeys: Bool { rows.contains(where: \.isFound) || ranges.contains(where: \.findsKeys) }

    mutating func formUnion(_ other: TablePart) {
        rows.formUnion(other.rows)
        ranges.formUnion(other.ranges)
    }
}
