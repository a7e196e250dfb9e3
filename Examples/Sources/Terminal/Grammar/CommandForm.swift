/// A command line option with a value.
package struct Option<Content: Sendable>: Sendable {
    package let form: OptionForm
    let value: Value<Content>

    package init(_ name: String, short: Character? = nil, _ value: Value<Content>, _ summary: String) {
        self.value = value
        form = OptionForm(name: "--\(name)", short: short.map { "-\($0)" }, value: value.form, summary: summary)
    }
}

/// A command line option without a value.
package struct Flag: Sendable {
    package let form: OptionForm

    package init(_ name: String, short: Character? = nil, _ summary: String) {
        form = OptionForm(name: "--\(name)", short: short.map { "-\($0)" }, value: nil, summary: summary)
    }
}

/// An option without its type.
package struct OptionForm: Sendable {
    let name: String
    let short: String?
    let value: ValueForm?
    let summary: String

    /// The option in a help text: `-n, --limit N`.
    var usage: String { [short.map { "\($0), " }, name, value.map { " \($0.placeholder)" }].compactMap { $0 }.joined() }

    /// A valid use of the option.
    var sample: String { value.map { "\(name) \($0.sample.quoted)" } ?? name }
}

/// An argument of a command without dashes.
package struct Operand: Sendable {
    package enum Count: Sendable {
        case one, optional, some, any
    }

    let value: ValueForm
    let count: Count
    let summary: String

    package init<Content>(_ value: Value<Content>, _ summary: String, count: Count = .one) {
        self.value = value.form
        self.count = count
        self.summary = summary
    }

    /// The operand in a help text: `[MONTH]`, `ID …`.
    var usage: String {
        switch count {
        case .one: value.placeholder
        case .optional: "[\(value.placeholder)]"
        case .some: "\(value.placeholder) …"
        case .any: "[\(value.placeholder) …]"
        }
    }
}

/// A command: its name, what it does, and its arguments.
package struct CommandForm: Sendable {
    package let name: String
    let summary: String
    let details: [String]
    let operands: [Operand]
    let options: [OptionForm]
    let samples: [String]
    let otherNames: [String]

    /// - Parameters:
    ///   - details: More than the summary, one paragraph each.
    ///   - samples: Valid uses, without the name of the program. Error messages suggest the first one.
    ///   - otherNames: Other words that users may type; the error message then suggests this command.
    package init(
        _ name: String,
        _ summary: String,
        details: [String] = [],
        operands: [Operand] = [],
        options: [OptionForm] = [],
        samples: [String] = [],
        otherNames: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.operands = operands
        self.options = options
        self.samples = samples.isEmpty ? [name] : samples
        self.otherNames = otherNames
    }
}

extension String {
    /// The word, quoted for a shell if necessary.
    var quoted: String {
        let isPlain =
            !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789-_./:,=@%+".unicodeScalars.contains($0) }
        return isPlain ? self : "\"\(self)\""
    }
}
