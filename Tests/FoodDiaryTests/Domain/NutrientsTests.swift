import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct NutrientsTests {
    private let tenth = Nutrients(kilocalories: 0.1, protein: 0.2, carbohydrates: 0.3, fat: 0.4, fiber: 0.5, sugar: 0.6, salt: 0.7)

    @Test func `sums are exact: adding and subtracting an amount leaves no remainder`() {
        var sum = Nutrients.zero
        for _ in 0..<1000 { sum += tenth }
        #expect(sum == Nutrients(kilocalories: 100, protein: 200, carbohydrates: 300, fat: 400, fiber: 500, sugar: 600, salt: 700))
        for _ in 0..<1000 { sum = sum - tenth }
        #expect(sum == .zero)
        #expect((tenth + .zero, .zero - tenth + tenth) == (tenth, .zero))
    }

    @Test func `each nutrient is stored separately`() {
        let amounts = [tenth.kilocalories, tenth.protein, tenth.carbohydrates, tenth.fat, tenth.fiber, tenth.sugar, tenth.salt]
        #expect(amounts == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        #expect(tenth.amounts.map(\.amount) == amounts)
        #expect(tenth.amounts.map(\.name) == ["kilocalories", "protein", "carbohydrates", "fat", "fiber", "sugar", "salt"])
        #expect(tenth.macronutrients == Macronutrients(protein: 0.2, carbohydrates: 0.3, fat: 0.4))
        let double = Nutrients(kilocalories: 0.2, protein: 0.4, carbohydrates: 0.6, fat: 0.8, fiber: 1, sugar: 1.2, salt: 1.4)
        #expect(tenth.scaled(by: 2) == double && tenth + tenth == double && double - tenth == tenth)
    }

    @Test func `amounts are rounded to the nearest thousandth`() {
        #expect(Nutrients(kilocalories: 0.000_49) == .zero && Nutrients(kilocalories: 0.000_5).kilocalories == 0.001)
        #expect(Nutrients(kilocalories: -0.000_6).kilocalories == -0.001)
        #expect(Nutrients(kilocalories: 130).scaled(by: 1.0 / 3).kilocalories == 43.333)
        #expect(Nutrients(kilocalories: 200).scaled(by: 1.0 / 3).kilocalories == 66.667)
        #expect(tenth.scaled(by: 0) == .zero)
    }

    @Test func `NaN and infinite amounts stay so, and huge ones are clamped to finite ones`() {
        let broken = Nutrients(kilocalories: .nan, protein: -.infinity, fat: .infinity)
        #expect(broken.kilocalories.isNaN && broken.protein == -.infinity && broken.fat == .infinity && broken.carbohydrates == 0)
        #expect(broken == Nutrients(kilocalories: .nan, protein: -.infinity, fat: .infinity) && broken != .zero)
        #expect(Nutrients(kilocalories: 1e300).kilocalories == 1e9 && Nutrients(kilocalories: -1e300).kilocalories == -1e9)
        #expect(tenth.scaled(by: .infinity).kilocalories == .infinity && tenth.scaled(by: .nan).kilocalories.isNaN)
    }

    @Test func `a sum with NaN or infinity is not finite`() {
        let (nothing, below, above) = (
            Nutrients(kilocalories: .nan), Nutrients(kilocalories: -.infinity), Nutrients(kilocalories: .infinity)
        )
        for (sum, expected) in [
            (nothing + nothing, Double.nan), (nothing + tenth, .nan), (tenth - nothing, .nan), (above - above, .nan), (above + below, .nan),
            (above + above, .infinity), (above + tenth, .infinity), (tenth - above, -.infinity), (below + tenth, -.infinity),
            (below - above, -.infinity), (tenth - below, .infinity),
        ] {
            #expect(sum.kilocalories == expected || expected.isNaN && sum.kilocalories.isNaN)
        }
        // A sum of large numbers is large and does not wrap around.
        let most = Nutrients(thousandths: Nutrients.Thousandths(kilocalories: .max - 1))
        #expect((most + most).kilocalories == .infinity && (Nutrients.zero - most - most).kilocalories == -.infinity)
    }

    @Test func `the nutrients of some grams are that share of those in a hundred`() {
        let ingredient = Ingredient(id: Ingredient.ID(rawValue: 1), Ingredient.Draft(name: "x", nutrients: tenth))
        #expect(
            ingredient.nutrients(in: 100) == tenth && ingredient.nutrients(in: 50).protein == 0.1 && ingredient.nutrients(in: 0) == .zero
        )
    }

    @Test func `a summary of no days has no average`() {
        let days = Meal.day...Meal.day
        let summary = NutritionalSummary(days: days, loggedDays: 3, entryCount: 5, nutrients: tenth, averageConfidence: 1)
        #expect(
            summary.averagePerDay
                == Nutrients(kilocalories: 0.033, protein: 0.067, carbohydrates: 0.1, fat: 0.133, fiber: 0.167, sugar: 0.2, salt: 0.233)
        )
        #expect(DailyTotal.empty(Meal.day) == DailyTotal(day: Meal.day, entryCount: 0, nutrients: .zero, averageConfidence: nil))
    }
}

/// Encodes a value and decodes it again.
struct DomainCodingTests {
    private func read<Value: Codable & Equatable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func `all encodable values of the domain are decoded unchanged`() throws {
        let nutrients = Nutrients(
            kilocalories: 0.1,
            protein: 0.2,
            carbohydrates: 0.3,
            fat: 0.4,
            fiber: 0.5,
            sugar: 0.6,
            salt: 1_234_567.891
        )
        let (day, id) = (Meal.day, Ingredient.ID(rawValue: .max))
        #expect(try read(nutrients) == nutrients && read(nutrients.macronutrients) == nutrients.macronutrients)
        #expect(try read(day) == day && read(FoodDay.range) == FoodDay.range && read(id) == id)
        #expect(try read(FoodEntry.ID(rawValue: 5)).rawValue == 5)
        let total = DailyTotal(day: day, entryCount: 2, nutrients: nutrients, averageConfidence: 0.123)
        #expect(try read(total) == total && read(DailyTotal.empty(day)) == .empty(day))
        let summary = NutritionalSummary(days: day...day, loggedDays: 1, entryCount: 2, nutrients: nutrients, averageConfidence: nil)
        #expect(try read(summary) == summary)
        let consumption = IngredientConsumption(id: id, name: "Käse", entryCount: 2, grams: 0.1, kilocalories: 3)
        #expect(try read(consumption) == consumption)
        let draft = Ingredient.Draft(
            name: "Käse",
            aliases: ["cheese"],
            category: .dairy,
            nutrients: nutrients,
            portions: [Ingredient.Portion("slice", grams: 30)]
        )
        #expect(try read(draft) == draft && read(IngredientCategory.known) == IngredientCategory.known)
        #expect(try read(FoodWeekday.allCases) == FoodWeekday.allCases)
    }

    @Test func `an entry can hold small and large amounts, and takes little memory`() throws {
        #expect(MemoryLayout<FoodEntry>.stride == 104 && MemoryLayout<FoodMoment>.size == 29)
        let moment = FoodMoment(Date(timeIntervalSince1970: -1.5), in: .gmt)
        let some = Nutrients(
            kilocalories: 2_147_483.647,
            protein: 0.001,
            carbohydrates: 3,
            fat: 4,
            fiber: 5,
            sugar: 6,
            salt: -2_147_483.648
        )
        let large = Nutrients(kilocalories: 2_147_483.648)
        let broken = Nutrients(kilocalories: .nan, fat: .infinity)
        for (grams, nutrients, confidence) in [
            (0.1, some, 0.123), (5_000, .zero, 1), (0.000_1, some, 0), (1e12, some, 0), (-3, large, 0.5), (1, some, 0.000_1),
            (1, some, 65.536),
            (1, some, -1), (.infinity, some, 1), (1, broken, 1),
        ] {
            for id in [nil, Ingredient.ID(rawValue: .min), Ingredient.ID(rawValue: 0)] {
                func entry(_ grams: Double, _ nutrients: Nutrients, _ confidence: Double) -> FoodEntry {
                    let id = (FoodEntry.ID(rawValue: 5), ingredient: id)
                    return FoodEntry(
                        id: id.0,
                        name: "Käse",
                        ingredientID: id.ingredient,
                        grams: grams,
                        nutrients: nutrients,
                        moment: moment,
                        confidence: confidence
                    )
                }
                let made = entry(grams, nutrients, confidence)
                #expect(made.grams == grams && made.nutrients == nutrients && made.confidence == confidence && made.ingredientID == id)
                #expect(made == entry(grams, nutrients, confidence) && made.hashValue == entry(grams, nutrients, confidence).hashValue)
                #expect(made != entry(grams + 1, .zero, confidence) && made != entry(2, nutrients, 0.7))
                #expect(made.moment == moment && made.id.rawValue == 5 && made.draft.moment.day.number == -1)
                guard grams.isFinite, nutrients != broken else { continue }
                #expect(try read(made) == made)
            }
        }
        let json =
            #"{"id":1,"name":"a","grams":0.5,"nutrients":{"kilocalories":1},"moment":{"date":0,"timeZone":"GMT","day":"1970-01-01","hour":0},"confidence":1}"#
        let old = try JSONDecoder().decode(FoodEntry.self, from: Data(json.utf8))
        #expect(old.grams == 0.5 && old.ingredientID == nil && old.nutrients.kilocalories == 1)
    }

    @Test func `a day is encoded in the readable form, and no other form is decoded`() throws {
        #expect(String(decoding: try JSONEncoder().encode([Meal.day]), as: UTF8.self) == #"["2026-11-21"]"#)
        for text in [#"["2026-02-30"]"#, "[20261121]", #"["21.11.2026"]"#, "[null]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([FoodDay].self, from: Data(text.utf8)) }
        }
        let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode([FoodDay].self, from: Data(#"["2026-02-30"]"#.utf8)) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(context.debugDescription == "2026-02-30 is not a day: write it as 2026-11-21.")
    }

    @Test func `only the energy is required when nutrients are decoded`() throws {
        let nutrients = try JSONDecoder().decode(Nutrients.self, from: Data(#"{"kilocalories": 5, "salt": 0.0004}"#.utf8))
        #expect(nutrients == Nutrients(kilocalories: 5))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Nutrients.self, from: Data(#"{"protein": 5}"#.utf8)) }
    }
}
