import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

/// What is found, and in which order. ``Larder`` compares each answer with that of a list.
struct IngredientSearchTests {
    @Test func `a name is found from its first letter on`() async throws {
        let larder = try await Larder("Milk", "Oat milk", "Butter")
        for typed in ["m", "mi", "MIL", "milk"] { #expect(try await larder.find(typed) == ["Milk", "Oat milk"]) }
        #expect(try await larder.find("").isEmpty)
        #expect(try await larder.find("milk", limit: 0).isEmpty)
        #expect(try await larder.find("milk", limit: -1).isEmpty)
    }

    @Test func `words are found in any order, in names and aliases`() async throws {
        let larder = try await Larder("Chicken breast, grilled = Hähnchenbrust", "Chicken soup", "Duck breast")
        #expect(try await larder.find("grilled chicken") == ["Chicken breast, grilled"])
        #expect(try await larder.find("breast chi") == ["Chicken breast, grilled"])
        #expect(try await larder.find("hahnchen") == ["Chicken breast, grilled"])
        #expect(try await larder.find("hähnchenbrust breast") == ["Chicken breast, grilled"])
        #expect(try await larder.find("bre") == ["Duck breast", "Chicken breast, grilled"])
    }

    @Test func `an exact name or alias comes first, then the most used`() async throws {
        let larder = try await Larder("Oat milk: 50", "Milk", "Almond milk: 70", "Lait: 2", "Whey = milk: 1")
        #expect(try await larder.find("milk") == ["Whey", "Milk", "Almond milk", "Oat milk"])
        #expect(try await larder.find("mil") == ["Almond milk", "Oat milk", "Whey", "Milk"])
    }

    @Test func `an exact name comes first even if hundreds are used more`() async throws {
        var drafts = (0..<130).map { Ingredient.Draft(name: "Milk number \($0)", nutrients: .zero) }
        drafts.append(Ingredient.Draft(name: "Milk", nutrients: .zero))
        let larder = try await Larder(drafts)
        for id in larder.ingredients.values.filter({ $0.name != "Milk" }).map(\.id) { try await larder.use(id, 3) }
        #expect(try await larder.find("milk").first == "Milk")
        #expect(try await larder.find("mlik").first == "Milk")
    }

    @Test func `accents can be left out, but count if they are typed`() async throws {
        let larder = try await Larder("Bò: 9", "Bơ", "Bo: 3", "Crème fraîche")
        #expect(try await larder.find("creme fraiche") == ["Crème fraîche"])
        #expect(try await larder.find("bơ") == ["Bơ", "Bò", "Bo"])
        #expect(try await larder.find("bo") == ["Bo", "Bò", "Bơ"])
        #expect(try await larder.find("b") == ["Bò", "Bo", "Bơ"])
    }

    @Test func `a match with the typed accents comes before a more used one`() async throws {
        let larder = try await Larder("Bò kho: 900", "Bơ đậu phộng")
        #expect(try await larder.find("bơ") == ["Bơ đậu phộng", "Bò kho"])
    }

    @Test func `relevance decides between equally used ingredients`() async throws {
        let larder = try await Larder("Pancake with rice", "Rice pudding", "Ricecake", "Rice pudding with cinnamon")
        #expect(try await larder.find("rice") == ["Rice pudding", "Rice pudding with cinnamon", "Ricecake", "Pancake with rice"])
    }

    @Test func `ties are decided by length, then name, then age`() async throws {
        let larder = try await Larder("Apple pie", "Apple jam", "Apple big pie", "Apple bun")
        #expect(try await larder.find("apple") == ["Apple bun", "Apple jam", "Apple pie", "Apple big pie"])
    }

    @Test func `singular and plural find each other`() async throws {
        let larder = try await Larder("Egg", "Strawberry", "Tomatoes", "Bass")
        #expect(try await larder.find("eggs") == ["Egg"])
        #expect(try await larder.find("strawberries") == ["Strawberry"])
        #expect(try await larder.find("tomato") == ["Tomatoes"])
        #expect(try await larder.find("bas") == ["Bass"])
    }

    @Test(arguments: [
        "chiken breast", "chicken braest", "hcicken breast", "breast chiken", "chickn brest", "chocken breast", "chicke breast",
        "chikcen bre",
    ])
    func `misspelled words are corrected`(_ typed: String) async throws {
        let larder = try await Larder("Chicken breast", "Chickpeas", "Bread", "Cherry")
        #expect(try await larder.find(typed) == ["Chicken breast"])
    }

    @Test func `a short word can be a prefix at any position`() async throws {
        let larder = try await Larder("Rye bread", "Rye flour", "White bread")
        #expect(try await larder.find("ry bread") == ["Rye bread"])
        #expect(try await larder.find("ry bred") == ["Rye bread"])
        #expect(try await larder.find("r b") == ["Rye bread"])
        #expect(try await larder.find("xq bread") == ["Rye bread", "White bread"])
    }

    @Test func `matches of the typed word come before corrections`() async throws {
        let larder = try await Larder("Beer", "Beef: 90", "Bees wax: 10")
        #expect(try await larder.find("beer") == ["Beer"])
        #expect(try await larder.find("bee") == ["Beef", "Bees wax", "Beer"])
        #expect(try await larder.find("beet") == ["Beef", "Beer", "Bees wax"])
    }

    @Test func `a known word that fits no other typed word is corrected too`() async throws {
        let larder = try await Larder("Beef stew", "Beer")
        #expect(try await larder.find("beer stew") == ["Beef stew", "Beer"])
    }

    @Test func `closer corrections hide more distant ones`() async throws {
        let larder = try await Larder("Orange", "Oranges with mint", "Orchard")
        #expect(try await larder.find("ornage") == ["Orange", "Oranges with mint"])
    }

    @Test func `noise finds nothing`() async throws {
        let larder = try await Larder(FoodDiarySample.some(100))
        for typed in ["xqzvwkpt", "qqqqqqqq", "zzxxyyqq wwvvkkjj", "jjj", "🦄", "%%%", "䨻䨻"] {
            #expect(try await larder.find(typed).isEmpty, "\(typed)")
        }
    }

    @Test func `names without spaces are found by their parts`() async throws {
        let larder = try await Larder(
            "Milk = 牛奶, 牛乳",
            "Beef noodles = 牛肉面",
            "Noodles = 面条",
            "Ramen = ラーメン",
            "Bread = 빵",
            "Rice = ข้าวหอมมะลิ"
        )
        #expect(try await larder.find("牛") == ["Milk", "Beef noodles"])
        #expect(try await larder.find("牛肉") == ["Beef noodles"])
        #expect(try await larder.find("肉面") == ["Beef noodles"])
        #expect(try await larder.find("牛奶") == ["Milk"])
        #expect(try await larder.find("ラー") == ["Ramen"])
        #expect(try await larder.find("빵") == ["Bread"])
        #expect(try await larder.find("หอม") == ["Rice"])
        #expect(try await larder.find("面牛") == ["Beef noodles"])
    }

    @Test func `a name without letters is found by its exact text`() async throws {
        let larder = try await Larder("🍎", "🍎🍏", "Apple")
        #expect(try await larder.find("🍎") == ["🍎", "🍎🍏"])
    }

    @Test func `a category limits the results`() async throws {
        let larder = try await Larder()
        try await larder.add("Milk", category: .dairy)
        try await larder.add("Milk chocolate: 9", category: .sweet)
        try await larder.add("Milk tea", category: IngredientCategory(rawValue: "Hot & cold \"drinks\""))
        #expect(try await larder.find("milk", in: .dairy) == ["Milk"])
        #expect(try await larder.find("milk", in: .sweet) == ["Milk chocolate"])
        #expect(try await larder.find("mlik", in: .sweet) == ["Milk chocolate"])
        #expect(try await larder.find("milk", in: IngredientCategory(rawValue: "Hot & cold \"drinks\"")) == ["Milk tea"])
        #expect(try await larder.find("milk", in: IngredientCategory(rawValue: "sweet OR dairy")).isEmpty)
        #expect(try await larder.find("dairy").isEmpty)
    }

    @Test func `an ingredient that changes its category is found in the new one`() async throws {
        let larder = try await Larder()
        let milk = try await larder.add("Whole milk", category: .dairy)
        var draft = milk.draft
        draft.category = .drink
        try await larder.save(draft, as: milk.id)
        #expect(try await larder.find("milk", in: .dairy).isEmpty)
        #expect(try await larder.find("milk", in: .drink) == ["Whole milk"])
    }

    @Test func `the presentation of an emoji is not part of a name`() async throws {
        let larder = try await Larder("☕️", "❤️", "Egg 🥚️")
        #expect(try await larder.find("☕") == ["☕️"])
        #expect(try await larder.find("☕️") == ["☕️"])
        #expect(try await larder.find("❤️") == ["❤️"])
        #expect(try await larder.find("egg ️") == ["Egg 🥚️"])
    }
}

extension FoodDiarySample {
    /// The first ingredients of the sample.
    static func some(_ count: Int) -> [Ingredient.Draft] {
        var batches = FoodDiarySample(ingredientCount: count, days: FoodDay(number: 0)...FoodDay(number: 0)).ingredients()
        var drafts: [Ingredient.Draft] = []
        while let batch = batches.next() { drafts += batch }
        return drafts
    }
}
