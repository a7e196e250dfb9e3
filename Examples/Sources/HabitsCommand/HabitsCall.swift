import Foundation
import HabitsApp

/// A command from the command line.
enum HabitsCall: Hashable {
    case help
    case show(Day)
    case add(String)
    case mark(String, on: Day, isDone: Bool)
    case session

    init(_ words: [String]) throws {
        let rest = Array(words.dropFirst())
        switch (words.first, rest.count) {
        case (nil, _), ("--help", _), ("-h", _), ("help", _): self = .help
        case ("show", 0...1): self = .show(try Self.day(rest.first))
        case ("add", 1): self = .add(rest[0])
        case ("mark", 1...2): self = .mark(rest[0], on: try Self.day(rest.dropFirst().first), isDone: true)
        case ("unmark", 1...2): self = .mark(rest[0], on: try Self.day(rest.dropFirst().first), isDone: false)
        case ("session", 0): self = .session
        case (let name?, _): throw UsageError(Self.problem(with: name))
        }
    }

    private static func day(_ word: String?) throws(HabitError) -> Day {
        guard let word else { return Day(Date()) }
        guard let day = Day(word) else { throw .notADay(word) }
        return day
    }

    private static func problem(with name: String) -> String {
        guard let line = usage.first(where: { $0.hasPrefix(name + " ") }) else {
            return "There is no command \"\(name)\". See: habits --help"
        }
        return "Write: habits \(line.prefix(24).trimmingCharacters(in: .whitespaces))"
    }

    /// Each line begins with the command; the explanation begins at column 24.
    private static let usage = [
        "show [DAY]              shows all habits on a day, with streaks and statistics of the seven days up to it",
        "add NAME                adds a habit",
        "mark NAME [DAY]         marks a habit as done, as a widget does",
        "unmark NAME [DAY]       removes the mark",
        "session                 compares five ways to show habits, in temporary files",
    ]

    static let helpText = """
        Keeps habits in a file, and compares five ways to show them by how often they read it.

          habits [--file PATH] COMMAND

          \(usage.joined(separator: "\n  "))

        A day is written as 2026-11-22. Without one, it is today.
        The file is PATH, else $HABITS_FILE, else habits.sqlite in the current folder.
        Exit codes: 0 done, 1 failed, 2 invalid arguments.
        """
}

/// An invalid command.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
