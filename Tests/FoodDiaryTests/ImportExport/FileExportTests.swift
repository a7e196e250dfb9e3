import Foundation
import QueryKit
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples
@testable import QueryKitSQLite

struct FileExportTests {
    private let folder: ExchangeFolder
    private let diary = InMemoryFoodDiary()

    init() throws { folder = try ExchangeFolder() }

    private func fill() async throws {
        let apple = try await diary.save(
            Ingredient.Draft(
                name: "Apple, \"red\"",
                aliases: ["Apfel", "a;b"],
                category: .fruit,
                nutrients: Nutrients(kilocalories: 52, protein: 0.3, carbohydrates: 13.8, fiber: 2.4, sugar: 10.4),
                portions: [Ingredient.Portion("piece", grams: 180)]
            ),
            as: nil,
            correctingHistory: false
        )
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let breakfast = FoodMoment(Date(timeIntervalSince1970: 1_795_246_200), in: zone)
        let cake = FoodEntry.Draft(name: "Cake", grams: 90, nutrients: Nutrients(kilocalories: 300.5), at: breakfast, confidence: 0.5)
        _ = try await diary.add([FoodEntry.Draft(apple, grams: 150, at: breakfast), cake], key: nil)
    }

    @Test func `entries are exported oldest first, and entries at the same time in the order in which they were logged`() async throws {
        try await fill()
        #expect(try await folder.file("a.csv").exportEntries(of: diary, ingredients: diary) == 2)
        #expect(
            try folder.text("a.csv") == #"""
                date,time_zone,name,ingredient,grams,kilocalories,protein,carbohydrates,fat,fiber,sugar,salt,confidence\#r
                2026-11-21T08:30:00+01:00,Europe/Berlin,"Apple, ""red""","Apple, ""red""",150,78,0.45,20.7,0,3.6,15.6,0,1\#r
                2026-11-21T08:30:00+01:00,Europe/Berlin,Cake,,90,300.5,0,0,0,0,0,0,0.5\#r

                """#
        )
        try await folder.file("a.jsonl").exportEntries(of: diary, ingredients: diary)
        #expect(
            try folder.text("a.jsonl").split(separator: "\n").last.map { String($0) } == #"""
                {"date":"2026-11-21T08:30:00+01:00","time_zone":"Europe/Berlin","name":"Cake","grams":90,"nutrients":{"kilocalories":300.5,"protein":0,\#
                "carbohydrates":0,"fat":0,"fiber":0,"sugar":0,"salt":0},"confidence":0.5}
                """#
        )
    }

    @Test func `ingredients are exported`() async throws {
        try await fill()
        #expect(try await folder.file("a.csv").exportIngredients(of: diary) == 1)
        #expect(
            try folder.text("a.csv") == #"""
                name,aliases,category,kilocalories,protein,carbohydrates,fat,fiber,sugar,salt,portions\#r
                "Apple, ""red""",Apfel;a\;b,fruit,52,0.3,13.8,0,2.4,10.4,0,piece=180\#r

                """#
        )
        try await folder.file("a.json").exportIngredients(of: diary)
        #expect(
            try folder.text("a.json") == #"""
                [
                {"name":"Apple, \"red\"","aliases":["Apfel","a;b"],"category":"fruit","nutrients":{"kilocalories":52,"protein":0.3,"carbohydrates":13.8,\#
                "fat":0,"fiber":2.4,"sugar":10.4,"salt":0},"portions":[{"name":"piece","grams":180}]}
                ]

                """#
        )
    }

    @Test(arguments: ["=1+1", "+1", "-1", "@sum", "＝1", "－1"])
    func `a text that a spreadsheet would calculate gets an apostrophe in front only if requested`(_ name: String) async throws {
        let ingredient = Ingredient.Draft(name: name, aliases: [name, "b"], category: .other, nutrients: .zero, portions: [])
        let saved = try await diary.save(ingredient, as: nil, correctingHistory: false)
        _ = try await diary.add([FoodEntry.Draft(saved, grams: 150, at: Meal.moment())], key: nil)
        try await folder.file("plain.csv").exportEntries(of: diary, ingredients: diary)
        try await folder.file("safe.csv").exportEntries(of: diary, ingredients: diary, forSpreadsheets: true)
        let aliases = name.replacingOccurrences(of: "=", with: "\\=") + ";b"
        #expect(try folder.text("plain.csv").contains(",\(name),\(name),150,"))
        #expect(try folder.text("safe.csv").contains(",'\(name),'\(name),150,"))
        try await folder.file("plain.csv").exportIngredients(of: diary, replacing: true)
        try await folder.file("safe.csv").exportIngredients(of: diary, replacing: true, forSpreadsheets: true)
        #expect(try folder.text("plain.csv").contains("\n\(name),\(aliases),other,0,"))
        // A text that begins with a backslash is not a formula.
        let safeAliases = aliases.hasPrefix("\\") ? aliases : "'" + aliases
        #expect(try folder.text("safe.csv").contains("\n'\(name),\(safeAliases),other,0,"))
        try await folder.file("a.json").exportIngredients(of: diary, forSpreadsheets: true)
        #expect(try folder.text("a.json").contains("\"name\":\"\(name)\""))
    }

    @Test(arguments: ["\t=1", "\r=1", "\n=1"])
    func `a text that begins with a tab or line break gets an apostrophe in front too`(_ name: String) {
        var text = ExchangeText(.csv, columns: [], forSpreadsheets: true)
        text.append(Ingredient.Draft(name: name, nutrients: .zero))
        #expect(String(decoding: text.end(), as: UTF8.self).contains("'" + name))
    }

    @Test func `numbers, dates and texts with such a sign further on are not changed for spreadsheets`() async throws {
        try await fill()
        _ = try await diary.save(Ingredient.Draft(name: "a=b -c", nutrients: .zero), as: nil, correctingHistory: false)
        for kind in ["entries", "ingredients"] {
            for (name, isSafe) in [("a.csv", false), ("b.csv", true)] {
                let file = try folder.file(name)
                if kind == "entries" {
                    try await file.exportEntries(of: diary, ingredients: diary, replacing: true, forSpreadsheets: isSafe)
                } else {
                    try await file.exportIngredients(of: diary, replacing: true, forSpreadsheets: isSafe)
                }
            }
            #expect(try folder.text("a.csv") == folder.text("b.csv"))
        }
    }

    @Test func `only entries of the requested days are exported, and an empty diary is an empty list`() async throws {
        try await fill()
        let day = try #require(FoodDay("2026-11-20"))
        #expect(try await folder.file("a.csv").exportEntries(in: day...day, of: diary, ingredients: diary) == 0)
        #expect(try folder.text("a.csv").split(separator: "\r\n").count == 1)
        try await folder.file("a.json").exportEntries(in: day...day, of: diary, ingredients: diary)
        #expect(try folder.text("a.json") == "[]\n")
    }

    @Test func `an existing file is replaced only if requested`() async throws {
        let file = try folder.file("a.csv", "mine")
        let error = await #expect(throws: FoodDiaryError.self) { try await file.exportIngredients(of: diary) }
        #expect(error?.code == .file)
        #expect(try folder.text("a.csv") == "mine")
        try await file.exportIngredients(of: diary, replacing: true)
        #expect(try folder.text("a.csv").hasPrefix("name,aliases"))
        #expect(folder.names == ["a.csv"])
    }

    @Test func `a file that appears during an export is not removed`() async throws {
        try await fill()
        let file = try folder.file("a.csv")
        await #expect(throws: FoodDiaryError.self) {
            try await file.exportIngredients(of: diary) { _ in try? Data("mine".utf8).write(to: file.url) }
        }
        #expect(try folder.text("a.csv") == "mine")
        #expect(folder.names == ["a.csv"])
    }

    @Test func `an export that ends early leaves no file`() async throws {
        try await fill()
        let file = try folder.file("a.csv")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await file.exportEntries(of: diary, ingredients: diary)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let nowhere = try folder.file("none/at/all.csv")
        let error = await #expect(throws: FoodDiaryError.self) { try await nowhere.exportIngredients(of: diary) }
        #expect(error?.code == .file)
        #expect(error?.message.contains("no folder") == true && error?.message.contains(".part") == false)
        #expect(folder.names.isEmpty)
    }

    @Test func `an error of an export has the requested file name`() async throws {
        let file = try folder.file(String(repeating: "a", count: 300) + ".csv")
        let error = await #expect(throws: FoodDiaryError.self) { try await file.exportIngredients(of: diary) }
        #expect(error?.code == .file)
        #expect(error?.message.contains(file.path) == true && error?.message.contains(".part") == false)
        #expect(folder.names.isEmpty)
    }

    @Test func `an export passes its data in parts to a closure until that throws`() async throws {
        let diary = FoodDiaryRepositories(try await SQLiteDatabase.openFoodDiary(.temporary))
        let sample = FoodDiarySample(ingredientCount: 1_500, days: FoodDay(number: 20_000)...FoodDay(number: 20_000))
        try await sample.fill(diary.ingredients, diary.entries)
        let parts = Lock<[Data]>([])
        let count = try await FoodDiaryExport(as: .jsonLines).ingredients(of: diary.ingredients) { part in
            parts.withLock { $0.append(part) }
        }
        #expect(count == 1_500)
        let text = parts.withLock { $0 }
        #expect(text.count > 1 && text.allSatisfy { $0.count < 300_000 })
        #expect(text.reduce(0) { $0 + $1.filter { $0 == Byte.lineFeed }.count } == 1_500)
        struct Full: Error {}
        await #expect(throws: Full.self) { try await FoodDiaryExport(as: .csv).ingredients(of: diary.ingredients) { _ in throw Full() } }
    }
}
