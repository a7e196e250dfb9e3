/// The faults to try, and the number of rounds.
struct Plan: Sendable {
    var names: [String]
    var seed: UInt64 = 1
    var rounds: Int?
    var isShort = false

    /// The number of rounds: the one given by the user, or the default for the short or long form.
    func count(long: Int, short: Int) -> Int { rounds ?? (isShort ? short : long) }
}

/// The parsed command line.
struct Arguments {
    enum Command {
        case help
        case list
        case run(Plan)
    }

    static let help = """
        Usage: querykit-faults [options]

          --only NAME   Tries only the fault with that name. May be repeated. See --list.
          --skip NAME   Leaves the fault with that name out. May be repeated.
          --seed N      Selects the moments, the batches and the damage. Default: 1. The same number damages the same
                        files in the same places; the exact moment at which a process dies depends on the system.
          --rounds N    The number of processes to kill, and of files to damage. Default: 200 and 2000.
          --short       Runs a tenth or less of the rounds, for each change.
          --list        Prints the names of all faults.
          --help        Prints this text.
        """

    private static let options = ["--only", "--skip", "--seed", "--rounds", "--short", "--list", "--help"]

    let command: Command

    /// - Parameter names: The names of all faults.
    init(_ arguments: some Sequence<String>, names: [String]) throws(UsageError) {
        var plan = Plan(names: names)
        var (chosen, left): ([String], [String]) = ([], [])
        var lookup: Command?
        // `--option=value` is the same as `--option value`.
        var words = arguments.flatMap { word in
            word.hasPrefix("--") ? word.split(separator: "=", maxSplits: 1).map(String.init) : [word]
        }[...]
        while let word = words.popFirst() {
            switch word {
            case "--only", "--skip":
                guard let name = words.popFirst(), names.contains(name) else {
                    throw UsageError("\(word) needs the name of a fault: \(Self.list(names)).")
                }
                if word == "--only" { chosen.append(name) } else { left.append(name) }
            case "--seed":
                guard let seed = words.popFirst().flatMap({ UInt64($0) }) else {
                    throw UsageError("--seed needs a number of at least 0, such as --seed 1.")
                }
                plan.seed = seed
            case "--rounds":
                guard let rounds = words.popFirst().flatMap({ Int($0) }), rounds > 0 else {
                    throw UsageError("--rounds needs a number of at least 1, such as --rounds 50.")
                }
                plan.rounds = rounds
            case "--short": plan.isShort = true
            case "--list": lookup = .list
            case "--help", "-h": lookup = .help
            default:
                throw names.contains(word)
                    ? UsageError("\"\(word)\" is not an option; to try only that fault write --only \(word).")
                    : UsageError("\"\(word)\" is not an option; the options are \(Self.list(Self.options)).")
            }
        }
        if !chosen.isEmpty { plan.names = names.filter(chosen.contains) }
        plan.names.removeAll(where: left.contains)
        command = lookup ?? .run(plan)
    }

    private static func list(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    /// A sentence about an invalid argument.
    struct UsageError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
