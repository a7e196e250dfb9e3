/// Formats rows of text in aligned columns, two spaces apart, without trailing spaces.
struct TextTable {
    enum Alignment {
        case left, right
    }

    struct Column {
        let title: String
        var alignment = Alignment.left
        /// The maximum width of the column. Longer text is shortened in the middle.
        var limit = Int.max
    }

    let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String]) {
        rows.append(zip(row, columns).map { Self.shortened(Self.singleLine($0), to: $1.limit) })
    }

    /// The titles and rows, one per line.
    var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (index, text) in row.enumerated() {
                let space = String(repeating: " ", count: widths[index] - text.count)
                if index > 0 { line += "  " }
                line += columns[index].alignment == .left ? text + space : space + text
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private static func shortened(_ text: String, to limit: Int) -> String {
        guard text.count > limit else { return text }
        let tail = (limit - 1) / 2
        return text.prefix(limit - 1 - tail) + "…" + text.suffix(tail)
    }

    private static func singleLine(_ text: String) -> String {
        text.contains(where: \.isNewline) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }
}
