/// What is to be measured, and how.
struct Plan {
    var names: [String]
    var sampleCount = 201
    var operationCount: Int?
    var asJSON = false
}

/// What the user typed, understood.
struct Arguments {
    enum Command {
        case help
        case list
        case run(Plan)
        /// The operations of one case and nothing else, for a profiler.
        case rehearse(name: String, count: Int, isFloor: Bool)
    }

    static let help = """
        Usage: querykit-bench [options]

          --filter TEXT     Only the case of that name, or all whose names contain TEXT; may be given more than once.
          --samples N       Samples of each case. Default: 201; cases with a long preparation take fewer.
          --operations N    Operations in each sample, instead of as many as fill a quarter of a millisecond:
                            two runs then do the same work.
          --rehearse N      Only does the operation of one case N times, and prints nothing: for a profiler that counts
                            instructions. With --floor the operation of the floor.
          --json            One JSON document instead of a table.
          --list            The names of all cases.
          --help            This text.
        """

    private static let options = ["--filter", "--samples", "--operations", "--rehearse", "--floor", "--json", "--list", "--help"]

    let command: Command

    /// - Parameter names: The cases there are.
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
                throw UsageError("--rehearse needs one case, such as --filter fetch.trivial; --list names all.")
            }
            command = .rehearse(name: name, count: rehearsals, isFloor: isFloor)
        } else if isFloor {
            throw UsageError("--floor goes with --rehearse only; a table shows the floor of each case anyway.")
        } else {
            command = lookup ?? .run(plan)
        }
    }

    /// A whole name chooses that case alone, although it may be a part of others.
    private static func choice(_ text: String, of names: [String]) -> [String] {
        names.contains(text) ? [text] : names.filter { $0.contains(text) }
    }

    private static func filter(_ text: String?, _ names: [String]) throws -> String {
        guard let text, !text.hasPrefix("--") else {
            throw UsageError("--filter needs a part of a name, such as --filter store.")
        }
        guard !choice(text, of: names).isEmpty else {
            throw UsageError("no case is named like \"\(text)\"; the nearest is --filter \(Spelling.nearest(to: text, of: names)).")
        }
        return text
    }

    private static func number(_ text: String?, after option: String, such example: String) throws -> Int {
        guard let number = text.flatMap({ Int($0) }), number > 0 else {
            throw UsageError("\(option) needs a number from 1 on, such as \(option) \(example).")
        }
        return number
    }

    /// One sentence about a wrong argument, with the right form that is nearest to it.
    struct UsageError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }

        init(unknown word: String, _ names: [String]) {
            if !word.hasPrefix("-"), !Arguments.choice(word, of: names).isEmpty {
                description = "\"\(word)\" is no option; to measure it write --filter \(word)."
            } else {
                description = "\"\(word)\" is no option; the nearest is \(Spelling.nearest(to: word, of: Arguments.options))."
            }
        }
    }
}
