import Terminal

/// The size of a chart, and the area within it that is drawn on.
struct Plot: Sendable {
    let width: Double
    let height: Double
    let left: Double
    let right: Double
    let top: Double
    let bottom: Double
    let isWide: Bool

    /// Each chart is drawn twice, for a wide page and for a narrow one, so that text and lines have the same size on both.
    static let wide = Plot(width: 860, height: 280, left: 46, right: 10, top: 14, bottom: 26, isWide: true)
    static let narrow = Plot(width: 350, height: 230, left: 40, right: 6, top: 14, bottom: 26, isWide: false)

    var innerWidth: Double { width - left - right }
    var innerHeight: Double { height - top - bottom }
    var ground: Double { height - bottom }

    /// The x coordinate of a share of the width, from the left.
    func x(_ share: Double) -> Double { left + share * innerWidth }

    /// The y coordinate of a share of the height, from the bottom.
    func y(_ share: Double) -> Double { ground - share * innerHeight }

    /// Horizontal lines with their numbers.
    func grid(_ scale: Scale) -> Markup {
        Markup(
            scale.ticks.map { tick in
                let y = y(scale.position(of: tick))
                return """
                    <line class="grid" x1="\(left)" x2="\(width - right)" y1="\(y)" y2="\(y)"/><text class="axis" x="\(left - 8)" y="\(y + 4)" text-anchor="end">\(Number.short(tick))</text>
                    """
            }
        )
    }

    /// Labels below the chart, as many as fit with space between them.
    func captions(_ labels: [String], centers: [Double]) -> Markup {
        let widest = Double(labels.map(\.count).max() ?? 1) * 6.5 + 14
        let count = max(1, min(labels.count, Int(innerWidth / widest)))
        let step = max(1, Int((Double(labels.count) / Double(count)).rounded(.up)))
        return Markup(
            stride(from: 0, to: labels.count, by: step).map { index in
                let half = Double(labels[index].count) * 3
                let x = min(max(centers[index], left + half), width - right - half)
                return "<text class=\"axis\" x=\"\(x)\" y=\"\(ground + 18)\" text-anchor=\"middle\">\(labels[index])</text>"
            }
        )
    }

    func picture(_ label: String, _ content: Markup) -> Markup {
        """
        <svg class="\(isWide ? "wide" : "narrow")" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(label)">
        \(content)
        </svg>
        """
    }

    /// The same chart in both widths.
    static func both(_ label: String, _ draw: (Plot) -> Markup) -> Markup {
        "\(Plot.wide.picture(label, draw(.wide)))\n\(Plot.narrow.picture(label, draw(.narrow)))"
    }
}
