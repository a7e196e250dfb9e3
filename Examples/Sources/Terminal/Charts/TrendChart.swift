/// A line chart over time with an axis, and the average as a dashed line.
package struct TrendChart: Sendable {
    private let values: [Double?]
    private let labels: [String]
    private let average: Double?

    /// - Parameters:
    ///   - values: One value for each day, for example; `nil` leaves a gap.
    ///   - labels: As many labels as values; those that fit are shown below the chart.
    package init(values: [Double?], labels: [String], average: Double? = nil) {
        self.values = values
        self.labels = labels
        self.average = average
    }

    package func lines(width: Int, height: Int) -> [Line] {
        let rows = max(2, height - 2)
        let points = values.compactMap { $0 }
        // A single point can only be compared with zero.
        let scale = Scale(of: points + [average].compactMap { $0 }, intervals: max(1, rows / 2), startsAtZero: points.count < 2)
        let names = scale.ticks.map { Number.short($0) }
        let margin = names.map(DisplayWidth.of).max() ?? 0
        let columns = max(4, width - margin - 2)
        let canvas = drawn(on: DotCanvas(columns: columns, rows: rows), scale)
        let averageRow = average.map { Self.row(of: $0, rows, scale) }
        var tickRows: [Int: String] = [:]
        for (tick, name) in zip(scale.ticks, names) { tickRows[Self.row(of: tick, rows, scale)] = name }

        var lines = (0..<rows).map { row in
            let name = Line(tickRows[row] ?? "", .faint).padded(to: margin, .right)
            var line = name + Line(tickRows[row] == nil ? " │" : " ┤", .faint)
            for column in 0..<columns {
                if let character = canvas.character(column: column, row: row) {
                    line += Line(String(character), .series(0))
                } else {
                    line += row == averageRow && column % 2 == 0 ? Line("╌", .series(1)) : " "
                }
            }
            return line.merged().withoutTrailingSpace()
        }
        lines.append(Line(String(repeating: " ", count: margin) + " └" + String(repeating: "─", count: columns), .faint))
        lines.append(.space(margin + 2) + captions(columns))
        return lines
    }

    private static func row(of value: Double, _ rows: Int, _ scale: Scale) -> Int {
        Int(((1 - scale.position(of: value)) * Double(rows * 4 - 1)).rounded()) / 4
    }

    private func drawn(on empty: DotCanvas, _ scale: Scale) -> DotCanvas {
        var canvas = empty
        let samples = Sparkline.condensed(values, to: canvas.width)
        var last: (x: Int, y: Int)?
        for (index, value) in samples.enumerated() {
            guard let value else {
                last = nil
                continue
            }
            let x = samples.count < 2 ? canvas.width / 2 : index * (canvas.width - 1) / (samples.count - 1)
            let point = (x: x, y: Int(((1 - scale.position(of: value)) * Double(canvas.height - 1)).rounded()))
            canvas.line(from: last ?? point, to: point)
            last = point
        }
        return canvas
    }

    /// As many labels as fit with space between them, each below its value.
    private func captions(_ columns: Int) -> Line {
        guard let widest = labels.map(DisplayWidth.of).max(), widest > 0 else { return Line() }
        let count = max(1, min(labels.count, columns / (widest + 5)))
        var text = ""
        for position in 0..<count {
            let index = count == 1 ? 0 : position * (labels.count - 1) / (count - 1)
            let center = labels.count < 2 ? columns / 2 : index * (columns - 1) / (labels.count - 1)
            let label = labels[index]
            let start = min(max(center - DisplayWidth.of(label) / 2, 0), max(0, columns - DisplayWidth.of(label)))
            guard start >= DisplayWidth.of(text) else { continue }
            text += String(repeating: " ", count: start - DisplayWidth.of(text)) + label
        }
        return Line(text, .faint)
    }
}

extension Line {
    /// Merges neighboring pieces of the same style, so that fewer escape sequences are written.
    func merged() -> Line {
        var runs: [(text: String, style: Style)] = []
        for piece in pieces {
            if runs.last?.style == piece.style { runs[runs.count - 1].text += piece.text } else { runs.append((piece.text, piece.style)) }
        }
        return Line(runs.map { Line($0.text, $0.style) })
    }
}
