/// The help text of a program, generated from its grammar.
package struct HelpText: Sendable {
    private let grammar: Grammar
    private let width: Int

    /// Lines are at most 100 columns wide, even on a wider terminal, because longer ones are hard to read.
    package init(_ grammar: Grammar, width: Int) {
        self.grammar = grammar
        self.width = min(width, 100)
    }

    /// The help for one command, or for the whole program if `name` is `nil`.
    package func lines(about name: String?) -> [Line] { name.flatMap(grammar.command).map(about) ?? overview() }

    private func overview() -> [Line] {
        var lines = Line.wrapped(grammar.summary, to: width)
        lines += ["", "  \(grammar.program, .name) COMMAND [options]", "", Line("Commands", .title)]
        lines += list(grammar.commands.map { ($0.name, $0.summary) })
        lines += ["", Line("Options of every command", .title)]
        lines += list(grammar.common.map { ($0.usage, $0.summary) })
        for note in grammar.notes { lines += [""] + Line.wrapped(note, to: width) }
        return lines
    }

    private func about(_ command: CommandForm) -> [Line] {
        var lines = Line.wrapped(command.summary, to: width)
        let operands = command.operands.map { " \($0.usage)" }.joined()
        lines += ["", "  \(grammar.program, .name) \(command.name, .name)\(operands) [options]"]
        for paragraph in command.details { lines += [""] + Line.wrapped(paragraph, to: width) }
        if !command.operands.isEmpty { lines += [""] + list(command.operands.map { ($0.value.placeholder, $0.summary) }) }
        if !command.options.isEmpty {
            lines += ["", Line("Options", .title)] + list(command.options.map { ($0.usage, $0.summary) })
        }
        lines += ["", Line("Options of every command", .title)] + list(grammar.common.map { ($0.usage, $0.summary) })
        lines += ["", Line("Such as", .title)] + command.samples.map { Line("  \(grammar.program) \($0)") }
        return lines
    }

    /// Two columns; on a narrow terminal, descriptions are below their words.
    private func list(_ rows: [(String, String)]) -> [Line] {
        let column = (rows.map { DisplayWidth.of($0.0) }.max() ?? 0) + 4
        let isNarrow = width - column < 30
        return rows.flatMap { word, summary in
            let indent = isNarrow ? 6 : column
            let text = Line.wrapped(summary, to: width - indent).map { Line.space(indent) + $0 }
            let head: Line = "  \(word, .name)"
            guard !isNarrow, let first = text.first else { return [head] + text }
            return [head.padded(to: column) + Line(String(first.text.dropFirst(column)))] + text.dropFirst()
        }
    }
}
