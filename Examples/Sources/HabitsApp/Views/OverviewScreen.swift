/// The overview as lines of text.
package struct OverviewScreen {
    private let overview: Overview
    private let problem: String?

    package init(_ overview: Overview, problem: String? = nil) { (self.overview, self.problem) = (overview, problem) }

    package var lines: [String] {
        let doneCount = overview.rows.count(where: \.isDone)
        let width = overview.rows.map(\.habit.name.count).max() ?? 0
        return ["\(overview.day): \(doneCount) of \(overview.rows.count) done"]
            + overview.rows.map { $0.line(width: width) }
            + [overview.statistics.line]
            + (problem.map { ["! \($0)"] } ?? [])
    }
}

extension Overview.Row {
    fileprivate func line(width: Int) -> String {
        let line = "  [\(isDone ? "x" : " ")] \(habit.name)"
        if streak == 0 { return line }
        return line + String(repeating: " ", count: width - habit.name.count) + "  \(streak) \(streak == 1 ? "day" : "days")"
    }
}

extension Statistics {
    package var line: String {
        guard let bestDay else { return "The week: nothing done yet" }
        return "The week: \(doneCount) of \(possibleCount), \(100 * doneCount / possibleCount) %; the best day: \(bestDay)"
    }
}
