import FoodDiaryKit
import Foundation
import QueryKit
import Terminal
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct DiaryScreenTests {
    private static let day = FoodDay(number: 20_778)

    private static func entry(_ id: Int64, _ name: String, _ grams: Double, _ kilocalories: Double, hour: Double) -> FoodEntry {
        FoodEntry(
            id: .init(rawValue: id),
            name: name,
            ingredientID: nil,
            grams: grams,
            nutrients: Nutrients(kilocalories: kilocalories, protein: 10, carbohydrates: 20, fat: 5),
            moment: FoodMoment(day.start(in: .gmt).addingTimeInterval(hour * 3600), in: .gmt),
            confidence: id == 2 ? 0.8 : 1
        )
    }

    private static let entries = [
        entry(3, "味噌汁", 250, 84, hour: 19.5), entry(2, "Lentil soup with carrots and leek", 350, 385, hour: 12.25),
    ]
    private static let total = DailyTotal(
        day: day,
        entryCount: 2,
        nutrients: entries[0].nutrients + entries[1].nutrients,
        averageConfidence: 0.9
    )
    private static let screen = DayScreen(day: day, entries: entries, total: total)

    @Test func `a day shows its entries and their total`() {
        #expect(
            Self.screen.lines(width: 80).map(\.text) == [
                "Saturday, 21 November 2026                                  469 kcal · 2 entries",
                "███████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒",
                "█ Protein 20 g   ▓ Carbs 40 g   ▒ Fat 10 g",
                "",
                "#  Time   Food                           Amount  kcal  Protein  Carbs  Fat  Sure",
                "3  19:30  味噌汁                          250 g    84     10 g   20 g  5 g",
                "2  12:15  Lentil soup with carrots and…   350 g   385     10 g   20 g  5 g  80 %",
            ]
        )
    }

    @Test func `a narrow terminal shows only the necessary columns`() {
        #expect(
            Self.screen.lines(width: 40).map(\.text) == [
                "Saturday, 21 November 2026", "469 kcal · 2 entries", "███████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒",
                "█ Protein 20 g   ▓ Carbs 40 g", "▒ Fat 10 g", "", "#  Time   Food              Amount  kcal",
                "3  19:30  味噌汁             250 g    84",
                "2  12:15  Lentil soup wit…   350 g   385",
            ]
        )
    }

    @Test func `a day without entries shows how to log one`() {
        let lines = DayScreen(day: Self.day, entries: [], total: .empty(Self.day)).lines(width: 80).map(\.text)
        #expect(lines.last == "Nothing was logged. To log something: food-diary log \"rye bread\" 60g")
    }

    @Test(arguments: [FoodWeekday.monday, .sunday]) func `the weeks of a month begin on the chosen weekday`(start: FoodWeekday) throws {
        let month = try #require(FoodMonth(year: 2026, month: 11))
        let lines = MonthScreen(month: month, totals: [Self.total], today: Self.day, weekStart: start).lines(width: 40).map(\.text)
        #expect(lines[0] == "November 2026     469 kcal a day · 1 day")
        #expect(lines[2] == (start == .monday ? "  Mo   Tu   We   Th   Fr   Sa   Su" : "  Su   Mo   Tu   We   Th   Fr   Sa"))
        // 1 November 2026 is a Sunday.
        #expect(lines[3].trimmingCharacters(in: .whitespaces).hasPrefix("1"))
        #expect(lines[3].hasPrefix("  1") == (start == .sunday))
    }

    @Test(arguments: [40, 41, 60, 80, 120, 200]) func `no screen is wider than the terminal`(width: Int) throws {
        let days = Self.day.advanced(by: -400)...Self.day
        let totals = days.filter { $0.number % 5 != 0 }.map {
            DailyTotal(
                day: $0,
                entryCount: 3,
                nutrients: Nutrients(kilocalories: Double($0.number % 3000), protein: 1),
                averageConfidence: 1
            )
        }
        let most = [
            IngredientConsumption(
                id: .init(rawValue: 1),
                name: String(repeating: "味", count: 90),
                entryCount: 3,
                grams: 1e6,
                kilocalories: 1
            )
        ]
        let food = Ingredient(
            id: .init(rawValue: 1),
            .init(name: String(repeating: "long ", count: 30), aliases: ["味噌汁"], nutrients: .zero, portions: [.init("bowl", grams: 250)])
        )
        let screens: [any TextScreen] = [
            Self.screen, MonthScreen(month: FoodMonth(Self.day), totals: totals, today: Self.day),
            TrendsScreen(
                days: days,
                totals: totals,
                averageEnergy: 2000,
                averageMacros: .init(protein: 1, carbohydrates: 2, fat: 3),
                most: most
            ), TrendsScreen(days: days, totals: [], averageEnergy: nil, averageMacros: nil, most: []),
            StatsScreen(days: days, entryCount: 12, averageConfidence: nil, hours: Array(0..<24)),
            SearchScreen(typed: "long", found: [food]),
            SearchScreen(typed: String(repeating: "nothing ", count: 20), found: []),
        ]
        for screen in screens {
            for line in screen.lines(width: width) { #expect(line.width <= width, "\(type(of: screen)): \(line.text)") }
        }
    }

    @Test func `the trends of one day have no chart`() throws {
        let day = FoodDay(number: 20_778)
        let nutrients = Nutrients(kilocalories: 4_200, protein: 100, carbohydrates: 400, fat: 100)
        let lines = TrendsScreen(
            days: day...day,
            totals: [DailyTotal(day: day, entryCount: 1, nutrients: nutrients, averageConfidence: 1)],
            averageEnergy: 4_200,
            averageMacros: nutrients.macronutrients,
            most: []
        ).lines(width: 80).map(\.text)
        #expect(lines.first?.hasSuffix("4,200 kcal a day on average") == true && lines.count == 5)
        #expect(!lines.contains { $0.contains("┤") })
    }

    @Test(arguments: [
        (QueryCause.manual, "it was requested"), (.invalidated("diary/entries"), "this process changed it"),
        (.optimistic, "this process changed it"), (.otherProcess, "another process wrote"),
        (.trigger("network"), "a trigger fired: network"),
    ])
    func `a cause is shown in plain words`(cause: QueryCause, sentence: String) { #expect(CauseText.sentence(cause) == sentence) }

    @Test func `a live screen always shows its last line, and how many lines are hidden below`() {
        let day = LiveDay(screen: Self.screen, isRefreshing: false, failure: nil, cause: "another process wrote: entries", updatedAt: nil)
        let small = TerminalSize(columns: 60, rows: 7)
        let lines = WatchScreen(day, timeZone: .gmt).lines(in: small).map(\.text)
        #expect(lines.count == 7)
        #expect(lines[4] == "… 3 lines below")
        #expect(lines.last == "q quits  another process wrote: entries")
        #expect(WatchScreen(day, timeZone: .gmt).scrollLimit(in: small) == 2)
        #expect(WatchScreen(day, timeZone: .gmt, offset: 9).lines(in: small).map(\.text)[4].hasPrefix("2  12:15"))
        #expect(WatchScreen(day, timeZone: .gmt).lines(in: TerminalSize(columns: 60, rows: 24)).count == 24)
    }

    @Test(arguments: [5, 7, 24]) func `a live screen shows the address of its inspector at each size and in each state`(rows: Int) {
        let size = TerminalSize(columns: 60, rows: rows)
        let day = LiveDay(screen: Self.screen, isRefreshing: false, failure: nil, cause: "", updatedAt: nil)
        let address = URL(string: "http://127.0.0.1:50123/?token=secret")
        let empty = WatchScreen(.empty, timeZone: .gmt, inspector: address)
        for screen in [empty, empty.showing(day), empty.showing(day).scrolled(to: 2)] {
            let lines = screen.lines(in: size).map(\.text)
            #expect(lines.count == rows)
            #expect(lines.dropLast().last == "Inspector: http://127.0.0.1:50123/?token=secret")
        }
    }
}
