import FoodDiaryKit

/// Weighted choices for each meal of each season. The first ingredients of a list are eaten most (Zipf's law).
struct SampleMenu: Sendable {
    /// The foods, and the cumulative sums of their weights.
    private struct Table {
        var sums: [Int] = []

        mutating func add(_ weight: Int) { sums.append((sums.last ?? 0) + weight) }

        /// Draws a food: the first whose cumulative sum is above a random number below the total.
        func draw(_ random: inout SampleRandom) -> Int? {
            guard let sum = sums.last, sum > 0 else { return nil }
            let number = random.below(sum)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > number { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    private let ingredients: [Ingredient]
    private let tables: [Table]

    init(_ ingredients: [Ingredient]) {
        self.ingredients = ingredients
        var tables = Array(repeating: Table(), count: SampleMeal.all.count * SampleSeason.allCases.count)
        for (rank, ingredient) in ingredients.enumerated() {
            let tastes = SampleMeal.all.map { $0.taste[ingredient.category] ?? 1 }
            for (season, appetite) in zip(SampleSeason.allCases, SampleSeason.appetites(for: ingredient.name)) {
                let weight = (1 << 20) / (rank + 5) * appetite
                for (meal, taste) in tastes.enumerated() { tables[Self.place(meal, season)].add(weight * taste) }
            }
        }
        self.tables = tables
    }

    private static func place(_ meal: Int, _ season: SampleSeason) -> Int { meal * SampleSeason.allCases.count + season.rawValue }

    /// Draws an entry for a meal: food, amount and confidence.
    func draw(_ meal: Int, _ season: SampleSeason, at moment: FoodMoment, _ random: inout SampleRandom) -> FoodEntry.Draft {
        guard !random.chance(of: 3), let index = tables[Self.place(meal, season)].draw(&random) else {
            return Self.unlisted[random.below(Self.unlisted.count)].draft(at: moment, &random)
        }
        let ingredient = ingredients[index]
        let grams: Double
        let confidence: Int
        if !ingredient.portions.isEmpty, random.chance(of: 70) {
            let portion = ingredient.portions[random.below(ingredient.portions.count)]
            let amount = portion.grams * Self.helpings[random.below(Self.helpings.count)]
            grams = min(max((amount * 10).rounded() / 10, 0.1), 2000)
            confidence = random.within(75...95)
        } else if random.chance(of: 50) {
            // Weighed on a scale.
            grams = Double(random.within(Self.amount(of: ingredient.category)))
            confidence = 100
        } else {
            let range = Self.amount(of: ingredient.category)
            grams = Double(max(range.lowerBound, random.within(range) / 10 * 10))
            confidence = random.within(45...85)
        }
        return FoodEntry.Draft(ingredient, grams: grams, at: moment, confidence: Double(confidence) / 100)
    }

    /// The number of portions that are eaten.
    private static let helpings = [1, 1, 1, 1, 2, 1.5, 0.5, 3]

    private static func amount(of category: IngredientCategory) -> ClosedRange<Int> {
        switch category {
        case .spice, .fat: 2...20
        case .nut, .sweet: 10...80
        case .egg, .grain, .dairy: 25...180
        case .drink, .dish: 150...450
        default: 60...250
        }
    }

    private struct Unlisted {
        let name: String
        let contents: SampleContents

        func draft(at moment: FoodMoment, _ random: inout SampleRandom) -> FoodEntry.Draft {
            let grams = Double(random.within(10...50) * 10)
            return FoodEntry.Draft(
                name: name,
                grams: grams,
                nutrients: contents.nutrients.scaled(by: grams / 100),
                at: moment,
                confidence: Double(random.within(30...70)) / 100
            )
        }
    }

    /// Foods that are not in the diary.
    private static let unlisted = """
        Canteen lunch; 7 15 6 1.5 2 0.9
        Birthday cake at work; 5 45 17 1.5 30 0.4
        Street food at the market; 9 22 11 1.5 3 1.2
        Hotel breakfast; 8 22 11 1.8 7 0.9
        Grandmother's stew; 8 8 5 1.5 2 0.8
        Plate from the buffet; 8 14 9 1.6 3 0.9
        Meal on the plane; 7 16 6 1.2 4 0.9
        Something at a party; 8 25 16 1.5 5 1.3
        Tasting menu; 10 10 9 1.2 4 0.8
        Neighbour's soup; 2 6 2 1.2 2 0.7
        """.split(separator: "\n").compactMap { line in
            let fields = SampleText.fields(line)
            return SampleContents(fields[1]).map { Unlisted(name: fields[0], contents: $0) }
        }
}
