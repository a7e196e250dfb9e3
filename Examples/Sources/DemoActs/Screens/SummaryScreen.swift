package import Terminal

/// What the acts have shown.
package struct SummaryScreen: Sendable {
    private let rows: [(number: Int, outcome: String)]

    /// - Parameter outcomes: The outcomes of the acts that were played to their end, by number.
    package init(_ outcomes: [Int: String]) {
        rows = outcomes.sorted { $0.key < $1.key }.map { (number: $0.key, outcome: $0.value) }
    }

    package func lines(width: Int) -> [Line] {
        rows.flatMap { number, outcome in
            let title: Line = "\("\(number)", .series(0))  \(Act.all[number - 1].title, .title)"
            return [title] + Line.wrapped(outcome, to: width - 3).map { "   \($0)" }
        }
    }

    /// All lines of a live screen, with the keys at its end.
    package func lines(in size: TerminalSize) -> [Line] {
        let head = [Line("What the acts have shown", .title), Line()]
        let room = max(size.rows - head.count - 1, 0)
        let body = Array(lines(width: size.columns).prefix(room))
        let keys = [("←", "last act"), ("r", "replay all"), ("q", "quit")]
        return
            (head + body + Array(repeating: Line(), count: room - body.count)
            + [Line(keys.map { key, meaning in "\(key, .strong) \(meaning, .faint)   " })])
            .map { $0.truncated(to: size.columns) }
    }
}
