import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

/// Spaces, superfluous words, other forms and words that sound alike. ``Larder`` compares each answer with that of a list.
struct LooseSearchTests {
    @Test(arguments: [
        ("icecream", "Ice cream"), ("icecre", "Ice cream"), ("icecreams", "Ice cream"), ("vanilla icecream", "Ice cream, vanilla"),
        ("sweetandsourpork", "Sweet and sour pork"), ("hotdog", "Hot dog"), ("phobo", "Phở bò"), ("làil", "Poulet à l'ail"),
    ])
    func `words typed without the space between them are found`(_ typed: String, _ name: String) async throws {
        let larder = try await Larder(
            "Ice cream",
            "Ice cream, vanilla",
            "Sweet and sour pork",
            "Hot dog",
            "Phở bò",
            "Poulet à l'ail",
            "Cream: 9"
        )
        #expect(try await larder.find(typed).first == name)
    }

    @Test(arguments: [
        ("chick peas", "Chickpeas"), ("chick pea", "Chickpeas"), ("hafer flocken", "Haferflocken"), ("hafer floc", "Haferflocken"),
        ("butter milk drink", "Buttermilk drink"), ("chick paes", "Chickpeas"),
    ])
    func `a word typed as two is found`(_ typed: String, _ name: String) async throws {
        let larder = try await Larder("Chickpeas", "Haferflocken", "Buttermilk drink", "Chick", "Hafer")
        #expect(try await larder.find(typed).first == name)
    }

    @Test func `a word too long for the vocabulary is found by its beginning, beside a misspelled one`() async throws {
        // Without accents it has twice as many letters.
        let long = String(repeating: "ß", count: 40)
        let larder = try await Larder("Bread \(long)", "Bread")
        #expect(try await larder.find("braed ssss") == ["Bread \(long)"])
    }

    @Test func `a word of a deleted ingredient is found again in a new one`() async throws {
        let larder = try await Larder("Bread with kohlrabi", "Bread")
        let deleted = try #require(larder.ingredients.values.first { $0.name == "Bread with kohlrabi" })
        #expect(try await larder.find("braed kohlrabi") == ["Bread with kohlrabi"])
        try await larder.delete(deleted.id)
        #expect(try await larder.find("braed kohlrabi") == ["Bread"])
        try await larder.add("Kohlrabi bread")
        #expect(try await larder.find("braed kohlrabi") == ["Kohlrabi bread"])
    }

    @Test func `a name with a misplaced space comes before one with a wrong letter`() async throws {
        let larder = try await Larder("Chicken peas: 90", "Chickpeas")
        #expect(try await larder.find("chick peas") == ["Chickpeas", "Chicken peas"])
    }

    @Test func `a name with an additional space comes after one with the typed word`() async throws {
        let larder = try await Larder("Icecream bar", "Ice cream", "Ice cream cake: 9", "Butter milk", "Buttermilk drink")
        #expect(try await larder.find("icecream") == ["Icecream bar", "Ice cream"])
        #expect(try await larder.find("butter milk") == ["Butter milk"])
        #expect(try await larder.find("buttermilk") == ["Buttermilk drink", "Butter milk"])
    }

    @Test func `a joined word does not find names in which its parts are apart`() async throws {
        let larder = try await Larder("Cream on ice", "Ice, whipped cream", "Ice cream")
        #expect(try await larder.find("icecream") == ["Ice cream"])
    }

    @Test(arguments: [
        ("fresh pork chop", ["Pork chop"]), ("pork chop xyzzy", ["Pork chop"]), ("fresh prok chop", ["Pork chop"]),
        ("cold bread", ["Rye bread"]),
    ])
    func `a word that no name has is ignored`(_ typed: String, _ names: [String]) async throws {
        let larder = try await Larder("Pork chop", "Rye bread", "Butter")
        #expect(try await larder.find(typed) == names)
    }

    @Test func `a word is ignored if no name has all words, and names with only the others come first`() async throws {
        let larder = try await Larder("Fresh cheese: 5", "Pork chop", "Lamb chop: 9", "Pork belly: 9")
        #expect(try await larder.find("fresh pork chop").first == "Pork chop")
        #expect(try await larder.find("fresh cheese") == ["Fresh cheese"])
        #expect(try await larder.find("pork cheese") == ["Pork belly", "Fresh cheese", "Pork chop"])
    }

    @Test func `if some names have all words, no others are found`() async throws {
        let larder = try await Larder("Pork chop", "Pork chop, fried", "Lamb chop", "Pork belly")
        #expect(try await larder.find("pork chop") == ["Pork chop", "Pork chop, fried"])
        #expect(try await larder.find("pork chpo") == ["Pork chop", "Pork chop, fried"])
    }

    @Test(arguments: [
        "mac and cheese", "mac und cheese", "mac et cheese", "mac y cheese", "mac và cheese", "the mac with cheese", "macaroni & cheese",
    ])
    func `words that join two others are ignored`(_ typed: String) async throws {
        let larder = try await Larder("Macaroni cheese", "Fish and chips", "Goat cheese")
        #expect(try await larder.find(typed).first == "Macaroni cheese")
    }

    @Test func `mac and cheese finds macaroni cheese, and not just any cheese, among all foods of the sample`() async throws {
        let larder = try await Larder(FoodDiarySample.some(SampleFoods.all.count))
        #expect(try await larder.find("mac and cheese").first == "Macaroni cheese")
        #expect(try await larder.find("ground beef").contains("Minced beef"))
    }

    @Test func `letters that join two foods are ignored`() async throws {
        let larder = try await Larder("牛肉面条", "バターパン")
        #expect(try await larder.find("牛肉和面条") == ["牛肉面条"])
        #expect(try await larder.find("バターとパン") == ["バターパン"])
    }

    @Test func `a stop word counts if it is in the name`() async throws {
        let larder = try await Larder("Fish and chips", "Fish chips")
        #expect(try await larder.find("fish and chips").first == "Fish and chips")
    }

    @Test(arguments: [
        ("mushrooms", "Mushroom"), ("loaves", "Loaf"), ("nueces", "Nuez"), ("eier", "Ei"), ("gâteaux", "Gâteau"), ("brote", "Brot"),
        ("loaf", "Loaf"), ("nuez", "Nuez"),
    ])
    func `singular and plural forms in several languages find each other`(_ typed: String, _ name: String) async throws {
        let larder = try await Larder("Mushroom", "Loaf", "Nuez", "Ei", "Gâteau", "Brot")
        #expect(try await larder.find(typed).first == name)
    }

    @Test func `an exact singular comes first for its plural, even among hundreds`() async throws {
        var drafts = (0..<130).map { Ingredient.Draft(name: "Pizza \($0) with mushrooms", nutrients: .zero) }
        drafts.append(Ingredient.Draft(name: "Mushroom", nutrients: .zero))
        let larder = try await Larder(drafts)
        for id in larder.ingredients.values.filter({ $0.name != "Mushroom" }).map(\.id) { try await larder.use(id, 3) }
        #expect(try await larder.find("mushrooms").first == "Mushroom")
    }

    @Test func `katakana and hiragana find each other, and the typed script comes first`() async throws {
        let larder = try await Larder("すし", "スシ", "味噌ラーメン", "りんご")
        #expect(try await larder.find("スシ") == ["スシ", "すし"])
        #expect(try await larder.find("すし") == ["すし", "スシ"])
        #expect(try await larder.find("らーめん") == ["味噌ラーメン"])
        #expect(try await larder.find("リン") == ["りんご"])
        #expect(try await larder.relevant("リンゴとスシ") == ["りんご", "スシ", "すし"])
    }

    @Test(arguments: [("curie", "Chicken curry"), ("py", "Apple pie"), ("chicken curie", "Chicken curry"), ("stake", "Beef steak")])
    func `words that sound alike are found`(_ typed: String, _ name: String) async throws {
        let larder = try await Larder("Chicken curry", "Apple pie", "Beef steak", "Chicken", "Apple")
        #expect(try await larder.find(typed).first == name)
    }

    @Test func `a word that sounds the same comes before one that only begins alike, with a wrong letter`() async throws {
        // Puréed foods are püriert in German.
        let larder = try await Larder("Puréed carrot = Karotte püriert: 90", "Chicken curry")
        #expect(try await larder.find("curie") == ["Chicken curry", "Puréed carrot"])
        // Two wrong letters in a word of six.
        #expect(try await Larder("Courge: 90", "Curry").find("curie") == ["Curry", "Courge"])
    }

    @Test func `a word with the same vowels comes before one that has only its consonants`() async throws {
        let larder = try await Larder("Pea soup: 90", "Kung pao chicken: 90", "Apple pie")
        #expect(try await larder.find("py").first == "Apple pie")
        #expect(try await larder.find("py").count == 3)
    }

    @Test func `a word with one wrong letter comes before one that sounds the same`() async throws {
        #expect(try await Larder("Peas: 90", "Peach").find("peace") == ["Peach", "Peas"])
        #expect(try await Larder("Steak: 90", "Sake").find("stake") == ["Sake", "Steak"])
    }

    @Test func `a name that only sounds alike comes after closer ones, and not beside an exact match`() async throws {
        let larder = try await Larder("Curry: 90", "Curd")
        #expect(try await larder.find("cure") == ["Curd", "Curry"])
        #expect(try await Larder("Steak: 90", "Stake").find("stake") == ["Stake"])
    }
}
