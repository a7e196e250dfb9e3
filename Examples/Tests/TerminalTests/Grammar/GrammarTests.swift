import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct GrammarTests {
    enum Mood: String, CaseIterable, Sendable { case calm, lively }

    static let file = Option("file", .file(sample: "a.txt"), "A file.")
    static let loud = Flag("loud", short: "l", "Says it loudly.")
    static let count = Option("count", short: "n", .whole(in: 1...9, sample: 3), "How often.")
    static let mood = Option("mood", .choice("MOOD", Mood.self), "How.")
    static let number: Value<Int> = .whole("NUMBER", in: 0...99, sample: 7)

    static let grammar = Grammar(
        program: "hi",
        summary: "Greets.",
        commands: [
            CommandForm(
                "greet",
                "Greets a person.",
                operands: [Operand(.text("NAME", meaning: "a name", sample: "Ada"), "Whom.", count: .some)],
                options: [count.form, mood.form],
                samples: ["greet Ada"],
                otherNames: ["welcome"]
            ),
            CommandForm(
                "pick",
                "Picks a number.",
                operands: [Operand(number, "Which."), Operand(number, "Another.", count: .optional)],
                samples: ["pick 7"]
            ),
            CommandForm("stop", "Stops."),
        ],
        common: [file.form, loud.form],
        notes: ["That is all."]
    )

    private func arguments(_ words: String...) throws -> Arguments {
        guard case .arguments(let arguments) = try Self.grammar.read(words) else { throw UsageError("a request for help") }
        return arguments
    }

    @Test func `options are accepted at any position, with a space or an equals sign, by long or short name`() throws {
        for words in [
            ["greet", "Ada", "-n", "4", "--loud"], ["--loud", "greet", "--count=4", "Ada"], ["-l", "greet", "--count", "4", "Ada"],
        ] {
            guard case .arguments(let arguments) = try Self.grammar.read(words) else { continue }
            #expect(arguments.command == "greet" && arguments.operands == ["Ada"])
            #expect(arguments[Self.count] == 4 && arguments[Self.loud] && arguments[Self.mood] == nil)
        }
        #expect(try arguments("greet", "Ada", "--mood", "lively")[Self.mood] == .lively)
    }

    @Test func `all words after two dashes are operands, and so is a single dash`() throws {
        #expect(try arguments("greet", "--", "--loud", "-").operands == ["--loud", "-"])
        #expect(try arguments("greet", "-").operands == ["-"])
    }

    @Test func `an operand is converted to its type`() throws {
        #expect(try arguments("pick", "42").operand(0, as: Self.number) == 42)
        #expect(try arguments("pick", "42").operand(1, as: Self.number) == nil)
    }

    @Test(arguments: [
        ([], nil), (["--help"], nil), (["help"], nil), (["help", "stop"], "stop"), (["stop", "-h"], "stop"),
        (["greet", "--help"], "greet"),
    ])
    func `help is available for the program and each command, even if operands are missing`(words: [String], about: String?) throws {
        guard case .help(about) = try Self.grammar.read(words) else {
            Issue.record("This is not a request for help about \(about ?? "the program")")
            return
        }
    }

    @Test(arguments: [
        (["gret"], "There is no command \"gret\"; did you mean: hi greet"),
        (["welcome"], "There is no command \"welcome\"; did you mean: hi greet"),
        (["STOP"], "There is no command \"STOP\"; did you mean: hi stop"),
        (["banana"], "There is no command \"banana\"; for help: hi --help"),
        ([""], "There is no command \"\"; for help: hi --help"),
        (["--luod"], "There is no option \"--luod\"; did you mean: hi --loud"),
        (["--luod", "greet", "Ada King"], "There is no option \"--luod\"; did you mean: hi --loud greet \"Ada King\""),
        (["greet", " "], "NAME is empty; such as: hi greet Ada"),
        (["stop", "--hepl"], "There is no option \"--hepl\" of stop; did you mean: hi stop --help"),
        (["stop", "--count", "3"], "There is no option \"--count\" of stop; for help: hi stop --help"),
        (["--count", "3", "greet"], "--count must follow its command, as in: hi greet --count"),
        (["greet", "Ada", "--conut", "3"], "There is no option \"--conut\" of greet; did you mean: hi greet --count 3"),
        (["greet", "Ada", "--count"], "--count needs a whole number from 1 to 9, such as: hi greet --count 3"),
        (["greet", "Ada", "--count", "ten"], "--count takes a whole number from 1 to 9, not \"ten\"; such as: hi greet --count 3"),
        (["greet", "Ada", "--count", "10"], "--count takes a whole number from 1 to 9, not \"10\"; such as: hi greet --count 3"),
        (["greet", "Ada", "--mood", "livly"], "--mood takes calm or lively, not \"livly\"; such as: hi greet --mood lively"),
        (["greet", "Ada", "-n", "1", "-n", "2"], "--count is given twice; once is enough, such as: --count 3"),
        (["greet", "Ada", "--loud=yes"], "--loud takes no value: hi greet --loud"),
        (["greet"], "greet needs a name, such as: hi greet Ada"),
        (["pick", "1", "2", "3"], "\"3\" is one word too many for pick; such as: hi pick 7"),
        (["pick", "seven"], "NUMBER is a whole number from 0 to 99, not \"seven\"; such as: hi pick 7"),
        (["stop", "it"], "stop takes only options, not \"it\"; such as: hi stop"),
    ])
    func `invalid words are refused with one sentence and the nearest valid form`(words: [String], answer: String) {
        #expect(throws: UsageError(answer)) { try Self.grammar.read(words) }
    }

    @Test func `the program's help lists every command, and a command's help its operands and options`() {
        let overview = HelpText(Self.grammar, width: 60).lines(about: nil).map(\.text)
        #expect(overview.contains("  greet  Greets a person."))
        #expect(overview.contains("  -l, --loud   Says it loudly."))
        #expect(overview.last == "That is all.")
        let greet = HelpText(Self.grammar, width: 60).lines(about: "greet").map(\.text)
        #expect(greet.contains("  hi greet NAME … [options]"))
        #expect(greet.contains("  -n, --count N  How often."))
        #expect(greet.last == "  hi greet Ada")
    }

    @Test(arguments: [40, 60, 80, 200]) func `help is never wider than the terminal`(width: Int) {
        for topic in [nil] + Self.grammar.commandNames.map({ Optional($0) }) {
            for line in HelpText(Self.grammar, width: width).lines(about: topic) { #expect(line.width <= width) }
        }
    }
}
