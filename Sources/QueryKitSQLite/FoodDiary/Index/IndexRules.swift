import FoodDiaryKit
import QueryKitSQLite

/// The rules by which the index is made of ingredients, as one number that the database keeps beside it.
///
/// A row of the index can be taken out only with exactly the words that were put in. An index that was made by other rules, of an earlier version of the
/// app or of a system that knows another version of Unicode, would keep what nobody can take out. So it is made anew when the database is opened.
enum IndexRules {
    /// To be raised by hand with each change of what the index holds of an ingredient: in `SearchText`, `SearchWord.indexed`, `LetterFolding` and
    /// `Vocabulary.holds`, and of the keys, terms and ranks of `IngredientIndex`. What only searches do with it needs no other number.
    static let number: Int64 = 2

    /// What is kept beside the index.
    static let mark = mark(of: number)

    /// The rules of a number on this system (FNV-1a, the same in each process).
    static func mark(of number: Int64) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(number)\0\(samples.map(indexed).joined(separator: "\0"))".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }

    /// All that the index holds of a name.
    private static func indexed(_ name: String) -> String {
        let ingredient = Ingredient(id: Ingredient.ID(rawValue: 1), Ingredient.Draft(name: name, nutrients: .zero))
        let terms = SearchText.words(of: name).compactMap(\.correctable)
        let row = ["\(IngredientIndex.rank(of: ingredient))", IngredientIndex.text(of: ingredient)]
        return (row + IngredientIndex.keys(of: ingredient) + terms).joined(separator: "\n")
    }

    /// Names about which the tables of Unicode decide. The last are letters that came with its versions 9 to 17: older systems take them for no letters.
    private static let samples = [
        "Crème brûlée", "Œufs à la neige ½ ㎏", "ﬁsh & ﬂour Ⅷ", "ＭＩＬＫ™", "İÇLİ KÖFTE ıspanak", "STRAẞE Straße", "ΦΑΣΟΛΑΔΑ ς", "Щи ЁЖ",
        "Phở bò BƠ",
        "さしみ ｷﾞｮｰｻﾞ", "김치 牛乳", "ต้มยำ", "कढ़ी", "חַלָּה", "حُمُّص", "🍕", "\u{1E900}\u{1E922}", "\u{1C90}\u{1CBD}", "\u{16E40}", "\u{A7C2}\u{A7C7}",
        "\u{10570}\u{A7C0}", "\u{11F04}", "\u{2EBF0}", "\u{10D50}\u{A7DC}", "\u{16EA0}\u{A7D2}",
    ]
}
