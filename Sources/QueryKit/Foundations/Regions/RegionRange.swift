/// The rows of a table whose values in some columns are between two edges, such as the rows that a read finds in a range of an index.
///
/// Values are compared column by column, like the entries of an index on these columns.
package struct RegionRange: Hashable, Sendable {
    /// A place between rows: before or after all rows that begin with some values. Without values, it is before or after all rows.
    package struct Edge: Hashable, Sendable {
        package let values: [RegionValue]
        package let isAfter: Bool

        package init(before values: [RegionValue]) { (self.values, isAfter) = (values, false) }
        package init(after values: [RegionValue]) { (self.values, isAfter) = (values, true) }
    }

    package let columns: [String]
    package let lower: Edge
    package let upper: Edge

    /// - Parameter columns: The columns of the values. There must be at least as many columns as the longer edge has values.
    package init(_ columns: [String], from lower: Edge, to upper: Edge) {
        self.columns = columns
        self.lower = lower
        self.upper = upper
    }

    /// Whether a row may be in both ranges. Returns `true` if the ranges have different columns, because the answer is then unknown.
    package func overlaps(_ other: RegionRange) -> Bool {
        columns != other.columns || lower < other.upper && other.lower < upper
    }
}

extension RegionRange.Edge: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        for (left, right) in zip(left.values, right.values) where left != right { return left < right }
        // The shorter edge is before or after all rows that begin with its values, and the longer edge is among these rows.
        if left.values.count < right.values.count { return !left.isAfter }
        if left.values.count > right.values.count { return right.isAfter }
        return !left.isAfter && right.isAfter
    }
}

/// The values of a row in some columns, before or after a change.
package struct RegionRow: Hashable, Sendable {
    package let columns: [String]
    package let values: [RegionValue]

    /// - Parameter values: One for each column.
    package init(_ columns: [String], _ values: [RegionValue]) {
        self.columns = columns
        self.values = values
    }

    /// The range that contains just this row's values in some columns; `nil` if one of the values is unknown.
    package func range(in columns: [String]) -> RegionRange? {
        var found: [RegionValue] = []
        for column in columns {
            guard let position = self.columns.firstIndex(of: column) else { return nil }
            found.append(values[position])
        }
        return RegionRange(columns, from: .init(before: found), to: .init(after: found))
    }
}

/// What is known about the values in the rows of a region: the range of a read, or the values of a changed row.
package indirect enum RegionKeys: Hashable, Sendable {
    case range(RegionRange)
    case row(RegionRow)
    /// Many changed rows.
    case bounds(RegionBounds)

    /// These keys as a range in some columns; `nil` if the range is unknown.
    func range(in columns: [String]) -> RegionRange? {
        switch self {
        case .range(let range): range.columns == columns ? range : nil
        case .row(let row): row.range(in: columns)
        case .bounds(let bounds): bounds.range(in: columns)
        }
    }

    /// Whether some row may match both these keys and the others. Returns `true` if that is unknown.
    package func overlaps(_ other: RegionKeys) -> Bool {
        switch (self, other) {
        case (.range(let range), let keys), (let keys, .range(let range)): keys.range(in: range.columns)?.overlaps(range) ?? true
        case (.row(let row), .row(let other)): row.columns != other.columns || row.values == other.values
        case (.bounds, _), (_, .bounds): true
        }
    }
}

extension RegionRange {
    fileprivate func text(showsValues: Bool) -> String {
        let equal = zip(lower.values, upper.values).prefix { $0 == $1 }.count
        var terms = zip(columns, lower.values).prefix(equal).map { "\($0) = \($1.text(showsValues: showsValues))" }
        let (first, last) = (lower.values.dropFirst(equal).first, upper.values.dropFirst(equal).first)
        if showsValues {
            if let first { terms.append("\(columns[equal]) \(lower.isAfter ? ">" : ">=") \(first.unredacted)") }
            if let last { terms.append("\(columns[equal]) \(upper.isAfter ? "<=" : "<") \(last.unredacted)") }
        } else if first != nil || last != nil {
            terms.append("\(columns[equal]) in a range")
        }
        return terms.joined(separator: ", ")
    }
}

extension RegionKeys: Redacted {
    package var description: String { text(showsValues: false) }

    package func text(showsValues: Bool) -> String {
        switch self {
        case .range(let range): range.text(showsValues: showsValues)
        case .row(let row): zip(row.columns, row.values).map { "\($0) = \($1.text(showsValues: showsValues))" }.joined(separator: ", ")
        case .bounds(let bounds): bounds.text(showsValues: showsValues)
        }
    }
}
