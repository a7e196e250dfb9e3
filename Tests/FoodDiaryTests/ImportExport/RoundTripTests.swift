import Foundation
import QueryKit
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples
@testable import QueryKitSQLite

struct RoundTripTests {
    private let folder: ExchangeFolder

    init() throws { folder = try ExchangeFolder() }

    /// Everything that could be damaged on the way through a file.
    private static let pieces = [
        "a", "Ä", "é", "e\u{301}", "ß", "\"", "\"\"", ",", ";", "=", "\\", "\\\\", "|", "'", "=1+1", "@SUM(A1)", "-", "+", "\t", "\n",
        "\r\n", "{", "}", "[", "]", ":",
        "null", "NaN", "#", "<b>", "&amp;", "%s", "\\n", "\\u0041", "Phở", "りんご", "苹果", "🍎", "👩‍🍳", "עוגה", "\u{200D}", "\u{FEFF}", " ", "  ",
        "0", "1e5", "true", "/", "\u{7F}", "\u{2028}",
    ]

    private func text(_ random: inout SampleRandom) -> String {
        let text = (0..<random.within(1...6)).map { _ in Self.pieces[random.below(Self.pieces.count)] }.joined()
        return FoodBounds.tidied(text).isEmpty ? "x" : text
    }

    private func amount(_ random: inout SampleRandom, _ most: Int) -> Double { Double(random.within(0...most)) / 1000 }

    private func nutrients(_ random: inout SampleRandom, in grams: Double) -> Nutrients {
        let most = Int(grams * 1000)
        return Nutrients(
            kilocalories: amount(&random, most * 9),
            protein: amount(&random, most),
            carbohydrates: amount(&random, most),
            fat: amount(&random, most),
            fiber: amount(&random, most),
            sugar: amount(&random, most),
            salt: amount(&random, most)
        )
    }

    private func ingredients(_ random: inout SampleRandom) -> [Ingredient.Draft] {
        (0..<60).map { number in
            Ingredient.Draft(
                name: "\(number) " + text(&random),
                aliases: (0..<random.below(5)).map { _ in text(&random) },
                category: random.chance(of: 50) ? .fruit : IngredientCategory(rawValue: "a;b,\"c\""),
                nutrients: nutrients(&random, in: 100),
                portions: (0..<random.below(3)).map { _ in
                    Ingredient.Portion(text(&random), grams: Double(random.within(100...5_000_000)) / 1000)
                }
            )
        }
    }

    private func entries(_ random: inout SampleRandom, of ingredients: [Ingredient]) throws -> [FoodEntry.Draft] {
        let zones = try ["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "GMT"].map {
            try #require(TimeZone(identifier: $0))
        }
        return (0..<300).map { _ in
            // Some entries share a moment or a day, or are far apart.
            let spread = [1, 86_400_000, 200_000_000_000][random.below(3)]
            let date = Date(timeIntervalSince1970: Double(1_700_000_000_000 + random.below(spread)) / 1000)
            let grams = Double(random.within(100...5_000_000)) / 1000
            return FoodEntry.Draft(
                name: text(&random),
                food: random.chance(of: 70) ? .ingredient(ingredients[random.below(ingredients.count)].id) : .unlisted,
                grams: grams,
                nutrients: nutrients(&random, in: grams),
                at: FoodMoment(date, in: zones[random.below(zones.count)]),
                confidence: amount(&random, 1000)
            )
        }
    }

    /// All of a diary except its keys.
    private func contents(_ diary: FoodDiaryRepositories) async throws -> ([Ingredient.Draft], [String], [DailyTotal]) {
        let ingredients = try await diary.ingredients.ingredients(after: nil, limit: 10_000)
        let names = Dictionary(uniqueKeysWithValues: ingredients.map { ($0.id, $0.name) })
        let entries = try await diary.entries.entries(in: FoodDay.range, below: nil, limit: 10_000).map { entry in
            var draft = entry.draft
            draft.food = .unlisted
            return "\(draft) \(entry.ingredientID.flatMap { names[$0] } ?? "-")"
        }
        return (ingredients.map(\.draft), entries, try await diary.totals.totals(in: FoodDay.range, limit: 10_000))
    }

    @Test(arguments: FoodDiaryFile.Format.allCases, [1, 2] as [UInt64])
    func `exporting and importing a diary gives the same diary`(_ format: FoodDiaryFile.Format, _ seed: UInt64) async throws {
        var random = SampleRandom(seed: seed)
        let diary = FoodDiaryRepositories(InMemoryFoodDiary())
        let drafts = try ingredients(&random).map { try $0.validated() }
        let batches = BatchOnce(drafts)
        _ = try await diary.ingredients.importIngredients { batches.next() }
        let known = try await diary.ingredients.ingredients(after: nil, limit: 1000)
        _ = try await diary.entries.add(try entries(&random, of: known), key: nil)

        let (listed, eaten) = try (folder.file("i." + format.rawValue), folder.file("e." + format.rawValue))
        #expect(try await listed.exportIngredients(of: diary.ingredients) == 60)
        #expect(try await eaten.exportEntries(of: diary.entries, ingredients: diary.ingredients) == 300)

        let copy = FoodDiaryRepositories(try await SQLiteDatabase.openFoodDiary(.temporary))
        #expect(try await listed.importIngredients(into: copy.ingredients).addedCount == 60)
        #expect(try await eaten.importEntries(into: copy.entries).addedCount == 300)
        let (expected, found) = try await (contents(diary), contents(copy))
        for (found, expected) in zip(found.0, expected.0) { #expect(found == expected) }
        #expect(found.1 == expected.1)
        #expect(found.2 == expected.2)

        // Importing once more adds nothing.
        #expect(try await listed.importIngredients(into: copy.ingredients).knownCount == 60)
        #expect(try await eaten.importEntries(into: copy.entries).knownCount == 300)
        let again = try await contents(copy)
        #expect(again.0 == expected.0 && again.1 == expected.1 && again.2 == expected.2)
    }

    @Test func `decimal numbers are exact`() {
        for (thousandths, text) in [
            (0, "0"), (1, "0.001"), (-1, "-0.001"), (1000, "1"), (12_340, "12.34"), (-1_500, "-1.5"), (100_010, "100.01"),
        ] as [(Int64, String)] {
            #expect(DecimalText.text(thousandths) == text)
            #expect(Nutrients.rounded(Double(text) ?? 0) == thousandths)
        }
    }

    @Test func `a list written as text is read back unchanged`() {
        var random = SampleRandom(seed: 3)
        for _ in 0..<300 {
            let elements = (0..<random.below(5)).map { _ in text(&random) }
            let joined = elements.map { ListText.escaped($0) }.joined(separator: ";")
            #expect(ListText.elements(joined, separator: Byte.semicolon) == elements)
        }
    }
}

/// Returns one batch, then nothing.
private final class BatchOnce<Element: Sendable>: Sendable {
    private let batch: Lock<[Element]?>

    init(_ batch: [Element]) { self.batch = Lock(batch) }

    func next() -> [Element]? {
        batch.withLock { batch in
            defer { batch = nil }
            return batch
        }
    }
}
