import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct SearchWordTests {
    private func plain(_ text: String) -> [String] { SearchText.words(of: text).map(\.plain) }

    private func folded(_ text: String) -> [String] { SearchText.words(of: text).map(\.folded) }

    private func key(_ text: String) -> String { SearchText.key(of: SearchText.words(of: text), text) }

    @Test func `words are letters and digits, in lower case`() {
        #expect(plain("Whole-Milk, 3.5% (UHT)") == ["whole", "milk", "3", "5", "uht"])
        #expect(plain("l'Avoine") == ["l", "avoine"])
        #expect(plain(" \u{0}\t\"'*()") == [])
    }

    @Test func `accents are kept in the plain form and removed in the folded one`() {
        #expect(plain("Crème Fraîche") == ["crème", "fraîche"])
        #expect(folded("Crème Fraîche") == ["creme", "fraiche"])
        #expect(plain("PHỞ BÒ") == ["phở", "bò"])
        #expect(folded("PHỞ BÒ") == ["pho", "bo"])
    }

    @Test func `a combining accent equals the precomposed character`() {
        #expect(SearchText.words(of: "cre\u{300}me") == SearchText.words(of: "crème"))
    }

    @Test(arguments: [
        ("Süßkartoffel", "susskartoffel"), ("œuf", "oeuf"), ("Smørrebrød", "smorrebrod"), ("Đậu", "dau"), ("łosoś", "losos"),
        ("İnek", "inek"),
        ("ĳs", "ijs"), ("йогурт", "иогурт"), ("γάλα", "γαλα"), ("ＭＩＬＫ", "milk"), ("ǽ", "ae"),
        ("Nutella™", "nutella"), ("𝐁utter", "butter"),
    ])
    func `letters are folded to the plain ones of their script`(_ text: String, _ expected: String) {
        #expect(folded(text) == [expected])
    }

    @Test func `the vowel signs of other scripts are not accents`() {
        // Without its signs दूध, milk, would be दध.
        #expect(folded("दूध") == ["दूध"])
        #expect(folded("นม") == ["นม"])
        #expect(folded("한국") == ["한국"])
    }

    @Test func `katakana is folded to hiragana, and is kept as typed too`() {
        #expect(folded("バター ﾊﾞﾀｰ ヴィ") == ["ばたー", "ばたー", "ゔぃ"])
        #expect(plain("バター") == ["バター"])
        #expect(SearchText.words(of: "ラー")[0].indexed == ["ら", "ー", "らー"])
        #expect(SearchText.words(of: "ラー")[0].pairs == ["らー"])
    }

    @Test func `text without spaces is one word that is searched in pairs`() {
        let words = SearchText.words(of: "牛乳 low-fat牛肉")
        #expect(words.map(\.plain) == ["牛乳", "low", "fat", "牛肉"])
        #expect(words.map(\.isUnspaced) == [true, false, false, true])
        #expect(words[0].indexed == ["牛", "乳", "牛乳"])
        #expect(words[0].pairs == ["牛乳"])
        #expect(SearchWord("牛", isUnspaced: true).pairs == ["牛"])
    }

    @Test func `a name is looked up by its words only`() {
        #expect(key("Non-fat  Milk!") == "non fat milk")
        #expect(key("Crème") == "creme")
        #expect(key("🍎") == "🍎")
        #expect(key("") == "")
    }

    @Test func `a long word is truncated`() {
        #expect(plain(String(repeating: "a", count: 500)).map(\.count) == [SearchWord.maxLength])
        #expect(plain(String(repeating: "é", count: 500)).map(\.count) == [SearchWord.maxLength])
    }

    @Test func `simple letters are read like all others`() {
        // The short path must give the same result as the long one, which a wide letter forces.
        for number in Array(0x80...0x33FF) + Array(stride(from: 0x3400, through: 0x10FFFF, by: 997)) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let short = SearchText.words(of: "x \(scalar)").dropFirst()
            let long = SearchText.words(of: "x \(scalar) ｗ").dropFirst().dropLast()
            #expect(Array(short) == Array(long), "U+\(String(number, radix: 16))")
        }
    }
}
