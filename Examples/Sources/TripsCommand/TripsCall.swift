import Foundation

/// A command from the command line, or from a line typed on the screen.
enum TripsCall: Hashable {
    case help
    case list(matching: String)
    case show(String)
    case add(String, start: String?, days: Int)
    case rename(String, to: String)
    case delete(String)
    case stop(String, place: String, nights: Int)
    case watch
    case demo

    init(_ words: [String]) throws(UsageError) {
        guard let name = words.first else {
            self = .help
            return
        }
        let rest = Array(words.dropFirst())
        switch (name, rest.count) {
        case ("help", _), ("--help", _), ("-h", _): self = .help
        case ("list", 0...1): self = .list(matching: rest.first ?? "")
        case ("show", 1): self = .show(rest[0])
        case ("add", 1...3):
            self = .add(rest[0], start: rest.count > 1 ? rest[1] : nil, days: rest.count > 2 ? try Self.number(rest[2]) : 7)
        case ("rename", 2): self = .rename(rest[0], to: rest[1])
        case ("delete", 1): self = .delete(rest[0])
        case ("stop", 2...3): self = .stop(rest[0], place: rest[1], nights: rest.count > 2 ? try Self.number(rest[2]) : 1)
        case ("watch", 0): self = .watch
        case ("demo", 0): self = .demo
        default: throw UsageError(Self.problem(with: name))
        }
    }

    private static func number(_ word: String) throws(UsageError) -> Int {
        guard let number = Int(word), number > 0 else { throw UsageError("\"\(word)\" is not a number of days. Write 1 or more.") }
        return number
    }

    private static func problem(with name: String) -> String {
        guard let line = usage.first(where: { $0.hasPrefix(name + " ") }) else {
            return "There is no command \"\(name)\". See: trips --help"
        }
        return "Write: trips \(line.prefix(30).trimmingCharacters(in: .whitespaces))"
    }

    /// Each line begins with the command; the explanation begins at column 30.
    private static let usage = [
        "list [TEXT]                   shows the trips, or those whose name contains a text",
        "show NAME                     shows a trip with its stops",
        "add NAME [DAY] [DAYS]         plans a trip, by default of 7 days from today: add Lisbon 2026-12-01 5",
        "rename NAME NEW-NAME          gives a trip another name",
        "delete NAME                   deletes a trip with its stops",
        "stop NAME PLACE [NIGHTS]      adds a stop to a trip",
        "watch                         shows the trips, and follows what other processes change",
        "demo                          shows navigation and a synchronization, with a server in memory",
    ]

    static let helpText = """
        Keeps a list of trips in a file.

          trips [--file PATH] COMMAND

          \(usage.joined(separator: "\n  "))

        The file is PATH, else $TRIPS_FILE, else trips.sqlite in the current folder.
        On the screen of watch, type these commands too, /TEXT to search, retry, and quit. show opens a trip,
        edit its form (name NEW-NAME, save), and back returns.
        Exit codes: 0 done, 1 failed, 2 invalid arguments.
        """
}

/// An invalid command.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
