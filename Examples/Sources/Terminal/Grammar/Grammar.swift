/// The command line of a program: its commands, and the options of each.
package struct Grammar: Sendable {
    let program: String
    let summary: String
    let commands: [CommandForm]
    let common: [OptionForm]
    let notes: [String]

    /// Accepted by every command, and by the program without a command.
    static let help = OptionForm(name: "--help", short: "-h", value: nil, summary: "Shows the arguments of the command.")

    /// - Parameters:
    ///   - common: Options of every command; they may also precede it.
    ///   - notes: Paragraphs at the end of the help text.
    package init(program: String, summary: String, commands: [CommandForm], common: [OptionForm], notes: [String]) {
        self.program = program
        self.summary = summary
        self.commands = commands
        self.common = common + [Self.help]
        self.notes = notes
    }

    package var commandNames: [String] { commands.map(\.name) }

    func command(_ name: String) -> CommandForm? { commands.first { $0.name == name } }

    /// A parsed command line.
    package enum Wish: Sendable {
        /// Show the commands, or the arguments of one command.
        case help(String?)
        case arguments(Arguments)
    }

    /// Parses the arguments after the name of the program.
    package func read(_ words: [String]) throws(UsageError) -> Wish {
        var reading = Reading(grammar: self, words: words)
        for word in words { try reading.take(word) }
        return try reading.result()
    }
}

/// The operands and options of one command, already validated against its ``CommandForm``.
package struct Arguments: Sendable {
    package let command: String
    package let operands: [String]
    let options: [String: String]

    /// The value of an option; `nil` if it wasn't given.
    package subscript<Content>(option: Option<Content>) -> Content? { options[option.form.name].flatMap(option.value.read) }

    package subscript(flag: Flag) -> Bool { options[flag.form.name] != nil }

    /// An operand as a value; `nil` if there are fewer operands.
    package func operand<Content>(_ index: Int, as value: Value<Content>) -> Content? {
        operands.indices.contains(index) ? value.read(operands[index]) : nil
    }
}

/// Parses word by word. Options may be anywhere; after `--` there are none.
private struct Reading {
    let grammar: Grammar
    let words: [String]
    var command: CommandForm?
    var operands: [String] = []
    var options: [String: String] = [:]
    var awaiting: OptionForm?
    var isAfterDashes = false
    var wantsHelp = false

    mutating func take(_ word: String) throws(UsageError) {
        if let option = awaiting {
            awaiting = nil
            try set(option, to: word)
        } else if word == "--", !isAfterDashes {
            isAfterDashes = true
        } else if word.hasPrefix("-"), word != "-", !isAfterDashes {
            try takeOption(word)
        } else if let command {
            try takeOperand(word, of: command)
        } else if word == "help" {
            wantsHelp = true
        } else if let found = grammar.command(word) {
            command = found
        } else {
            throw .unknownCommand(word, grammar)
        }
    }

    private mutating func takeOption(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        let known = (command?.options ?? []) + grammar.common
        guard let option = known.first(where: { $0.name == parts[0] || $0.short == parts[0] }) else {
            // Before the command is known, the option may belong to a command that follows.
            if command == nil, let owner = grammar.commands.first(where: { $0.options.contains { $0.name == parts[0] } }) {
                throw .misplacedOption(parts[0], of: owner, grammar)
            }
            throw .unknownOption(parts[0], of: command, in: words, grammar)
        }
        if option.name == Grammar.help.name, parts.count == 1 {
            wantsHelp = true
        } else if option.value == nil {
            guard parts.count == 1 else { throw .valueOfFlag(option, grammar, command) }
            options[option.name] = ""
        } else if parts.count == 2 {
            try set(option, to: parts[1])
        } else {
            awaiting = option
        }
    }

    private mutating func set(_ option: OptionForm, to word: String) throws(UsageError) {
        guard let value = option.value else { return }
        guard value.accepts(word) else { throw .wrongValue(word, of: option, value, grammar, command) }
        guard options[option.name] == nil else { throw .twice(option) }
        options[option.name] = word
    }

    private mutating func takeOperand(_ word: String, of command: CommandForm) throws(UsageError) {
        let position = min(operands.count, command.operands.count - 1)
        guard position >= 0 else { throw .unexpectedOperand(word, of: command, grammar) }
        let operand = command.operands[position]
        let isOver = operands.count >= command.operands.count
        if isOver, operand.count == .one || operand.count == .optional { throw .unexpectedOperand(word, of: command, grammar) }
        guard operand.value.accepts(word) else { throw .wrongOperand(word, operand, of: command, grammar) }
        operands.append(word)
    }

    func result() throws(UsageError) -> Grammar.Wish {
        if wantsHelp { return .help(command?.name) }
        if let awaiting { throw .missingValue(of: awaiting, grammar, command) }
        guard let command else { return .help(nil) }
        let needed = command.operands.count { $0.count == .one || $0.count == .some }
        if operands.count < needed { throw .missingOperand(command.operands[operands.count], of: command, grammar) }
        return .arguments(Arguments(command: command.name, operands: operands, options: options))
    }
}
