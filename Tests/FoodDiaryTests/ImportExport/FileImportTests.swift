import Foundation
import QueryKit
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct FileImportTests {
    private let folder: ExchangeFolder
    private let diary = InMemoryFoodDiary()

    init() throws { folder = try ExchangeFolder() }

    private func ingredients() async throws -> [Ingredient] { try await diary.ingredients(after: nil, limit: 1000) }

    @Test func `an entry outside of the accepted days is reported by line and date, and nothing is imported`() async throws {
        let (first, last) = (try #require(FoodDay("1900-01-01")), try #require(FoodDay("2026-11-22")))
        let lines = ["2026-11-22", "1900-01-01", "2026-11-23", "1899-12-31"].map { "\($0)T08:00:00Z,rice,100,130\n" }
        let file = try folder.file("a.csv", "date,name,grams,kilocalories\n" + lines.joined())
        let expected = ["2026-11-23", "1899-12-31"].enumerated().map { index, day in
            "line \(index + 4): date: \(day) is too far away for a meal: use a day between 1900-01-01 and 2026-11-22."
        }
        let diary = InMemoryFoodDiary()
        let check = try await file.checkEntries(for: diary, on: first...last)
        #expect(check.lines == expected && check.problemCount == 2)
        await #expect(throws: FoodDiaryError(.format, (["Nothing of a.csv was imported."] + expected).joined(separator: "\n"))) {
            try await file.importEntries(into: diary, on: first...last)
        }
        #expect(try await diary.recentEntries(limit: 9).isEmpty)
        let rest = try folder.file("b.csv", "date,name,grams,kilocalories\n" + lines.prefix(2).joined())
        #expect(try await rest.importEntries(into: diary, on: first...last).addedCount == 2)
        // Without such days all are accepted.
        #expect(try await file.importEntries(into: diary).addedCount == 2)
    }

    @Test func `ingredients are read from CSV with columns in any order`() async throws {
        let file = try folder.file(
            "a.csv",
            #"""
            KCAL , name,Colour,portions,category,fat,aliases
            52,Apple,red,slice=20;half\=piece=90.5,fruit,0.2,Apfel;pomme\;de\\terre
            884,"Olive ""oil""",,,fat,100,

            """#
        )
        let outcome = try await file.importIngredients(into: diary)
        #expect((outcome.rowCount, outcome.addedCount, outcome.knownCount, outcome.problemCount) == (2, 2, 0, 0))
        #expect(outcome.ignoredColumns == ["colour"])
        let found = try await ingredients()
        #expect(
            found.map(\.draft) == [
                Ingredient.Draft(
                    name: "Apple",
                    aliases: ["Apfel", "pomme;de\\terre"],
                    category: .fruit,
                    nutrients: Nutrients(kilocalories: 52, fat: 0.2),
                    portions: [Ingredient.Portion("slice", grams: 20), Ingredient.Portion("half=piece", grams: 90.5)]
                ),
                Ingredient.Draft(name: "Olive \"oil\"", category: .fat, nutrients: Nutrients(kilocalories: 884, fat: 100)),
            ]
        )
    }

    @Test func `known ingredients are counted and replaced`() async throws {
        _ = try await diary.save(Ingredient.Draft(name: "APPLE", nutrients: Nutrients(kilocalories: 1)), as: nil, correctingHistory: false)
        let file = try folder.file("a.csv", "name,kilocalories\nApple,52\nPear,57\n")
        let check = try await file.checkIngredients(for: diary)
        #expect((check.rowCount, check.addedCount, check.knownCount) == (2, 1, 1))
        #expect(try await ingredients().map(\.name) == ["APPLE"])
        #expect(try await file.importIngredients(into: diary) == check)
        #expect(try await ingredients().map(\.name) == ["Apple", "Pear"])
    }

    @Test(arguments: DiaryKind.allCases)
    func `a known ingredient keeps what the file has no column for`(_ kind: DiaryKind) async throws {
        let diary = try await kind.make()
        let apple = Ingredient.Draft(
            name: "Apple",
            aliases: ["Apfel"],
            category: .fruit,
            nutrients: Nutrients(kilocalories: 52, protein: 0.3, carbohydrates: 14, fat: 0.2, fiber: 2.4, sugar: 10, salt: 0.01),
            portions: [Ingredient.Portion("piece", grams: 150)]
        )
        func imported(_ name: String, _ text: String) async throws -> Ingredient.Draft? {
            _ = try await diary.save(apple, as: Ingredient.ID(rawValue: 1))
            try await folder.file(name, text).importIngredients(into: diary.ingredients)
            return try await diary.ingredients.ingredients([Ingredient.ID(rawValue: 1)]).first?.draft
        }
        _ = try await diary.save(apple)
        var expected = apple
        expected.nutrients = Nutrients(kilocalories: 50, protein: 0.3, carbohydrates: 14, fat: 0.2, fiber: 2.4, sugar: 10, salt: 0.01)
        #expect(try await imported("a.csv", "name,kcal\nApple,50\n") == expected)
        #expect(try await imported("a.json", #"[{"name": "Apple", "nutrients": {"kilocalories": 50}}]"#) == expected)
        (expected.aliases, expected.portions, expected.nutrients.thousandths.fat) = ([], [], 100)
        #expect(try await imported("b.csv", "name,kcal,aliases,portions,fat\nApple,50,,,0.1\n") == expected)
        let object = #"{"name": "Apple", "aliases": [], "portions": [], "nutrients": {"kilocalories": 50, "fat": 0.1}}"#
        #expect(try await imported("b.jsonl", object) == expected)
        // A column that exists but is empty clears the value.
        let all = "name,aliases,category,kcal,protein,carbohydrates,fat,fiber,sugar,salt,portions\nApple,,,50,,,,,,,\n"
        #expect(try await imported("c.csv", all) == Ingredient.Draft(name: "Apple", nutrients: Nutrients(kilocalories: 50)))
        // A new ingredient has nothing to keep.
        try await folder.file("d.csv", "name,kcal\nPear,57\n").importIngredients(into: diary.ingredients)
        let pear = try await diary.ingredients.ingredients(after: Ingredient.ID(rawValue: 1), limit: 1).first?.draft
        #expect(pear == Ingredient.Draft(name: "Pear", nutrients: Nutrients(kilocalories: 57)))
    }

    @Test func `all problems are reported with their lines, and nothing is imported`() async throws {
        let file = try folder.file(
            "a.csv",
            """
            name,kilocalories,fat,portions
            Good,100,1,
            Bad,abc,1,
            Bad,nan,1,
            Bad,0x10,1,
            Bad,inf,1,
            Bad,"1,5",1,
            Bad,,1,
            Bad,-5,1,
            Bad,901,1,
            Bad,100,101,
            ,100,1,
            Bad,100
            Bad,100,1,,
            "Bad"x,100,1,
            Bad,100,1,slice
            Bad,100,1,slice=30=1
            Bad,100,1,slice=9000
            "Two
            lines",100,1,
            GOOD,100,1,
            """
        )
        let check = try await file.checkIngredients(for: diary)
        #expect((check.rowCount, check.problemCount) == (3, 17))
        #expect(
            check.lines == [
                "line 3: kilocalories: 'abc' is not a number.", "line 4: kilocalories: 'nan' is not a number.",
                "line 5: kilocalories: '0x10' is not a number.",
                "line 6: kilocalories: 'inf' is not a number.",
                "line 7: kilocalories: '1,5' is not a number: write a point instead of a comma.",
                "line 8: kilocalories: A number is missing.",
                "line 9: Bad: kilocalories is -5.0, but an amount can't be negative.",
                "line 10: Bad: 901.0 kcal in 100.0 g; no food has more than 900 kcal in 100 g.",
                "line 11: Bad: 101.0 g of fat in 100.0 g; a nutrient can't weigh more than the food.",
                "line 12: An ingredient needs a name.", "line 13: The row has 2 fields rather than 4.",
                "line 14: The row has 5 fields rather than 4.",
                "line 15: A quoted field must be followed by a comma or the end of the line.",
                "line 16: portions: 'slice' is not a portion: write slice=30, with a semicolon between two portions.",
                "line 17: portions: 'slice=30=1' is not a portion: write slice=30, with a semicolon between two portions.",
                "line 18: Bad, slice: 9000.0 g is out of range; an amount must be between 0.1 and 5000 g.",
                "line 21: name: GOOD is already on line 2.",
            ]
        )
        let error = await #expect(throws: FoodDiaryError.self) { try await file.importIngredients(into: diary) }
        #expect(error?.code == .format)
        #expect(error?.message.hasPrefix("Nothing of a.csv was imported.\nline 3: kilocalories: 'abc' is not a number.\n") == true)
        #expect(try await ingredients().isEmpty)
    }

    @Test func `of many problems the first ones are listed, and the others are counted`() async throws {
        let file = try folder.file("a.csv", "name,kilocalories\n" + String(repeating: "a,b\n", count: 332))
        let check = try await file.checkIngredients(for: diary)
        #expect((check.problems.count, check.problemCount) == (20, 332))
        let error = await #expect(throws: FoodDiaryError.self) { try await file.importIngredients(into: diary) }
        #expect(error?.message.hasSuffix("\nline 21: kilocalories: 'b' is not a number.\nand 312 more") == true)
    }

    @Test(arguments: [
        ("", "line 1: The file is empty; its first line must name the columns."),
        ("\n\n", "line 1: The file is empty; its first line must name the columns."),
        ("name,fat\n", "line 1: There is no column kilocalories."), ("a,b", "line 1: There are no columns name, kilocalories."),
        ("name;kcal\nApple;52", "line 1: There are no columns name, kilocalories. Commas separate columns."),
        ("name,kcal,Kilocalories", "line 1: Two columns are called kilocalories."),
        ("name,kcal\n\"a", "line 2: The quote that begins here is never closed."),
    ])
    func `a file that is not a table has one problem`(_ text: String, _ problem: String) async throws {
        let check = try await folder.file("a.csv", text).checkIngredients(for: diary)
        #expect(check.lines == [problem])
    }

    @Test func `a file with only a header has no rows`() async throws {
        let outcome = try await folder.file("a.csv", "name,kcal").importIngredients(into: diary)
        #expect(outcome == FoodDiaryImport())
        let none = try await folder.file("a.json", "[]").importEntries(into: diary)
        #expect(none == FoodDiaryImport())
    }

    @Test func `text that is not UTF-8 is reported`() async throws {
        let file = try folder.file("a.csv", Data("name,kcal\n".utf8) + Data([0x4D, 0xFC, 0x2C, 0x31, 0x0A]))
        #expect(try await file.checkIngredients(for: diary).lines == ["line 2: name: The text is not in UTF-8."])
    }

    @Test(arguments: [[0xFF, 0xFE, 0x6E, 0x00], [0xFE, 0xFF, 0x00, 0x6E], [0x00, 0x00, 0xFE, 0xFF]] as [[UInt8]])
    func `a file in UTF-16 or UTF-32 is refused with its probable encoding`(_ bytes: [UInt8]) async throws {
        let check = try await folder.file("a.csv", Data(bytes)).checkIngredients(for: diary)
        #expect(check.lines == ["line 1: The text is not in UTF-8, but probably in UTF-16 or UTF-32."])
    }

    @Test func `JSON is read as an array and as lines`() async throws {
        let apple = #"{"name": "Apple", "nutrients": {"kilocalories": 52}, "aliases": ["Apfel"], "colour": "red"}"#
        let pear =
            #"{"portions":[{"name":"piece","grams":150}],"nutrients":{"kilocalories":57,"fat":0.1},"name":"P\u00e9ar","category":"fruit"}"#
        for (name, text) in [("a.json", "[\(apple),\n\(pear)]"), ("b.jsonl", apple + "\n" + pear), ("c.ndjson", apple + pear + "\n")] {
            let diary = InMemoryFoodDiary()
            let outcome = try await folder.file(name, text).importIngredients(into: diary)
            #expect((outcome.addedCount, outcome.ignoredColumns) == (2, ["colour"]))
            let found = try await diary.ingredients(after: nil, limit: 10).map(\.draft)
            #expect(found.map(\.name) == ["Apple", "Péar"])
            #expect(found.first?.aliases == ["Apfel"])
            #expect(found.last?.portions == [Ingredient.Portion("piece", grams: 150)])
        }
    }

    @Test func `problems in JSON are reported with the line of their object`() async throws {
        let file = try folder.file(
            "a.json",
            """
            [{"nutrients": {"kilocalories": 52}},
            {"name": 5, "nutrients": {"kilocalories": 52}},
            {"name": "a", "nutrients": {"kilocalories": "52"}},
            {"name": "a"},
            {"name": "a", "nutrients": {"kilocalories": 5000}},
            {"name": "a", "nutrients": {"kilocalories": NaN}},
            {"name": "a", "nutrients": {"kilocalories": 1}, "aliases": "b"},
            {"name": "a", "name": "b", "nutrients": {"kilocalories": 1}}
            """
        )
        let check = try await file.checkIngredients(for: diary)
        #expect(check.rowCount == 1)
        #expect(
            check.lines.map { $0.replacing(/It is not valid JSON\..*/, with: "It is not valid JSON.") } == [
                "line 1: name: The value is missing.", "line 2: name: It is not a text.",
                "line 3: nutrients.kilocalories: It is not a number.",
                "line 4: nutrients: The value is missing.", "line 5: a: 5000.0 kcal in 100.0 g; no food has more than 900 kcal in 100 g.",
                "line 6: It is not valid JSON.", "line 7: aliases: It is not a list.", "line 8: The file ends before its array does.",
            ]
        )
    }

    @Test func `entries are matched to ingredients by name, if there is one`() async throws {
        let apple = try await diary.save(
            Ingredient.Draft(name: "Apple", nutrients: Nutrients(kilocalories: 52)),
            as: nil,
            correctingHistory: false
        )
        let file = try folder.file(
            "a.csv",
            """
            date,time_zone,name,ingredient,grams,kcal,confidence
            2026-11-21T08:30:00+01:00,Europe/Berlin,Apple,apple,150,78,0.8
            2026-11-21T09:30:00+01:00,Europe/Berlin,Cake,Aunt's cake,100,400,
            """
        )
        #expect(try await file.importEntries(into: diary).addedCount == 2)
        let entries = try await diary.recentEntries(limit: 10)
        #expect(entries.map(\.ingredientID) == [nil, apple.id])
        #expect(entries.map(\.confidence) == [1, 0.8])
        #expect(
            entries.last?.moment
                == FoodMoment(Date(timeIntervalSince1970: 1_795_246_200), in: try #require(TimeZone(identifier: "Europe/Berlin")))
        )
    }

    @Test func `problems of entries are reported`() async throws {
        let file = try folder.file(
            "a.csv",
            """
            date,time_zone,name,grams,kcal,confidence
            2026-02-30T08:30:00Z,,a,1,1,
            2026-02-20T08:30:00,,a,1,1,
            yesterday,,a,1,1,
            2026-02-20T08:30:00Z,Berlin,a,1,1,
            2026-02-20T08:30:00Z,,a,0,1,
            2026-02-20T08:30:00Z,,a,100,1,1.5
            2026-02-20T08:30:00Z,,,100,1,1
            """
        )
        #expect(
            try await file.checkEntries(for: diary).lines == [
                "line 2: date: The date 2026-02-30T08:30:00Z does not exist.",
                "line 3: date: '2026-02-20T08:30:00' has no offset: add one such as +01:00, or Z.",
                "line 4: date: 'yesterday' is not a date: write it as 2026-11-21T08:30:00+01:00.",
                "line 5: time_zone: 'Berlin' is not a time zone: write a name such as Europe/Berlin.",
                "line 6: a: 0.0 g is out of range; an amount must be between 0.1 and 5000 g.",
                "line 7: The confidence in a is 1.5; it must be between 0 and 1.", "line 8: An entry needs a name.",
            ]
        )
        await #expect(throws: FoodDiaryError.self) { try await file.importEntries(into: diary) }
        #expect(try await diary.recentEntries(limit: 1).isEmpty)
    }

    @Test func `entries that the diary already has are left out, and two copies count as two`() async throws {
        let row = "2026-11-21T08:30:00+01:00,a,100,50\n"
        let once = try folder.file("a.csv", "date,name,grams,kcal\n" + row)
        let thrice = try folder.file("b.csv", "date,name,grams,kcal\n" + row + row + row)
        try await once.importEntries(into: diary)
        let check = try await thrice.checkEntries(for: diary)
        #expect((check.rowCount, check.addedCount, check.knownCount) == (3, 2, 1))
        #expect(try await thrice.importEntries(into: diary) == check)
        #expect(try await thrice.importEntries(into: diary).addedCount == 0)
        #expect(try await diary.recentEntries(limit: 10).count == 3)
    }

    @Test func `progress goes from zero to one`() async throws {
        let file = try folder.file(
            "a.csv",
            "date,name,grams,kcal\n" + String(repeating: "2026-11-21T08:30:00+01:00,a,100,50\n", count: 5_000)
        )
        let reported = Lock<[Double]>([])
        try await file.importEntries(into: diary) { done, total in reported.withLock { $0.append(Double(done) / Double(total)) } }
        let steps = reported.withLock { $0 }
        #expect(steps == steps.sorted() && steps.last == 1 && steps.count > 8)
    }

    @Test func `cancelling an import stops it and leaves nothing behind`() async throws {
        let file = try folder.file(
            "a.csv",
            "date,name,grams,kcal\n" + String(repeating: "2026-11-21T08:30:00+01:00,a,100,50\n", count: 5_000)
        )
        for part in [0.1, 0.6] {
            let cancel = Lock<(@Sendable () -> Void)?>(nil)
            let (start, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for await _ in start { break }
                return try await file.importEntries(into: diary) { done, total in
                    if Double(done) / Double(total) > part { cancel.withLock(\.self)?() }
                }
            }
            cancel.withLock { $0 = { task.cancel() } }
            begin.yield()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await diary.recentEntries(limit: 1).isEmpty)
    }

    @Test func `a file that can't be read, or only once, is reported`() async throws {
        let file = try folder.file("none.csv")
        let error = await #expect(throws: FoodDiaryError.self) { try await file.importEntries(into: diary) }
        #expect(error == FoodDiaryError(.file, "There is no file \(file.path). Check its name."))
        let device = try FoodDiaryFile(URL(filePath: "/dev/null"), format: .csv)
        let once = "/dev/null is not a regular file, and can be read only once. Copy its contents to a file, and import that."
        await #expect(throws: FoodDiaryError(.file, once)) { try await device.checkEntries(for: diary) }
        let unknown = "diary.txt has no known format: use a name that ends in .csv, .json or .jsonl."
        #expect(throws: FoodDiaryError(.format, unknown)) { try FoodDiaryFile(URL(filePath: "diary.txt")) }
        #expect(try FoodDiaryFile(URL(filePath: "diary.CSV")).format == .csv)
        #expect(try FoodDiaryFile(URL(filePath: "diary.txt"), format: .json).format == .json)
    }

    @Test func `a file that changes between checking and importing is not imported`() async throws {
        let good = "date,name,grams,kcal\n" + String(repeating: "2026-11-21T08:30:00+01:00,a,100,50\n", count: 3_000)
        let file = try folder.file("a.csv", good)
        let changed = Lock(false)
        let error = await #expect(throws: FoodDiaryError.self) {
            try await file.importEntries(into: diary) { done, total in
                guard done * 2 > total,
                    !changed.withLock({ was in
                        defer { was = true }
                        return was
                    })
                else { return }
                try? Data((good + "2026-11-21T08:30:00+01:00,a,abc,50\n").utf8).write(to: file.url)
            }
        }
        #expect(error?.message == "a.csv was changed while it was read.")
        #expect(try await diary.recentEntries(limit: 1).isEmpty)
    }

    @Test func `a file that becomes shorter during the import is not imported`() async throws {
        let file = try folder.file("a.csv", "name,kcal\n" + (0..<2_000).map { "n\($0),5\n" }.joined())
        let error = await #expect(throws: FoodDiaryError.self) {
            try await file.importIngredients(into: diary) { done, total in
                // Cut at the end of a line, so that the rest can be read.
                if done * 2 >= total { _ = truncate(file.path, 10) }
            }
        }
        #expect(error?.message == "a.csv was changed while it was read.")
        #expect(try await ingredients().isEmpty)
    }
}
