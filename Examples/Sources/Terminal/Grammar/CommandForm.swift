/// Something that may be said after two dashes, with a value.
package struct Option<Content: Sendable>: Sendable {
    package let form: OptionForm
    let value: Value<Content>

    package init(_ name: String, short: Character? = nil, _ value: Value<Content>, _ summary: String) {
        self.value = value
        form = OptionForm(name: "--\(name)", short: short.map { "-\($0)" }, value: value.form, summary: summary)
    }
}

/// Something that may be said after two dashes, and needs no value.
package struct Flag: Sendable {
    package let form: OptionForm

    package init(_ name: String, short: Character? = nil, _ summary: String) {
        form = OptionForm(name: "--\(name)", short: short.map { "-\($0)" }, value: nil, summary: summary)
    }
}

/// What is known of an option without its type.
package struct OptionForm: Sendable {
    let name: String
    let short: String?
    let value: ValueForm?
    let summary: String

    /// As it stands in a help text: `-n, --limit N`.
    var usage: String { [short.map { "\($0), " }, name, value.map { " \($0.placeholder)" }].compactMap { $0 }.joined() }

    /// One use of it that is right.
    var sample: String { value.map { "\(name) \($0.sample.quoted)" } ?? name }
}

/// What follows a command without dashes.
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

    /// As it stands in a help text: `[MONTH]`, `ID …`.
    var usage: String {
        switch count {
        case .one: value.placeholder
        case .optional: "[\(value.placeholder)]"
        case .some: "\(value.placeholder) …"
        case .any: "[\(value.placeholder) …]"
        }
    }
}

/// One command: its words, what it does, and what it takes.
package struct CommandForm: Sendable {
    package let name: String
    let summary: String
    let details: [String]
    let operands: [Operand]
    let options: [OptionForm]
    let samples: [String]
    let otherNames: [String]

    /// - Parameters:
    ///   - details: More than the summary, a paragraph each.
    ///   - samples: Uses that are right, without the name of the program; the first is offered to somebody who went wrong.
    ///   - otherNames: What somebody may type instead, and is led to the command for.
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
    /// The word as one types it into a shell.
    var quoted: String {
        let isPlain =
            !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789-_./:,=@%+".unicodeScalars.contains($0) }
        return isPlain ? self : "\"\(self)\""
    }
}
