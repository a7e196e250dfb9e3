import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// Typed or pasted text is only ever read as words.
struct HostileSearchTests {
    @Test(arguments: [
        "milk\" OR \"butter", "milk*", "milk OR butter", "NEAR(milk butter)", "words : milk", "{words} : milk", "-milk", "milk AND",
        "^milk", "(milk",
        "milk')--", "milk\u{0}butter", "\"", "\u{0}", "''", "milk \\", "=6461697279", "%", "_", "mil\u{202E}k", "\u{FFFF}", "milk\nbutter",
    ])
    func `operators and quotes have no special meaning`(_ typed: String) async throws {
        let larder = try await Larder("Milk", "Butter")
        let found = try await larder.find(typed)
        // Words that occur together in no name find both, like words of any other text.
        #expect([[], ["Milk"], ["Milk", "Butter"]].contains(found))
        _ = try await larder.relevant(typed)
    }

    @Test(arguments: [
        String(repeating: "a", count: 10_000), String(repeating: "milk ", count: 2_000), String(repeating: "牛", count: 10_000),
        String(repeating: "\u{301}", count: 10_000), String(repeating: "\" OR ", count: 2_000), String(repeating: "é ", count: 5_000),
        (0..<3_000).map { "w\($0)" }.joined(separator: " "), "e" + String(repeating: "\u{301}", count: 9_999),
    ])
    func `only the beginning of a long text is read`(_ typed: String) async throws {
        let larder = try await Larder("Milk = 牛奶", "Butter")
        _ = try await larder.find(typed)
        _ = try await larder.relevant(typed)
        // The part that is read has a limit, regardless of the contents.
        #expect(TypedText(typed).words.count <= TypedText.maxWords)
        #expect(TypedText(typed).plainWords.map(\.plain.unicodeScalars.count).reduce(0, +) <= TypedText.maxLength)
        #expect(FoodText(typed).groups.joined().count <= FoodText.maxWords)
    }

    @Test func `names may be as strange as typed text`() async throws {
        let larder = try await Larder()
        for name in [
            "\"Milk\" OR 1", "'); DROP TABLE ingredients; --", "NEAR", "AND", "OR NOT", "a\u{301}\u{301}\u{301}", "\u{200D}", "1.5 %",
        ] {
            try await larder.save(Ingredient.Draft(name: name, nutrients: .zero))
        }
        for ingredient in larder.ingredients.values {
            #expect(try await larder.find(ingredient.name).first == ingredient.name)
        }
    }
}
