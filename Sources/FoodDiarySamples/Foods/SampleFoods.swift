import FoodDiaryKit

/// The foods of one category, one per line.
///
/// The fields of a line, separated by semicolons: the name in English, with a star if the food is eaten every day; the grams of protein,
/// carbohydrates, fat, fiber, sugar, salt, and alcohol if any, in 100 g; portions with their grams; and the name in German, French,
/// Spanish, Vietnamese, Japanese and Chinese.
struct SampleFoods {
    let foods: [SampleFood]

    init(category: IngredientCategory, _ lines: String) {
        foods = lines.split(separator: "\n").compactMap { SampleFood(line: $0, category: category) }
    }

    static let all = [fruit, vegetables, grains, legumes, nuts, dairy, eggs, meats, fish, fats, sweets, seasonings, drinks, dishes].flatMap(
        \.foods
    )
}

/// A food from the sample tables. Many ingredients are derived from each food.
struct SampleFood {
    let category: IngredientCategory
    let isEveryday: Bool
    /// The name in English, then in the order of the languages.
    let names: [String]
    let contents: SampleContents
    let portions: [Ingredient.Portion]

    init?(line: Substring, category: IngredientCategory) {
        let fields = SampleText.fields(line)
        guard fields.count == 9, let contents = SampleContents(fields[1]) else { return nil }
        self.category = category
        self.contents = contents
        isEveryday = fields[0].hasPrefix("*")
        names = [isEveryday ? String(fields[0].dropFirst()) : fields[0]] + fields[3...]
        portions = fields[2].split(separator: ",").compactMap { portion in
            guard let space = portion.lastIndex(of: " "), let grams = Double(portion[portion.index(after: space)...]) else { return nil }
            return Ingredient.Portion(String(SampleText.trimmed(portion[..<space])), grams: grams)
        }
    }
}

/// The contents of 100 g, in grams. Energy is computed from them.
struct SampleContents {
    var protein: Double
    /// Includes fiber and sugar.
    var carbohydrates: Double
    var fat: Double
    var fiber: Double
    var sugar: Double
    var salt: Double
    var alcohol: Double

    init?(_ text: String) {
        let amounts = text.split(separator: " ").compactMap { Double($0) }
        guard amounts.count == 6 || amounts.count == 7 else { return nil }
        (protein, carbohydrates, fat) = (amounts[0], amounts[1], amounts[2])
        (fiber, sugar, salt) = (amounts[3], amounts[4], amounts[5])
        alcohol = amounts.count == 7 ? amounts[6] : 0
    }

    /// Scales the contents and adds to some of them. The rest is water, so the sum never exceeds 100 g.
    func scaled(by factor: Double, fat moreFat: Double = 0, sugar moreSugar: Double = 0, salt moreSalt: Double = 0) -> SampleContents {
        let dry = protein + carbohydrates + fat + salt + alcohol
        let more = moreFat + moreSugar + moreSalt
        let scale = dry == 0 ? 1 : min(factor, max(0, 99 - more) / dry)
        var contents = self
        contents.protein *= scale
        contents.carbohydrates = carbohydrates * scale + moreSugar
        contents.fat = fat * scale + moreFat
        contents.fiber *= scale
        contents.sugar = sugar * scale + moreSugar
        contents.salt = salt * scale + moreSalt
        contents.alcohol *= scale
        return contents
    }

    /// The values of a food label: tenths of a gram, and energy in whole kilocalories computed from them.
    var nutrients: Nutrients {
        let tenth = { (amount: Double) in (amount * 10).rounded() / 10 }
        let carbohydrates = tenth(carbohydrates)
        let fiber = min(tenth(fiber), carbohydrates)
        let energy = 4 * tenth(protein) + 4 * (carbohydrates - fiber) + 2 * fiber + 9 * tenth(fat) + 7 * tenth(alcohol)
        return Nutrients(
            kilocalories: min(energy.rounded(), 900),
            protein: tenth(protein),
            carbohydrates: carbohydrates,
            fat: tenth(fat),
            fiber: fiber,
            sugar: min(tenth(sugar), carbohydrates - fiber),
            salt: (salt * 100).rounded() / 100
        )
    }
}

/// The tables are text, because literals of this size would take the compiler minutes.
enum SampleText {
    static func fields(_ line: Substring) -> [String] {
        line.split(separator: ";", omittingEmptySubsequences: false).map { String(trimmed($0)) }
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
