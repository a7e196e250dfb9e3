package import Terminal

/// An act on a live screen: its code beside what can be seen, or above it on a narrow terminal.
package struct ActScreen: Sendable {
    private let act: Act
    private let number: Int
    private let count: Int
    private let picture: StagePicture
    private let isPaused: Bool
    private let inspector: String?

    /// From this width on, the code is beside the screen.
    static let widthForColumns = 100

    /// - Parameters:
    ///   - number: The number of the act, from 1.
    ///   - count: The number of acts.
    ///   - inspector: The address of the inspector, if there is one.
    package init(_ act: Act, number: Int, of count: Int, picture: StagePicture, isPaused: Bool, inspector: String? = nil) {
        (self.act, self.number, self.count) = (act, number, count)
        (self.picture, self.isPaused, self.inspector) = (picture, isPaused, inspector)
    }

    /// All lines of the screen, from top to bottom.
    package func lines(in size: TerminalSize) -> [Line] {
        let head = [title] + Line.wrapped(act.claim, to: size.columns) + [address]
        let room = max(size.rows - head.count - 1, 2)
        let body = size.columns >= Self.widthForColumns ? columns(size.columns, room) : stack(size.columns, room)
        return (head + body + [keys]).map { $0.truncated(to: size.columns) }
    }

    private var panels: ActPanels { ActPanels(act: act, picture: picture) }

    private var title: Line { "\("\(number)/\(count)", .series(0))  \(act.title, .title)" + (isPaused ? Line("  paused", .warning) : "") }

    /// Standard error is often the same terminal, and hidden while the screen is shown.
    private var address: Line { inspector.map { Line("Inspector: \($0)", .faint) } ?? Line() }

    private var keys: Line {
        let keys = [("space", isPaused ? "continue" : "pause"), ("←→", "act"), ("↓", "step"), ("r", "replay"), ("q", "quit")]
        return Line(keys.map { key, meaning in "\(key, .strong) \(meaning, .faint)   " })
    }

    private func columns(_ width: Int, _ room: Int) -> [Line] {
        let left = act.code.width + 3
        let code = Self.around(panels.currentIndex, panels.code, room)
        let right = seen(width - left - 2, room)
        return (0..<room).map { row in
            (row < code.count ? code[row] : Line()).padded(to: left) + Line("│ ", .faint) + (row < right.count ? right[row] : Line())
        }
    }

    private func stack(_ width: Int, _ room: Int) -> [Line] {
        let least = min(max(room / 2, 8), room)
        let code = Self.around(panels.currentIndex, panels.code, max(room - least - 1, 1))
        let rule = Line(String(repeating: "─", count: width), .faint)
        let right = seen(width, room - code.count - 1)
        return code + [rule] + right + Array(repeating: Line(), count: max(room - code.count - 1 - right.count, 0))
    }

    /// The screens, the counts, and the end of the log that fits.
    private func seen(_ width: Int, _ room: Int) -> [Line] {
        let gap = room > 15 ? [Line()] : []
        let top = panels.screens(width: width) + gap + [panels.counts(width: width)] + gap
        let bottom = panels.outcome(width: width)
        let rest = room - top.count - bottom.count
        return Array((top + panels.log(width: width).suffix(max(rest, 0)) + bottom).prefix(room))
    }

    /// The lines that fit, with the current one among them.
    private static func around(_ current: Int?, _ lines: [Line], _ room: Int) -> [Line] {
        guard lines.count > room else { return lines }
        let start = min(max((current ?? 0) - room / 2, 0), lines.count - room)
        return Array(lines[start..<(start + room)])
    }
}
