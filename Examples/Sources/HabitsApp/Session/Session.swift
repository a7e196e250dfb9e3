/// A day with the app, as steps after which the user sees a settled screen.
package enum Chapter: String, CaseIterable, Sendable {
    case open = "open the app"
    case complete = "complete ten habits"
    case browse = "look through the week, twice"
    case widget = "a widget marks a habit"
    case comeBack = "return to the app"
    case browseAgain = "look through the week again"

    func steps(in week: Week) -> [Step] {
        let back = week.days.reversed().dropFirst().map(Step.show)
        let forth = week.days.dropFirst().map(Step.show)
        return switch self {
        case .open: [.open]
        case .complete: (0..<10).map(Step.tap)
        case .browse: back + forth + back + forth
        case .widget: [.leave]
        case .comeBack: [.comeBack]
        case .browseAgain: back + forth
        }
    }
}

enum Step: Hashable, Sendable {
    case open
    /// A tap on the row with this index.
    case tap(Int)
    case show(Day)
    /// The app is suspended, and a widget marks a habit.
    case leave
    case comeBack
}

/// What one step of a session showed, and how many statements it read.
package struct StepResult: Hashable, Sendable {
    package let chapter: Chapter
    package let screen: [String]
    package let readCount: Int
}

/// One run of the session in one of the ways.
package struct Session: Sendable {
    package static let week = Week(endingOn: Day("2026-11-22")!)

    /// The habit that the widget marks on the last day of the week.
    package static let habitOfWidget = SampleHabits.names[10]

    package let way: Way
    package let results: [StepResult]

    package var readCount: Int { results.reduce(0) { $0 + $1.readCount } }

    package func readCount(of chapter: Chapter) -> Int { results.reduce(0) { $0 + ($1.chapter == chapter ? $1.readCount : 0) } }
}
