/// The parts of a whole side by side, with a legend below.
package struct StackedBar: Sendable {
    // Different characters, so that the parts can be distinguished without colors.
    private static let blocks = ["█", "▓", "▒", "░"]
    private let parts: [NamedValue]

    package init(_ parts: [NamedValue]) { self.parts = parts }

    /// Only the bar. If all parts are zero, it is a faint line.
    package func bar(width: Int) -> Line {
        let total = parts.reduce(0) { $0 + max(0, $1.value) }
        guard total > 0 else { return Line(String(repeating: "·", count: width), .faint) }
        return Line(
            zip(parts.indices, Self.columns(parts.map { max(0, $0.value) / total }, in: width)).map { index, columns in
                Line(String(repeating: Self.blocks[index & 3], count: columns), .series(index))
            }
        )
    }

    /// Names and numbers, in as few lines as possible.
    package func legend(width: Int) -> [Line] {
        var lines: [Line] = []
        for (index, part) in parts.enumerated() {
            let entry: Line = "\(Self.blocks[index & 3], .series(index)) \(part.name) \(part.text, .strong)"
            if let last = lines.last, last.width + 3 + entry.width <= width {
                lines[lines.count - 1] = last + "   " + entry
            } else {
                lines.append(entry.truncated(to: width))
            }
        }
        return lines
    }

    /// Whole columns that add up to the width. Remaining columns are assigned to the parts with the largest rounding losses.
    private static func columns(_ shares: [Double], in width: Int) -> [Int] {
        let exact = shares.map { $0 * Double(width) }
        var columns = exact.map { Int($0) }
        let losers = exact.indices.sorted { exact[$0] - exact[$0].rounded(.down) > exact[$1] - exact[$1].rounded(.down) }
        for index in losers.prefix(width - columns.reduce(0, +)) { columns[index] += 1 }
        return columns
    }
}
