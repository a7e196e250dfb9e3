import FoodDiaryKit
import QueryKitSQLite

/// The rules by which the index is built from ingredients, as a number that is stored with the index.
///
/// A row can be removed from the index only with exactly the words that it was inserted with. If the index was built by other rules, for
/// example by an earlier version of the app or on a system with another Unicode version, some of its words could never be removed. So the
/// index is rebuilt when the database is opened.
enum IndexRules {
    /// Increase this number with each change of what the index contains for an ingredient: in `SearchText`, `SearchWord.indexed`,
    /// `LetterFolding` and `Vocabulary.holds`, and in the keys, terms and ranks of `IngredientIndex`. Changes that only affect searches
    /// need no new number.
    static let number: Int64 = 2

    /// The mark that is stored with the index.
    static let mark = mark(of: number)

    /// The mark for a number on this system (FNV-1a, the same in every process).
    static func mark(of number: Int64) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(number)\0\(samples.map(indexed).joined(separator: "\0"))".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }

    /// Everything that the index contains for a name.
    private static func indexed(_ name: String) -> String {
        let ingredient = Ingredient(id: Ingredient.ID(rawValue: 1), Ingredient.Draft(name: name, nutrients: .zero))
        let terms = SearchText.words(of: name).compactMap(\.correctable)
        let row = ["\(IngredientIndex.rank(of: ingredient))", IngredientIndex.text(of: ingredient)]
        return (row + IngredientIndex.keys(of: ingredient) + terms).joined(separator: "\n")
    }

    /// Names whose indexing depends on the Unicode tables. The last ones contain letters from Unicode 9 to 17, which older systems don't
    /// recognize as letters.
    private static let samples = [
        "Crème brûlée", "Œufs à la neige ½ ㎏", "ﬁsh & ﬂour Ⅷ", "ＭＩＬＫ™", "İÇLİ KÖFTE ıspanak", "STRAẞE Straße", "ΦΑΣΟΛΑΔΑ ς", "Щи ЁЖ",
        "Phở bò BƠ",
        "さしみ ｷﾞｮｰｻﾞ", "김치 牛乳", "ต้มยำ", "कढ़ी", "חַלָּה", "حُمُّص", "🍕", "\u{1E900}\u{1E922}", "\u{1C90}\u{1CBD}", "\u{16E40}", "\u{A7C2}\u{A7C7}",
        "\u{10570}\u{A7C0}", "\u{11F04}", "\u{2EBF0}", "\u{10D50}\u{A7DC}", "\u{16EA0}\u{A7D2}",
    ]
}
