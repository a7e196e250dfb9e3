/// What is to be tried, and how much of it.
struct Plan: Sendable {
    var names: [String]
    var seed: UInt64 = 1
    var rounds: Int?
    var isShort = false

    /// How often something is tried: as the user said, or as the form says.
    func count(long: Int, short: Int) -> Int { rounds ?? (isShort ? short : long) }
}

/// What the user typed, understood.
struct Arguments {
    enum Command {
        case help
        case list
        case run(Plan)
    }

    static let help = """
        Usage: querykit-faults [options]

          --only NAME   Only the fault of that name; may be given more than once. See --list.
          --seed N      Chooses the moments, the batches and the damage. Default: 1. The same number damages the same
                        files in the same places; when exactly a process dies the system decides.
          --rounds N    How many processes are killed, and how many files damaged. Default: 200 and 2000.
          --short       A tenth of it and less, for each change.
          --list        The names of all faults.
          --help        This text.
        """

    private static let options = ["--only", "--seed", "--rounds", "--short", "--list", "--help"]

    let command: Command

    /// - Parameter names: The faults there are.
    init(_ arguments: some Sequence<String>, names: [String]) throws(UsageError) {
        var plan = Plan(names: names)
        var chosen: [String] = []
        var lookup: Command?
        // `--option=value` is the same as `--option value`.
        var words = arguments.flatMap { word in
            word.hasPrefix("--") ? word.split(separator: "=", maxSplits: 1).map(String.init) : [word]
        }[...]
        while let word = words.popFirst() {
            switch word {
            case "--only":
                guard let name = words.popFirst(), names.contains(name) else {
                    throw UsageError("--only needs the name of a fault: \(Self.list(names)).")
                }
                chosen.append(name)
            case "--seed":
                guard let seed = words.popFirst().flatMap({ UInt64($0) }) else {
                    throw UsageError("--seed needs a number from 0 on, such as --seed 1.")
                }
                plan.seed = seed
            case "--rounds":
                guard let rounds = words.popFirst().flatMap({ Int($0) }), rounds > 0 else {
                    throw UsageError("--rounds needs a number from 1 on, such as --rounds 50.")
                }
                plan.rounds = rounds
            case "--short": plan.isShort = true
            case "--list": lookup = .list
            case "--help", "-h": lookup = .help
            default:
                throw names.contains(word)
                    ? UsageError("\"\(word)\" is no option; to try it alone write --only \(word).")
                    : UsageError("\"\(word)\" is no option; there are \(Self.list(Self.options)).")
            }
        }
        if !chosen.isEmpty { plan.names = names.filter(chosen.contains) }
        command = lookup ?? .run(plan)
    }

    private static func list(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    /// One sentence about a wrong argument.
    struct UsageError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
