/// An invalid command line. The description is one sentence that ends with the nearest valid form.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    static func unknownCommand(_ word: String, _ grammar: Grammar) -> UsageError {
        let names = grammar.commandNames + grammar.common.map(\.name)
        let other = grammar.commands.first { $0.otherNames.contains(word.lowercased()) }?.name
        let said = "There is no command \"\(word)\""
        if let nearest = other ?? Spelling.nearest(to: word, among: names) {
            return UsageError("\(said); did you mean: \(grammar.program) \(nearest)")
        }
        return UsageError("\(said); for help: \(grammar.program) --help")
    }

    /// - Parameter words: All arguments. Before the command is known, the suggested option replaces the wrong one in them.
    static func unknownOption(_ word: String, of command: CommandForm?, in words: [String], _ grammar: Grammar) -> UsageError {
        let options = (command?.options ?? []) + grammar.common
        let call = called(command, grammar)
        let said = "There is no option \"\(word)\"" + (command.map { " of \($0.name)" } ?? "")
        if let nearest = Spelling.nearest(to: word, among: options.map(\.name)), let option = options.first(where: { $0.name == nearest }) {
            guard command == nil, words.count > 1, option.value == nil else {
                return UsageError("\(said); did you mean: \(call) \(option.sample)")
            }
            let meant = words.map { ($0 == word ? option.name : $0).quoted }.joined(separator: " ")
            return UsageError("\(said); did you mean: \(grammar.program) \(meant)")
        }
        return UsageError("\(said); for help: \(call) --help")
    }

    static func misplacedOption(_ word: String, of command: CommandForm, _ grammar: Grammar) -> UsageError {
        UsageError("\(word) must follow its command, as in: \(grammar.program) \(command.name) \(word)")
    }

    static func valueOfFlag(_ option: OptionForm, _ grammar: Grammar, _ command: CommandForm?) -> UsageError {
        UsageError("\(option.name) takes no value: \(called(command, grammar)) \(option.name)")
    }

    static func missingValue(of option: OptionForm, _ grammar: Grammar, _ command: CommandForm?) -> UsageError {
        let meaning = option.value?.meaning ?? "a value"
        return UsageError("\(option.name) needs \(meaning), such as: \(called(command, grammar)) \(option.sample)")
    }

    static func wrongValue(
        _ word: String,
        of option: OptionForm,
        _ value: ValueForm,
        _ grammar: Grammar,
        _ command: CommandForm?
    ) -> UsageError {
        let nearest = nearest(to: word, value) ?? value.sample
        let call = called(command, grammar)
        return UsageError("\(option.name) takes \(value.meaning), not \"\(word)\"; such as: \(call) \(option.name) \(nearest.quoted)")
    }

    static func twice(_ option: OptionForm) -> UsageError {
        UsageError("\(option.name) is given twice; once is enough, such as: \(option.sample)")
    }

    static func wrongOperand(_ word: String, _ operand: Operand, of command: CommandForm, _ grammar: Grammar) -> UsageError {
        let call = nearest(to: word, operand.value).map { "\(command.name) \($0.quoted)" } ?? command.samples[0]
        let value = operand.value
        if word.allSatisfy(\.isWhitespace) { return UsageError("\(value.placeholder) is empty; such as: \(grammar.program) \(call)") }
        return UsageError("\(value.placeholder) is \(value.meaning), not \"\(word)\"; such as: \(grammar.program) \(call)")
    }

    static func missingOperand(_ operand: Operand, of command: CommandForm, _ grammar: Grammar) -> UsageError {
        UsageError("\(command.name) needs \(operand.value.meaning), such as: \(grammar.program) \(command.samples[0])")
    }

    static func unexpectedOperand(_ word: String, of command: CommandForm, _ grammar: Grammar) -> UsageError {
        if command.operands.isEmpty {
            return UsageError("\(command.name) takes only options, not \"\(word)\"; such as: \(grammar.program) \(command.samples[0])")
        }
        return UsageError("\"\(word)\" is one word too many for \(command.name); such as: \(grammar.program) \(command.samples[0])")
    }

    private static func called(_ command: CommandForm?, _ grammar: Grammar) -> String {
        command.map { "\(grammar.program) \($0.name)" } ?? grammar.program
    }

    private static func nearest(to word: String, _ value: ValueForm) -> String? {
        guard case .words(let words) = value.completion else { return nil }
        return Spelling.nearest(to: word, among: words)
    }
}
