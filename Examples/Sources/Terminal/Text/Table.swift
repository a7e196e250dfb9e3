/// Columns of text with a header, fitted to the width of the terminal.
///
/// Columns that may shrink become narrower first; then dispensable columns are removed.
package struct Table: Sendable {
    package struct Column: Sendable {
        let title: String
        let alignment: Line.Alignment
        let minimum: Int?
        let dispensability: Int

        /// - Parameters:
        ///   - minimum: The minimum width of the column; if `nil`, it is always as wide as its widest cell.
        ///   - dispensability: If space is short, the column with the highest number is removed first; columns with 0 are never removed.
        package init(_ title: String, _ alignment: Line.Alignment = .left, minimum: Int? = nil, dispensability: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.minimum = minimum
            self.dispensability = dispensability
        }
    }

    private static let gap = 2
    private let columns: [Column]
    private let rows: [[Line]]
    private let hasHead: Bool

    package init(_ columns: [Column], rows: [[Line]], hasHead: Bool = true) {
        self.columns = columns
        self.rows = rows
        self.hasHead = hasHead
    }

    package func lines(width: Int) -> [Line] {
        var shown = Array(columns.indices)
        let natural = columns.indices.map(naturalWidth)
        while total(shown.map { least($0, natural) }) > width,
            let leaving = shown.filter({ columns[$0].dispensability > 0 }).max(by: {
                columns[$0].dispensability < columns[$1].dispensability
            })
        {
            shown.removeAll { $0 == leaving }
        }
        let widths = fit(shown, natural, into: width)
        let head = hasHead ? [columns.map { Line($0.title, .faint) }] : []
        return (head + rows).map { row in
            let cells = zip(shown, widths).map { index, width in
                let cell = row.indices.contains(index) ? row[index] : Line()
                return cell.fitted(to: width, columns[index].alignment)
            }
            return Self.joined(cells).truncated(to: width)
        }
    }

    private func naturalWidth(_ column: Int) -> Int {
        let cells = rows.map { $0.indices.contains(column) ? $0[column].width : 0 }
        return max(cells.max() ?? 0, hasHead ? DisplayWidth.of(columns[column].title) : 0)
    }

    private func least(_ column: Int, _ natural: [Int]) -> Int { min(natural[column], columns[column].minimum ?? natural[column]) }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + max(0, widths.count - 1) * Self.gap }

    /// Reduces the columns that may shrink, the widest first.
    private func fit(_ shown: [Int], _ natural: [Int], into width: Int) -> [Int] {
        var widths = shown.map { natural[$0] }
        var excess = total(widths) - width
        while excess > 0 {
            let shrinkable = widths.indices.filter { widths[$0] > least(shown[$0], natural) }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// Removes spaces at the end of a line, which would only be copied along.
    private static func joined(_ cells: [Line]) -> Line {
        var line = Line()
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += .space(gap) }
            line += cell
        }
        return line.withoutTrailingSpace()
    }
}

extension Line {
    /// The line without the spaces at its end, which would only be copied along.
    package func withoutTrailingSpace() -> Line {
        let excess = text.reversed().prefix { $0 == " " }.count
        guard excess > 0 else { return self }
        var rest = excess
        var kept: [Line] = []
        for piece in pieces.reversed() {
            let cut = min(rest, piece.text.reversed().prefix { $0 == " " }.count)
            rest = cut == piece.text.count ? rest - cut : 0
            kept.insert(Line(String(piece.text.dropLast(cut)), piece.style), at: 0)
        }
        return Line(kept)
    }
}
