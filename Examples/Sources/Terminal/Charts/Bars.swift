/// Bars made of block characters, with a resolution of an eighth of a character.
enum Bar {
    /// A horizontal bar.
    static func horizontal(_ share: Double, width: Int) -> String {
        let eighths = count(share, of: width)
        let rest = eighths % 8 == 0 ? "" : String(Array("▏▎▍▌▋▊▉")[eighths % 8 - 1])
        return String(repeating: "█", count: eighths / 8) + rest
    }

    /// The rows of a vertical bar, from top to bottom.
    static func vertical(_ share: Double, height: Int) -> [String] {
        let eighths = count(share, of: height)
        return (0..<height).reversed().map { row in
            let part = min(max(eighths - row * 8, 0), 8)
            return part == 0 ? " " : String(Array("▁▂▃▄▅▆▇█")[part - 1])
        }
    }

    /// A value above zero is never drawn as zero.
    private static func count(_ share: Double, of cells: Int) -> Int {
        guard share.isFinite, share > 0 else { return 0 }
        return min(max(Int((share * Double(cells * 8)).rounded()), 1), cells * 8)
    }
}

/// Horizontal bars, each with its name on the left and its number on the right.
package struct BarList: Sendable {
    private let rows: [NamedValue]

    package init(_ rows: [NamedValue]) { self.rows = rows }

    /// Names are truncated before bars become shorter than a fifth of the line.
    package func lines(width: Int) -> [Line] {
        let texts = rows.map { DisplayWidth.of($0.text) }.max() ?? 0
        let least = max(4, width / 5)
        let names = max(4, min(rows.map { DisplayWidth.of($0.name) }.max() ?? 0, width - texts - least - 4, width * 2 / 5))
        let room = max(1, width - names - texts - 4)
        let most = rows.map(\.value).max() ?? 0
        return rows.map { row in
            let bar = Line(Bar.horizontal(most > 0 ? row.value / most : 0, width: room), .series(0))
            return
                (Line(row.name).fitted(to: names) + "  " + bar.padded(to: room) + "  " + Line(row.text, .faint).padded(to: texts, .right))
        }
    }
}

/// Vertical bars side by side, for example one per hour of a day.
package struct ColumnChart: Sendable {
    private let values: [Double]
    private let labels: [Int: String]

    /// - Parameter labels: Labels below some of the bars, by index.
    package init(values: [Double], labels: [Int: String]) {
        self.values = values
        self.labels = labels
    }

    package func lines(width: Int, height: Int) -> [Line] {
        let rows = max(2, height - 2)
        let scale = Scale(of: values, intervals: max(1, min(3, rows / 2)), startsAtZero: true)
        let top = Number.short(scale.range.upperBound)
        let margin = max(DisplayWidth.of(top), 1)
        let pitch = min(max((width - margin - 2) / max(1, values.count), 1), 5)
        let thickness = pitch > 1 ? pitch - 1 : 1
        let bars = values.map { Bar.vertical(scale.position(of: $0), height: rows) }

        var lines = (0..<rows).map { row in
            let name = row == 0 ? top : ""
            let axis = Line(name, .faint).padded(to: margin, .right) + Line(row == 0 ? " ┤" : " │", .faint)
            let cells = bars.map { String(repeating: $0[row], count: thickness) + String(repeating: " ", count: pitch - thickness) }
            return (axis + Line(cells.joined(), .series(0))).withoutTrailingSpace()
        }
        let ground = String(repeating: "─", count: values.count * pitch)
        lines.append(Line("0", .faint).padded(to: margin, .right) + Line(" └" + ground, .faint))
        var captions = ""
        for (index, label) in labels.sorted(by: { $0.key < $1.key }) {
            let start = index * pitch
            guard start >= DisplayWidth.of(captions) else { continue }
            captions += String(repeating: " ", count: start - DisplayWidth.of(captions)) + label
        }
        lines.append(.space(margin + 2) + Line(captions, .faint))
        return lines.map { $0.truncated(to: width) }
    }
}
