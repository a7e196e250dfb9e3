/// The cases to measure, and the options of the measurement.
struct Plan {
    var names: [String]
    var sampleCount = 201
    var operationCount: Int?
    var asJSON = false
}

/// The parsed command line.
struct Arguments {
    enum Command {
        case help
        case list
        case run(Plan)
        /// Runs only the operations of one case, for a profiler.
        case rehearse(name: String, count: Int, isFloor: Bool)
    }

    static let help = """
        Usage: querykit-bench [options]

          --filter TEXT     Measures the case with that name, or all whose names contain TEXT. May be repeated.
          --samples N       The number of samples per case. Default: 201; cases with a long preparation take fewer.
          --operations N    The number of operations per sample, instead of as many as fill a quarter of a millisecond:
                            two runs then do the same work.
          --rehearse N      Performs the operation of one case N times, and prints nothing: for a profiler that counts
                            instructions. With --floor, performs the operation of the floor.
          --json            Prints a JSON document instead of a table.
          --list            Prints the names of all cases.
          --help            Prints this text.
        """

    private static let options = ["--filter", "--samples", "--operations", "--rehearse", "--floor", "--json", "--list", "--help"]

    let command: Command

    /// - Parameter names: The names of all cases.
    init(_ arguments: some Sequence<String>, names: [String]) throws {
        var plan = Plan(names: names)
        var filters: [String] = []
        var lookup: Command?
        var rehearsals: Int?
        var isFloor = false
        // `--option=value` is the same as `--option value`.
        var words = arguments.flatMap { word in
            word.hasPrefix("--") ? word.split(separator: "=", maxSplits: 1).map(String.init) : [word]
        }[...]
        while let word = words.popFirst() {
            switch word {
            case "--filter":
                filters.append(try Self.filter(words.popFirst(), names))
            case "--samples":
                plan.sampleCount = try Self.number(words.popFirst(), after: word, such: "201")
            case "--operations":
                plan.operationCount = try Self.number(words.popFirst(), after: word, such: "1000")
            case "--rehearse":
                rehearsals = try Self.number(words.popFirst(), after: word, such: "1000")
            case "--floor": isFloor = true
            case "--json": plan.asJSON = true
            case "--list": lookup = .list
            case "--help", "-h": lookup = .help
            default: throw UsageError(unknown: word, names)
            }
        }
        if !filters.isEmpty {
            let chosen = Set(filters.flatMap { Self.choice($0, of: names) })
            plan.names = names.filter(chosen.contains)
        }
        if let rehearsals, lookup == nil {
            guard plan.names.count == 1, let name = plan.names.first else {
                throw UsageError("--rehearse needs one case, such as --filter fetch.trivial; --list shows all.")
            }
            command = .rehearse(name: name, count: rehearsals, isFloor: isFloor)
        } else if isFloor {
            throw UsageError("--floor is valid only with --rehearse; a table always shows the floor of each case.")
        } else {
            command = lookup ?? .run(plan)
        }
    }

    /// A complete name selects only that case, even if it is a part of other names.
    private static func choice(_ text: String, of names: [String]) -> [String] {
        names.contains(text) ? [text] : names.filter { $0.contains(text) }
    }

    private static func filter(_ text: String?, _ names: [String]) throws -> String {
        guard let text, !text.hasPrefix("--") else {
            throw UsageError("--filter needs a part of a name, such as --filter store.")
        }
        guard !choice(text, of: names).isEmpty else {
            throw UsageError("no name of a case contains \"\(text)\"; the nearest is --filter \(Spelling.nearest(to: text, of: names)).")
        }
        return text
    }

    private static func number(_ text: String?, after option: String, such example: String) throws -> Int {
        guard let number = text.flatMap({ Int($0) }), number > 0 else {
            throw UsageError("\(option) needs a number of at least 1, such as \(option) \(example).")
        }
        return number
    }

    /// A sentence about an invalid argument, with the nearest valid form.
    struct UsageError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }

        init(unknown word: String, _ names: [String]) {
            if !word.hasPrefix("-"), !Arguments.choice(word, of: names).isEmpty {
                description = "\"\(word)\" is not an option; to measure that case write --filter \(word)."
            } else {
                description = "\"\(word)\" is not an option; the nearest is \(Spelling.nearest(to: word, of: Arguments.options))."
            }
        }
    }
}
