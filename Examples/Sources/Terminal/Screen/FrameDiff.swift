/// The text to write to a terminal to get from one frame to the next: only the lines that differ.
struct FrameDiff {
    private var shown: [String]?

    // A terminal that supports mode 2026 shows the enclosed output in one step; others ignore the mode.
    private static let begin = "\u{1B}[?2026h"
    private static let wipe = "\u{1B}[K"
    private static let end = "\u{1B}[?2026l"

    /// Forgets the last frame, because the terminal shows something else: the next frame is drawn completely.
    mutating func forget() { shown = nil }

    /// The text for the next frame; empty if nothing has changed.
    mutating func update(to lines: [Line], size: TerminalSize, palette: Palette) -> String {
        let next = lines.prefix(size.rows).map { line -> String in
            let fitted = line.truncated(to: size.columns)
            // After the last column the cursor is still on that column, so clearing the rest of the line would erase it.
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
