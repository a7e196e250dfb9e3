import Testing

@testable import FoodDiaryKit

struct NameWordsTests {
    private let milk = Ingredient.ID(rawValue: 1_000)

    private func plain(_ names: [SearchName]) -> [[String]] { names.map { $0.words.map(\.plain) } }

    @Test func `the words of a name and its aliases are the same from the cache`() {
        let words = NameWords()
        let first = words.names(of: milk, "Whole Milk", aliases: "Lait entier\nVollmilch")
        let second = words.names(of: milk, "Whole Milk", aliases: "Lait entier\nVollmilch")
        #expect(plain(first) == [["whole", "milk"], ["lait", "entier"], ["vollmilch"]])
        #expect(plain(second) == plain(first))
        #expect(words.known == [milk])
    }

    @Test func `a changed name or alias is split again`() {
        let words = NameWords()
        _ = words.names(of: milk, "Whole Milk", aliases: "Lait")
        #expect(plain(words.names(of: milk, "Skimmed Milk", aliases: "Lait")) == [["skimmed", "milk"], ["lait"]])
        #expect(plain(words.names(of: milk, "Skimmed Milk", aliases: "Leche")) == [["skimmed", "milk"], ["leche"]])
        #expect(plain(words.names(of: milk, "Skimmed Milk", aliases: "")) == [["skimmed", "milk"]])
        #expect(words.known == [milk])
    }

    @Test func `an older entry with another name is split again`() {
        let words = NameWords(limit: 1)
        _ = words.names(of: milk, "Whole Milk", aliases: "")
        #expect(plain(words.names(of: milk, "Oat Milk", aliases: "")) == [["oat", "milk"]])
        #expect(plain(words.names(of: milk, "Oat Milk", aliases: "")) == [["oat", "milk"]])
    }

    @Test func `the cache is bounded and keeps recently used entries`() {
        let words = NameWords(limit: 8)
        for number in 0..<100 {
            _ = words.names(of: milk, "Milk", aliases: "")
            _ = words.names(of: Ingredient.ID(rawValue: Int64(number)), "Food \(number)", aliases: "")
            #expect(words.known.count <= 16)
        }
        #expect(words.known.contains(milk))
        #expect(!words.known.contains(Ingredient.ID(rawValue: 0)))
    }

    @Test func `a name without words is known by its text`() {
        let words = NameWords()
        for _ in 0..<2 {
            let names = words.names(of: milk, "🥛", aliases: "🐄\n\nMilk")
            #expect(names.map(\.text) == ["🥛", "🐄", ""])
            #expect(plain(names) == [[], [], ["milk"]])
        }
    }
}
