import FoodDiaryKit

/// All ingredients of a sample. Each is created on request, from the seed and its number alone.
///
/// The foods come first, those eaten every day before the others; then each food in all preparations that fit; then the products of brands.
struct SampleCatalog: Sendable {
    private struct Product {
        var food: Int
        var modifier: Int?
    }

    private let seed: UInt64
    private let languages: [Int]
    private let foods: [SampleFood]
    /// The products that brands can make, by category.
    private let products: [Product]
    /// The positions in ``products`` of those sold without a brand, in the order of their numbers.
    private let unbranded: [Int]
    private let brands: SampleBrands

    init(seed: UInt64, languages: [FoodDiarySample.Language]) {
        self.seed = seed
        self.languages = languages.map(\.place)
        foods = SampleFoods.all
        var names: Set<String> = []
        var products: [Product] = []
        var (everyday, plain, prepared): ([Int], [Int], [Int]) = ([], [], [])
        for (index, food) in SampleFoods.all.enumerated() {
            names.insert(food.names[0].lowercased())
            if food.isEveryday { everyday.append(products.count) } else { plain.append(products.count) }
            products.append(Product(food: index))
        }
        for (index, food) in SampleFoods.all.enumerated() {
            for (number, modifier) in SampleModifier.all.enumerated() where modifier.categories.contains(food.category) {
                // Some foods already have the preparation in their name.
                guard names.insert(Self.name(of: food, modifier).lowercased()).inserted else { continue }
                prepared.append(products.count)
                products.append(Product(food: index, modifier: number))
            }
        }
        self.products = products
        var random = SampleRandom(seed: seed)
        unbranded = random.shuffled(everyday) + random.shuffled(plain) + random.shuffled(prepared)
        let words = names.flatMap { $0.split(separator: " ").map { String($0) } }
        brands = SampleBrands(seed: seed, besides: Set(words))
    }

    func draft(_ number: Int) -> Ingredient.Draft {
        var random = SampleRandom(seed: seed, of: number)
        guard number >= unbranded.count else { return draft(products[unbranded[number]], of: nil, &random) }
        let (brand, place) = Self.brand(number - unbranded.count)
        var choice = SampleRandom(seed: seed, of: -2 - brand)
        // The stride and the count have no common divisor, so no product occurs twice.
        let stride = [7, 11, 13].first { products.count % $0 != 0 } ?? 1
        let product = products[(choice.below(products.count) + place * stride) % products.count]
        return draft(product, of: brands.word(brand), &random)
    }

    /// A few brands make many products, and many make few. Returns the brand of a product, and the product's position within the brand.
    private static func brand(_ number: Int) -> (brand: Int, place: Int) {
        let (large, medium) = (64 * 200, 1000 * 30)
        if number < large { return (number / 200, number % 200) }
        if number < large + medium { return (64 + (number - large) / 30, (number - large) % 30) }
        return (1064 + (number - large - medium) / 10, (number - large - medium) % 10)
    }

    private func draft(_ product: Product, of brand: String?, _ random: inout SampleRandom) -> Ingredient.Draft {
        let food = foods[product.food]
        let modifier = product.modifier.map { SampleModifier.all[$0] }
        var contents = food.contents
        if let modifier { contents = modifier.contents(of: contents) }
        if brand != nil { contents = contents.scaled(by: Double(random.within(90...110)) / 100) }
        let name = (brand.map { $0 + " " } ?? "") + Self.name(of: food, modifier)
        return Ingredient.Draft(
            name: name.prefix(1).uppercased() + name.dropFirst(),
            aliases: aliases(of: food, modifier, brand, &random),
            category: food.category,
            nutrients: contents.nutrients,
            portions: food.portions
        )
    }

    private static func name(of food: SampleFood, _ modifier: SampleModifier?) -> String {
        guard let modifier else { return food.names[0] }
        return modifier.follows ? food.names[0] + " " + modifier.words[0] : modifier.words[0] + " " + food.names[0]
    }

    /// Plain foods have a name in each language; all others have names in one to three languages.
    private func aliases(
        of food: SampleFood,
        _ modifier: SampleModifier?,
        _ brand: String?,
        _ random: inout SampleRandom
    ) -> [String] {
        let count = modifier == nil && brand == nil ? languages.count : 1 + random.below(2) + random.below(2)
        let chosen = count >= languages.count ? languages : Array(random.shuffled(languages).prefix(count))
        let branded = random.chance(of: 50)
        var aliases: [String] = []
        for language in chosen {
            var alias = food.names[language]
            if let modifier { alias = joined(alias, modifier.words[language], in: language, following: modifier.follows) }
            if let brand, branded { alias = brand.prefix(1).uppercased() + brand.dropFirst() + " " + alias }
            if alias.lowercased() != food.names[0].lowercased(), !aliases.contains(alias) { aliases.append(alias) }
        }
        return aliases
    }

    private func joined(_ name: String, _ words: String, in language: Int, following: Bool) -> String {
        switch language {
        case FoodDiarySample.Language.japanese.place, FoodDiarySample.Language.chinese.place: "\(name)（\(words)）"
        case FoodDiarySample.Language.german.place where !following: "\(name), \(words)"
        default: "\(name) \(words)"
        }
    }
}
