/// What must be written to a terminal to get from one picture to the next: the lines that differ, and nothing else.
struct FrameDiff {
    private var shown: [String]?

    // A terminal that knows mode 2026 shows what comes in between at once; another one ignores it.
    private static let begin = "\u{1B}[?2026h"
    private static let wipe = "\u{1B}[K"
    private static let end = "\u{1B}[?2026l"

    /// The terminal shows something else by now: the next picture is drawn as a whole.
    mutating func forget() { shown = nil }

    /// The bytes for the next picture; none if nothing has changed.
    mutating func update(to lines: [Line], size: TerminalSize, palette: Palette) -> String {
        let next = lines.prefix(size.rows).map { line -> String in
            let fitted = line.truncated(to: size.columns)
            // After the last column the cursor still stands on it, and wiping the rest would take it away.
            return fitted.encoded(in: palette) + (fitted.width < size.columns ? Self.wipe : "")
        }
        let last = shown ?? []
        var text = shown == nil ? "\u{1B}[2J" : ""
        for row in 0..<max(next.count, last.count) {
            let line = row < next.count ? next[row] : Self.wipe
            let before = row < last.count ? last[row] : Self.wipe
            guard shown == nil || line != before else { continue }
            text += "\u{1B}[\(row + 1);1H\(line)"
        }
        shown = Array(next)
        return text.isEmpty ? "" : Self.begin + text + Self.end
    }
}
