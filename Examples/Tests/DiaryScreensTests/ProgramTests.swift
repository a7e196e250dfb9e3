import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKit
import Terminal
import Testing

@testable import DiaryScreens

/// A program over a diary in memory, with a stopped clock, and its recorded output.
struct Stage: Sendable {
    let program: DiaryProgram
    let diary: FoodDiary
    private let written: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    /// 21 November 2026, 13:00 in Berlin.
    static let now = Date(timeIntervalSince1970: 1_795_262_400)

    init(isJSON: Bool = false, repositories: (FoodDiaryRepositories) -> FoodDiaryRepositories = { $0 }) async throws {
        let memory = InMemoryFoodDiary()
        for (name, aliases, kilocalories) in [
            ("Rye bread", ["Roggenbrot"], 240.0), ("Rye crispbread", [], 320), ("Butter", [], 740), ("Apple", ["Apfel"], 52),
        ] {
            _ = try await memory.save(
                .init(
                    name: name,
                    aliases: aliases,
                    nutrients: Nutrients(kilocalories: kilocalories, protein: 8),
                    portions: name == "Rye bread" ? [.init("slice", grams: 40)] : []
                ),
                as: nil,
                correctingHistory: false
            )
        }
        var context = QueryContext()
        context.clock = ManualClock(date: Self.now)
        context.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        diary = FoodDiary(
            repositories(FoodDiaryRepositories(memory)),
            context: context,
            configuration: FoodDiary.configuration(.isolated)
        )
        diary.client.connect(to: memory)
        let (written, continuation) = AsyncStream.makeStream(of: String.self)
        (self.written, self.continuation) = (written, continuation)
        let console = Console(isJSON: isJSON, output: { continuation.yield($0) }, remarks: { continuation.yield("! \($0)") })
        program = DiaryProgram(diary, console: console)
    }

    /// Runs a command line, as the program itself does.
    func run(_ words: String...) async -> Int32 {
        await Failure.told(on: program.console) { _ in
            guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { throw UsageError("a request for help") }
            return try await program.run(try Invocation(arguments).command)
        }
    }

    /// The output so far. Nothing can be written after this call.
    func output() async -> String {
        continuation.finish()
        return await written.reduce(into: "") { $0 += $1 }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    @Test func `food logged in portions is shown in today with its weight and the ingredient's nutrients`() async throws {
        let stage = try await Stage()
        #expect(await stage.run("log", "rye bread", "2", "slices", "--at", "08:15") == 0)
        #expect(await stage.run("today") == 0)
        let output = await stage.output()
        #expect(output.hasPrefix("Logged #1 Rye bread, 80 g, 192 kcal, 21 Nov 08:15\n"))
        #expect(output.contains("1  08:15  Rye bread    80 g   192"))
    }

    @Test func `an alias is reported with its ingredient, and an ambiguous name is not logged`() async throws {
        let stage = try await Stage()
        #expect(await stage.run("log", "roggenbrot", "60g") == 0)
        #expect(await stage.run("log", "rye", "60g") == 1)
        #expect(try await stage.diary.todayEntries.count == 1)
        let output = await stage.output()
        #expect(output.contains("! \"roggenbrot\" is logged as Rye bread.\n"))
        #expect(output.contains("! \"rye\" matches several ingredients; choose one, such as: food-diary log \"Rye"))
        #expect(output.contains("Rye crispbread"))
    }

    @Test(arguments: [
        (2, ["log", "rye bread", "2"], "2 of what? Say grams or a portion, such as: \"2 slice\" (slice (40 g), grams)"),
        (1, ["log", "rye bread", "2 bowls"], "Rye bread has no portion \"bowls\"; it knows slice (40 g), grams."),
        (
            1, ["log", "marzipan", "50g"],
            "No ingredient is called \"marzipan\" or similar; give its energy: food-diary log \"marzipan\" 100g --kcal 250"
        ),
        (1, ["log", "marzipan", "2 slices", "--kcal", "90"], "The diary has no portions of marzipan; give its weight, such as: 60g"),
        (2, ["log", "rye bread", "0.0001mg"], "The amount is out of range; an amount must be between 0.1 and 5,000 g."),
        (2, ["log", "rye bread", "0.05g"], "0.05 g is out of range; an amount must be between 0.1 and 5,000 g."),
        (2, ["log", "rye bread", "9kg"], "9,000 g is out of range; an amount must be between 0.1 and 5,000 g."),
    ])
    func `food that can't be logged prints one sentence and ends with code 2 for an invalid amount, 1 for unknown food or portions`(
        code: Int32,
        words: [String],
        answer: String
    ) async throws {
        let stage = try await Stage()
        let ended = await Failure.told(on: stage.program.console) { _ in
            guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { return 0 }
            return try await stage.program.run(try Invocation(arguments).command)
        }
        #expect(ended == code)
        #expect(await stage.output() == "! \(answer)\n")
    }

    @Test func `unknown food is logged with the given nutrients`() async throws {
        let stage = try await Stage()
        #expect(await stage.run("log", "marzipan", "50g", "--kcal", "230", "--confidence", "0.5") == 0)
        let entry = try #require(try await stage.diary.todayEntries.first)
        #expect(entry.ingredientID == nil && entry.nutrients.kilocalories == 230 && entry.confidence == 0.5)
    }

    @Test func `an edit changes only the given parts, and scales the nutrients with the amount`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "rye bread", "80g")
        #expect(await stage.run("edit", "1", "--amount", "1 slice", "--yes") == 0)
        #expect(try await stage.diary.refreshTodayEntries().first?.nutrients.kilocalories == 96)
        #expect(await stage.run("edit", "1", "--name", "butter", "--at", "2026-11-20 07:30", "--yes") == 0)
        let entry = try #require(try await stage.diary.fetchRecentEntries(limit: 1).first)
        #expect(entry.name == "Butter" && entry.grams == 40 && entry.nutrients.kilocalories == 296 && entry.day.description == "2026-11-20")
    }

    @Test func `changing an amount and changing it back restores the nutrients`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "rye bread", "97g")
        let logged = try await stage.diary.refreshTodayEntries()
        for amount in ["0.17g", "97g"] { #expect(await stage.run("edit", "1", "--amount", amount, "--yes") == 0) }
        #expect(try await stage.diary.refreshTodayEntries().map(\.nutrients) == logged.map(\.nutrients))
        // Nutrients given by the user are scaled with the amount.
        #expect(await stage.run("edit", "1", "--kcal", "100", "--yes") == 0)
        #expect(await stage.run("edit", "1", "--amount", "48.5g", "--yes") == 0)
        #expect(try await stage.diary.refreshTodayEntries().map(\.nutrients.kilocalories) == [50])
    }

    @Test func `generated entries of today are in the past, so that the next logged entry comes first`() async throws {
        let stage = try await Stage()
        #expect(await stage.run("seed", "--days", "3", "--ingredients", "50", "--per-day", "60") == 0)
        let newest = try #require(try await stage.diary.fetchRecentEntries(limit: 1).first)
        #expect(newest.day.description == "2026-11-21" && newest.moment.date <= Stage.now)
        _ = await stage.run("log", "apple", "150g")
        #expect(try await stage.diary.refreshTodayEntries().first?.name == "Apple")
    }

    @Test func `without a terminal nothing is changed or deleted unless --yes is given`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "butter", "10g")
        #expect(await stage.run("delete", "1") == 2)
        #expect(await stage.run("edit", "1", "--amount", "20g") == 2)
        #expect(try await stage.diary.refreshTodayEntries().map(\.grams) == [10])
        #expect(await stage.run("delete", "1", "--yes") == 0)
        #expect(await stage.run("delete", "1", "--yes") == 1)
        let output = await stage.output()
        #expect(
            output.contains(
                "! Delete #1 Butter, 10 g, 74 kcal, 21 Nov 13:00? There is no terminal to ask; use: food-diary delete 1 --yes\n"
            )
        )
        #expect(output.hasSuffix("! There is no entry 1; the numbers are in the first column of: food-diary today\n"))
    }

    @Test(arguments: [
        ["today"], ["today", "--day", "yesterday"], ["search", "rye"], ["month"], ["trends"], ["stats"], ["snapshot"], ["doctor"],
    ])
    func `each command can print JSON`(words: [String]) async throws {
        let stage = try await Stage(isJSON: true)
        _ = await stage.run("log", "apple", "150g")
        guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { return }
        #expect(try await stage.program.run(try Invocation(arguments).command) == 0)
        let output = await stage.output()
        let objects = output.components(separatedBy: "\n}\n").dropLast().map { "\($0)\n}" }
        #expect(objects.count == 2)
        for object in objects { #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(object.utf8)) } }
    }

    @Test(arguments: [["today"], ["trends"], ["stats"], ["month"], ["doctor"]])
    func `the JSON of an empty diary has the same names as that of a full one`(words: [String]) async throws {
        let (empty, full) = (try await Stage(isJSON: true), try await Stage(isJSON: true))
        _ = try await full.diary.client.mutate(LogFood(), with: LogMeal(full.diary).draft(FoodWords(["apple", "150g"]), .none))
        var names: [Set<String>] = []
        for stage in [empty, full] {
            guard case .arguments(let arguments) = try DiaryGrammar.grammar.read(words) else { return }
            _ = try await stage.program.run(try Invocation(arguments).command)
            let object = try JSONSerialization.jsonObject(with: Data(await stage.output().utf8)) as? [String: Any]
            names.append(Set(try #require(object).keys))
            let total = object?["total"] as? [String: Any]
            #expect(total == nil || total?["averageConfidence"] != nil)
        }
        #expect(names[0] == names[1])
    }

    @Test func `in JSON a failure is one remark that contains the candidates, and there is no output`() async throws {
        let stage = try await Stage(isJSON: true)
        #expect(await stage.run("log", "rye", "60g") == 1)
        let told = try #require(await stage.output().split(separator: "! ").first)
        struct Answer: Decodable {
            struct Told: Decodable {
                struct Candidate: Decodable { let id: Int64, name: String }
                let code: Int, message: String, candidates: [Candidate]
            }
            let error: Told
        }
        let error = try JSONDecoder().decode(Answer.self, from: Data(told.utf8)).error
        #expect(error.code == 1 && error.message.hasPrefix("\"rye\" matches several") && told.count { $0 == "\n" } == 1)
        #expect(Set(error.candidates.map(\.name)) == ["Rye bread", "Rye crispbread"] && error.candidates.allSatisfy { $0.id > 0 })
    }

    @Test func `the JSON of the doctor contains the checked days`() async throws {
        let stage = try await Stage(isJSON: true)
        _ = await stage.run("log", "apple", "150g")
        _ = await stage.run("doctor")
        #expect(await stage.output().contains("\"days\" : {\n    \"first\" : \"2026-11-21\",\n    \"last\" : \"2026-11-21\"\n  }"))
    }

    @Test func `the ingredient of unknown food is null in JSON`() async throws {
        let stage = try await Stage(isJSON: true)
        _ = await stage.run("log", "marzipan", "50g", "--kcal", "230")
        #expect(await stage.output().contains("\"ingredient\" : null"))
    }

    @Test func `a weight is shown as it was typed`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "rye bread", "60.5g")
        _ = await stage.run("today")
        let output = await stage.output()
        #expect(output.hasPrefix("Logged #1 Rye bread, 60.5 g, ") && output.contains("Rye bread  60.5 g"))
    }

    @Test func `an entry of another year is shown with its year`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "apple", "150g", "--at", "2025-11-20 08:15")
        #expect(await stage.output() == "Logged #1 Apple, 150 g, 78 kcal, 20 Nov 2025 08:15\n")
    }

    @Test func `too many days and a report that can't be written are refused with one sentence each`() async throws {
        let stage = try await Stage()
        #expect(await stage.run("trends", "--from", "1900-01-01", "--to", "2026-01-01") == 2)
        #expect(await stage.run("report", "--html", "/nowhere/at/all.html") == 1)
        let output = await stage.output()
        #expect(
            output == """
                ! 46,022 days are too many for one screen; use at most ten years, such as: --from 2016-01-02 --to 2026-01-01
                ! There is no folder /nowhere/at/. Nothing was written; create it, or choose another folder.

                """
        )
    }

    @Test func `a search in a diary without ingredients explains why it finds nothing`() async throws {
        let stage = try await Stage { _ in FoodDiaryRepositories(InMemoryFoodDiary()) }
        #expect(await stage.run("search", "oat") == 0)
        #expect(await stage.run("eval-search", "--mine") == 2)
        let output = await stage.output()
        #expect(output.contains("! The diary has no ingredients yet; import some with: food-diary import foods.csv --kind ingredients\n"))
        #expect(output.hasSuffix("for made-up ones use: food-diary eval-search\n"))
        let full = try await Stage()
        _ = await full.run("search", "xyzzy")
        #expect(await full.output() == "No ingredient is called \"xyzzy\" or similar.\n")
    }

    @Test func `arguments that are empty or contain only spaces are refused`() async throws {
        let stage = try await Stage()
        for words in [["search", " "], ["context", ""], ["log", "", "60g"]] {
            #expect(throws: UsageError.self) { try DiaryGrammar.grammar.read(words) }
        }
        #expect(await stage.output().isEmpty)
    }

    @Test func `the doctor reports a wrong total and the command that repairs it`() async throws {
        let stage = try await Stage { repositories in
            var repositories = repositories
            repositories.totals = ForgetfulTotals(base: repositories.totals)
            return repositories
        }
        _ = await stage.run("log", "apple", "150g")
        #expect(await stage.run("doctor") == 1)
        let output = await stage.output()
        #expect(output.contains("Totals   wrong on 1 day; repair with: food-diary doctor --repair"))
        #expect(output.contains("Search   right"))
    }

    @Test func `a repair rebuilds everything even if nothing is wrong, and says so`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "apple", "150g")
        #expect(await stage.run("doctor", "--repair") == 0)
        let output = await stage.output()
        for name in ["Totals", "Hours ", "Uses  ", "Search"] { #expect(output.contains("\(name)   right, rebuilt")) }
    }

    @Test func `a failure of the diary prints one line and ends with code 1`() async throws {
        let stage = try await Stage { repositories in
            var repositories = repositories
            repositories.totals = BrokenTotals()
            return repositories
        }
        #expect(await stage.run("month") == 1)
        #expect(await stage.output() == "! The disk is gone.\n")
    }

    @Test func `a report of the logged food is written to a file`() async throws {
        let stage = try await Stage()
        _ = await stage.run("log", "apple", "150g")
        let url = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString).html")
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(await stage.run("report", "--html", url.path, "--days", "7") == 0)
        #expect(try String(contentsOf: url, encoding: .utf8).contains("Apple"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct DayViewModelTests {
    @Test func `the screen shows each logged entry, and never entries with a total that doesn't match`() async throws {
        let stage = try await Stage()
        let days = DayViewModel(stage.diary.client).days()
        var shown: [[Int]] = []
        for await day in days {
            guard let screen = day.screen, screen.entries.allSatisfy({ !$0.isProvisional }) else { continue }
            #expect(screen.entries.count == screen.total.entryCount)
            if shown.last != [screen.entries.count] { shown.append([screen.entries.count]) }
            if screen.entries.count == 2 { break }
            _ = await stage.run("log", "apple", "150g")
        }
        #expect(shown == [[0], [1], [2]])
    }

    @Test func `entries and total match while other tasks write`() async throws {
        let stage = try await Stage()
        let repositories = try #require(stage.diary.client.context.foodDiary)
        let days = DayViewModel(stage.diary.client).days()
        let writing = Task {
            for _ in 0..<100 {
                _ = try await repositories.entries.add(
                    FoodEntry.Draft(
                        name: "Tea",
                        grams: 100,
                        nutrients: Nutrients(kilocalories: 2),
                        at: FoodMoment(Stage.now, in: stage.diary.client.context.timeZone)
                    )
                )
            }
        }
        for await day in days {
            guard let screen = day.screen else { continue }
            #expect(screen.entries.count == screen.total.entryCount)
            if screen.entries.count == 100 { break }
        }
        try await writing.value
    }

    @Test func `if the first read fails, the error is shown without a screen`() async throws {
        let stage = try await Stage { repositories in
            var repositories = repositories
            repositories.totals = BrokenTotals()
            return repositories
        }
        let model = DayViewModel(stage.diary.client)
        for await day in model.days() where day.failure != nil {
            #expect(day.failure == "The disk is gone." && day.screen == nil)
            break
        }
    }
}

private struct BrokenTotals: DailyTotalRepository {
    private static let error = FoodDiaryError(.notFound, "The disk is gone.")

    func total(on day: FoodDay) async throws -> DailyTotal { throw Self.error }
    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] { throw Self.error }
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] { throw Self.error }
    func check() async throws -> FoodDiaryCheck { throw Self.error }
    func rebuild() async throws { throw Self.error }
}

/// Returns totals without nutrients, and reports that the first day is wrong.
private struct ForgetfulTotals: DailyTotalRepository {
    let base: any DailyTotalRepository

    func total(on day: FoodDay) async throws -> DailyTotal { .empty(day) }
    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await base.totals(in: days, limit: limit).map {
            DailyTotal(day: $0.day, entryCount: $0.entryCount, nutrients: .zero, averageConfidence: 1)
        }
    }
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] { try await base.recalculate(in: days) }
    func check() async throws -> FoodDiaryCheck {
        let days = try await base.check().days
        return FoodDiaryCheck(days: days, totals: days.map { [$0.lowerBound] } ?? [])
    }
    func rebuild() async throws {}
}
