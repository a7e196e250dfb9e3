import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct SentenceTests {
    private func larder() async throws -> Larder {
        try await Larder(
            "Egg: 3",
            "Scrambled egg: 9",
            "Rye bread",
            "White bread: 8",
            "Rye flour",
            "Butter: 5",
            "Peanut butter",
            "Milk = Milch, lait, leche, 牛奶: 4",
            "Oat milk",
            "Bread = 面包, Brot, pain",
            "Apple = Apfel, manzana, pomme",
            "Tomatoes = Tomate",
            "Chicken = pollo",
            "Rice = arroz, 米饭",
            "Bread roll"
        )
    }

    @Test func `the best match of each part comes first`() async throws {
        let found = try await larder().relevant("Two eggs and a slice of rye bread with butter")
        #expect(found == ["Egg", "Rye bread", "Butter", "Scrambled egg", "Peanut butter"])
    }

    @Test(arguments: [
        ("zwei Tomaten, ein Apfel und 200 ml Milch", ["Tomatoes", "Apple", "Milk"]), ("une pomme avec du lait", ["Apple", "Milk"]),
        ("arroz con pollo y una manzana", ["Rice", "Chicken", "Apple"]), ("牛奶和面包", ["Milk", "Bread"]), ("我吃了米饭", ["Rice"]),
        ("1kg appel", ["Apple"]), ("I had tomatos for breakfast!", ["Tomatoes"]),
    ])
    func `sentences in several languages are understood`(_ text: String, _ expected: [String]) async throws {
        #expect(try await larder().relevant(text).prefix(expected.count) == expected[...])
    }

    @Test(arguments: [FoodStopWords.articles, FoodStopWords.joints, FoodStopWords.numbers, FoodStopWords.measures, FoodStopWords.meals])
    func `words that are not foods are recognized as such`(_ list: String) {
        let words = FoodStopWords.list(list)
        #expect(words.count > 30)
        for word in words { #expect(FoodStopWords.contains(word), "\(word)") }
    }

    @Test func `words that join two foods are not part of a name`() async throws {
        let larder = try await Larder(
            "Egg and cress sandwich: 9",
            "Bread and butter pudding: 9",
            "One pot pasta: 9",
            "Egg",
            "Butter",
            "Milk"
        )
        #expect(try await larder.relevant("one egg and butter").prefix(2) == ["Egg", "Butter"])
        #expect(try await larder.relevant("two eggs and a glass of milk").prefix(2) == ["Egg", "Milk"])
    }

    @Test(arguments: ["", "  ", "and with of", "200 g", "the quick fox jumped yesterday", "?!", "12345"])
    func `a text without foods finds none`(_ text: String) async throws {
        #expect(try await larder().relevant(text).isEmpty)
    }

    @Test func `at most twenty results are given, and always the same ones`() async throws {
        let larder = try await Larder(FoodDiarySample.some(300))
        let text = "bread, milk, rice with chicken, tomato salad, apple, coffee and a glass of red wine"
        let found = try await larder.relevant(text, limit: 100)
        #expect(found.count == 20)
        #expect(try await larder.relevant(text, limit: 100) == found)
        #expect(try await larder.relevant(text, limit: 3) == Array(found.prefix(3)))
        #expect(try await larder.relevant(text, limit: 0).isEmpty)
    }

    @Test func `text is split at measures, numbers and signs`() {
        let groups = FoodText("two eggs, 2 slices rye bread & l'avoine; 250ml milk").groups.map { $0.map(\.folded) }
        #expect(
            groups == [["eggs"], ["rye", "bread", "avoine"], ["milk"]] || groups == [["eggs"], ["rye", "bread"], ["avoine"], ["milk"]]
        )
    }
}
