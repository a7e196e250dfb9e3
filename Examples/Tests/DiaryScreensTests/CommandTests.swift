import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import Terminal
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct FoodAmountTests {
    private let bread = Ingredient(
        id: .init(rawValue: 1),
        .init(
            name: "Rye bread",
            nutrients: Nutrients(kilocalories: 230),
            portions: [
                .init("slice", grams: 40), .init("loaf", grams: 750), .init("small glass", grams: 100), .init("large glass", grams: 200),
            ]
        )
    )

    @Test(arguments: [
        ("60g", FoodAmount.grams(60)), ("60 g", .grams(60)), ("0.2kg", .grams(200)), ("1,5 kg", .grams(1500)), ("0,250kg", .grams(250)),
        ("2 slices", .portions(2, of: "slices")),
        ("½ Loaf", .portions(0.5, of: "loaf")), ("1½ slices", .portions(1.5, of: "slices")), ("1/4 loaf", .portions(0.25, of: "loaf")),
        ("3", .bare(3)),
    ])
    func `an amount is read as a number with its unit or portion`(text: String, amount: FoodAmount) { #expect(FoodAmount(text) == amount) }

    @Test(arguments: ["", "g", "slices", "0g", "-2g", "1/0 loaf", "1//2", "..", "a2", "1,000g", "12,500,000 g"])
    func `text without a positive number at its start, or with an ambiguous one, is not an amount`(
        text: String
    ) {
        #expect(FoodAmount(text) == nil)
    }

    @Test func `portions have the weights of the ingredient, in the singular and the plural`() throws {
        #expect(try FoodAmount("2 slices")?.grams(of: bread) == 80)
        #expect(try FoodAmount("1 slice")?.grams(of: bread) == 40)
        #expect(try FoodAmount("1 large glass")?.grams(of: bread) == 200)
    }

    @Test(arguments: [
        (
            "2 bowls",
            "Rye bread has no portion \"bowls\"; it knows slice (40 g), loaf (750 g), small glass (100 g), large glass (200 g), grams."
        ),
        (
            "2 glasses",
            "Rye bread has several portions \"glasses\"; it knows slice (40 g), loaf (750 g), small glass (100 g), large glass (200 g), grams."
        ),
        (
            "2",
            "2 of what? Say grams or a portion, such as: \"2 slice\" (slice (40 g), loaf (750 g), small glass (100 g), large glass (200 g), grams)"
        ),
        (
            "60",
            "60 of what? Say grams or a portion, such as: 60g (slice (40 g), loaf (750 g), small glass (100 g), large glass (200 g), grams)"
        ),
    ])
    func `unknown and ambiguous portions are refused with a list of the known ones`(text: String, answer: String) throws {
        let amount = try #require(FoodAmount(text))
        #expect { try amount.grams(of: bread) } throws: { "\($0)" == answer }
    }

    @Test func `the amount begins at the first number after the first word`() throws {
        #expect(try FoodWords(["rye bread", "60g"]).name == "rye bread")
        #expect(try FoodWords(["rye", "bread", "2", "slices"]) == FoodWords(["rye bread 2 slices"]))
        #expect(try FoodWords(["7up", "330g"]).name == "7up")
        #expect(
            throws: UsageError(
                "1,000g is ambiguous: its comma may separate thousands or decimals. Write it without a comma, such as: food-diary log \"rye bread\" 60g"
            )
        ) { try FoodWords(["rye bread", "1,000g"]) }
        #expect(throws: UsageError("How much rye bread? Add a weight or portions, such as: food-diary log \"rye bread\" 60g")) {
            try FoodWords(["rye bread"])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct MomentWordTests {
    private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    /// 21 November 2026, 13:00 in Berlin.
    private let now = Date(timeIntervalSince1970: 1_795_262_400)

    @Test(arguments: [
        ("08:15", "2026-11-21", 8), ("yesterday 23:59", "2026-11-20", 23), ("2026-03-01 0:00", "2026-03-01", 0),
        ("2026-03-01T07:30", "2026-03-01", 7),
    ])
    func `a time is on today, or on the day written before it`(text: String, day: String, hour: Int) throws {
        let moment = try #require(try MomentWord(text)?.moment(now: now, in: zone))
        #expect(moment.day.description == day && moment.hour == hour)
        #expect(DayName.time(moment).hasSuffix(text.suffix(2)))
    }

    @Test(arguments: ["", "8", "24:00", "08:60", "8:5", "tomorrow 08:00", "2026-02-30 08:00", "08:15 today"])
    func `text that is not a time is refused`(text: String) {
        #expect(MomentWord(text) == nil)
    }

    @Test(arguments: [
        ("2026-03-29 02:30", "Europe/Berlin", "2026-03-29"), ("2011-12-30 12:00", "Pacific/Apia", "2011-12-31"),
    ])
    func `a time skipped by the clocks is refused with a sample of a valid one`(text: String, zone: String, other: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let word = try #require(MomentWord(text))
        #expect { try word.moment(now: now, in: zone) } throws: {
            "\($0)".hasSuffix("skipped that time; such as: --at \"\(other) 12:00\"")
        }
        #expect(try MomentWord("\(other) 12:00")?.moment(now: now, in: zone).day.description == other)
    }

    @Test(arguments: ["0001-01-01", "1500-01-01", "1899-12-31", "2126-11-20", "2026-11-23"])
    func `a day that is too far away is refused with the range of allowed days`(day: String) throws {
        let word = try #require(MomentWord("\(day) 8:15"))
        let answer = "\(day) is too far away for a meal: use a day between 1900 and tomorrow, such as: --at \"2026-11-21 08:15\""
        #expect(throws: UsageError(answer)) { try word.moment(now: now, in: zone) }
    }

    @Test(arguments: ["1900-01-01", "2026-11-22"])
    func `the first and the last allowed day are accepted`(day: String) throws {
        #expect(try MomentWord("\(day) 08:15")?.moment(now: now, in: zone).day.description == day)
    }
}

@Suite(.timeLimit(.minutes(5))) struct DiaryCommandTests {
    private func invocation(_ words: String...) throws -> Invocation {
        guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { throw UsageError("a request for help") }
        return try Invocation(arguments)
    }

    @Test func `every sample of the help is a valid call`() throws {
        for name in DiaryGrammar.grammar.commandNames {
            let help = HelpText(DiaryGrammar.grammar, width: 200).lines(about: name).map(\.text)
            let samples = help.drop { $0 != "Such as" }.dropFirst().map { Self.words($0.trimmingCharacters(in: .whitespaces)) }
            #expect(!samples.isEmpty)
            for sample in samples {
                guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(Array(sample.dropFirst())) else { continue }
                _ = try Invocation(arguments)
            }
        }
    }

    @Test func `options are passed to their command`() throws {
        let call = try invocation("--db", "x.db", "search", "oat", "flakes", "--category", "grain", "--json", "-n", "5", "--color", "never")
        guard case .search("oat flakes", .grain, 5) = call.command else { throw UsageError("\(call.command)") }
        guard case .search(_, .grain, _) = try invocation("search", "oat", "--category", "Grain").command else { throw UsageError("Grain") }
        #expect(call.database == "x.db" && call.isJSON && call.color == .never)
    }

    @Test func `the live screen is inspected only with --inspect`() throws {
        guard case .watch(isInspected: false) = try invocation("watch").command else { throw UsageError("watch") }
        guard case .watch(isInspected: true) = try invocation("watch", "--inspect").command else { throw UsageError("--inspect") }
    }

    @Test func `an export to standard output is JSON with --json, and CSV without`() throws {
        guard case .exporting("-", .entries, .json, _) = try invocation("export", "-", "--kind", "entries", "--json").command,
            case .exporting("-", .entries, .csv, let wish) = try invocation("export", "-", "--kind", "entries").command
        else { throw UsageError("another format") }
        #expect(!wish.forSpreadsheets && !wish.replaces)
    }

    @Test(arguments: [
        ([], FoodDay.range.lowerBound.description, FoodDay.range.upperBound.description),
        (["--from", "2026-11-01"], "2026-11-01", FoodDay.range.upperBound.description),
        (["--to", "2026-11-01"], FoodDay.range.lowerBound.description, "2026-11-01"),
        (["--from", "yesterday", "--to", "today"], "2026-11-20", "2026-11-21"),
    ])
    func `an export without --from or --to is unlimited on that side`(words: [String], first: String, last: String) throws {
        guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(["export", "a.csv", "--kind", "entries"] + words),
            case .exporting(_, _, _, let wish) = try Invocation(arguments).command
        else { throw UsageError("no export") }
        let days = try wish.days(today: try #require(FoodDay("2026-11-21")))
        #expect(days.lowerBound.description == first && days.upperBound.description == last)
    }

    @Test func `an export whose first day comes after its last day is refused`() throws {
        guard
            case .exporting(_, _, _, let wish) = try invocation(
                "export",
                "a.csv",
                "--kind",
                "entries",
                "--from",
                "2026-02-01",
                "--to",
                "2026-01-01"
            ).command
        else { throw UsageError("no export") }
        #expect(throws: UsageError("2026-02-01 comes after 2026-01-01; such as: --from 2026-01-01 --to 2026-02-01")) {
            try wish.days(today: FoodDay(number: 20_778))
        }
    }

    @Test(arguments: [
        (["edit", "12"], "edit needs at least one change, such as: food-diary edit 12 --amount 80g"),
        (
            ["log", "cake", "100g", "--fat", "3"],
            "Protein, carbohydrates and fat also need the energy, such as: --kcal 250 --protein 8"
        ),
        (
            ["export", "-", "--kind", "entries", "--format", "csv", "--json"],
            "--json and --format csv contradict each other; such as: food-diary export - --kind entries --json"
        ),
        (
            ["export", "a.json", "--kind", "entries", "--spreadsheet"],
            "--spreadsheet is for CSV; such as: food-diary export foods.csv --kind entries --spreadsheet"
        ),
        (["report"], "report needs a file for the page, such as: food-diary report --html report.html"),
        (
            ["trends", "--from", "2026-01-01", "--days", "3"],
            "--from and --days exclude each other; use one of them, such as: trends --days 30"
        ),
        (["import", "a.csv"], "Does the file contain entries or ingredients? Use: food-diary import a.csv --kind entries"),
        (
            ["export", "foods", "--kind", "entries"],
            "foods has no known format; use: food-diary export foods --kind entries --format csv"
        ),
    ])
    func `an incomplete or contradictory call is refused with a sample of a valid one`(words: [String], answer: String) throws {
        guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { return }
        #expect(throws: UsageError(answer)) { try Invocation(arguments) }
    }

    /// Splits a command line into words as a shell does.
    private static func words(_ line: String) -> [String] {
        var words = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }
}
