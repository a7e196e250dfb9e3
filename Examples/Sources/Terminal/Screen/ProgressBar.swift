/// A progress bar in one line of standard error, which is redrawn repeatedly and removed at the end.
actor ProgressBar {
    private let title: String
    private let width: Int?
    private let palette: Palette
    private let write: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?

    // More frequent updates would flicker, and cost more than the work they report.
    private static let pause = Duration.milliseconds(80)

    /// - Parameter width: The width of the terminal; `nil` if there is none.
    init(_ title: String, width: Int?, palette: Palette, write: @escaping @Sendable (String) -> Void) {
        self.title = title
        self.width = width
        self.palette = palette
        self.write = write
    }

    /// Draws the progress: a share from 0 to 1, and a note.
    func show(_ share: Double, _ note: String = "") {
        let now = ContinuousClock.now
        guard let width, lastDrawn.map({ now - $0 >= Self.pause }) ?? true else { return }
        lastDrawn = now
        let line = Self.line(title, share: share, note: note, elapsed: now - start, width: width)
        write("\r\(line.encoded(in: palette))\u{1B}[K")
    }

    /// Removes the bar.
    func end() {
        guard lastDrawn != nil else { return }
        lastDrawn = nil
        write("\r\u{1B}[K")
    }

    /// The bar as a line: title, bar, percentage, and the remaining time once it can be estimated.
    static func line(_ title: String, share: Double, note: String, elapsed: Duration, width: Int) -> Line {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        var tail = Number.percent(share)
        tail = String(repeating: " ", count: max(0, 5 - tail.count)) + tail
        if !note.isEmpty { tail += "  \(note)" }
        let isGuessable = (share > 0.02) && (share < 1) && elapsed > .milliseconds(500)
        if isGuessable { tail += "  \(remaining(elapsed * (1 / share - 1)))" }
        let room = width - 1 - DisplayWidth.of(title) - DisplayWidth.of(tail) - 3
        guard room >= 6 else { return Line("\(title) \(tail)").truncated(to: width - 1) }
        let columns = min(room, 40)
        let bar = Bar.horizontal(share, width: columns)
        let rest = String(repeating: "·", count: columns - bar.count)
        return Line("\(title) ") + Line(bar, .series(0)) + Line(rest, .faint) + Line(" \(tail)")
    }

    private static func remaining(_ duration: Duration) -> String {
        let seconds = Int((duration / .seconds(1)).rounded(.up))
        return seconds < 60 ? "\(seconds) s left" : "\(seconds / 60) min \(seconds % 60) s left"
    }
}
