import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct SpellingTests {
    /// Errors by the well-known table: letters added, missing, wrong, or swapped with the next.
    static func errors(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf16), Array(right.utf16))
        var table = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for row in 0...left.count {
            for column in 0...right.count {
                if row == 0 || column == 0 {
                    table[row][column] = row + column
                    continue
                }
                let isSame = left[row - 1] == right[column - 1]
                var best = min(table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[left.count][right.count]
    }

    /// Errors between a word and the nearest prefix of another.
    static func prefixErrors(_ word: String, _ other: String) -> Int {
        (0...other.utf16.count).map { errors(word, String(decoding: Array(other.utf16.prefix($0)), as: UTF16.self)) }.min() ?? 0
    }

    /// Words of few letters, so that many are similar.
    static func words(_ count: Int, seed: UInt64, letters: String = "abcé") -> [String] {
        var random = SampleRandom(seed: seed)
        let letters = Array(letters)
        return Set((0..<count).map { _ in String((0..<random.within(3...9)).map { _ in letters[random.below(letters.count)] }) }).sorted {
            $0.utf16.lexicographicallyPrecedes($1.utf16)
        }
    }

    private func vocabulary(_ words: [String]) -> Vocabulary {
        var vocabulary = Vocabulary()
        vocabulary.insert(words.enumerated().map { (Int64($0.offset + 1), $0.element) })
        return vocabulary
    }

    @Test(arguments: [
        ("chicken", "chiken", 1), ("chicken", "chikcen", 1), ("chicken", "chickken", 1), ("chicken", "chickan", 1),
        ("chicken", "hciken", 2),
        ("ab", "ba", 1), ("abc", "ca", 3),
    ])
    func `each kind of error counts as one`(_ word: String, _ other: String, _ count: Int) {
        #expect(Self.errors(word, other) == count)
        let found = vocabulary([other]).corrections(of: word, asPrefix: false)
        #expect(found.first?.errors == (count < 3 && word.count > 2 ? count : nil))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `the bit-parallel count equals that of the table`(_ seed: UInt64) {
        let words = Self.words(150, seed: seed)
        let vocabulary = vocabulary(words)
        for typed in Self.words(25, seed: seed + 100) {
            for asPrefix in [false, true] {
                let found = vocabulary.corrections(of: typed, asPrefix: asPrefix)
                let length = typed.utf16.count
                var expected: [String: Int] = [:]
                for word in words {
                    let whole = Self.errors(typed, word)
                    var errors = whole <= Vocabulary.maxErrors(max(length, word.utf16.count)) ? whole : Int.max
                    if asPrefix, length >= Vocabulary.minPrefixLength, Self.prefixErrors(typed, word) <= Vocabulary.maxErrors(length) {
                        errors = min(errors, Self.prefixErrors(typed, word))
                    }
                    if errors > 0, errors < Int.max { expected[word] = errors }
                }
                #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.word, $0.errors) }) == expected, "\(typed)")
                #expect(found.map(\.errors) == found.map(\.errors).sorted())
            }
        }
    }

    @Test func `words added later are found like earlier ones`() {
        let words = Self.words(300, seed: 7).enumerated().map { (id: Int64($0.offset), word: $0.element) }
        var whole = Vocabulary()
        whole.insert(words)
        var grown = Vocabulary()
        for rest in 0..<5 { grown.insert(words.filter { $0.id % 5 == rest }) }
        #expect(grown.count == whole.count)
        for typed in Self.words(30, seed: 8) {
            #expect(grown.corrections(of: typed, asPrefix: true) == whole.corrections(of: typed, asPrefix: true))
        }
    }

    @Test func `words added after a database snapshot don't count in it`() {
        let vocabulary = vocabulary(["chicken", "chickpea"])
        #expect(vocabulary.corrections(of: "chickn", asPrefix: false, upTo: 0).isEmpty)
        #expect(vocabulary.corrections(of: "chickn", asPrefix: false, upTo: 1).map(\.word) == ["chicken"])
    }

    @Test func `a vocabulary lacks a word only if no name can have it`() {
        let vocabulary = vocabulary(["bread", "breadfruit", "oat"])
        for (word, asPrefix) in [("bread", false), ("brea", true), ("bread", true), ("oat", false)] {
            #expect(!vocabulary.lacks(word, asPrefix: asPrefix), "\(word)")
        }
        for (word, asPrefix) in [("brea", false), ("breads", true), ("oats", false), ("zzz", true)] {
            #expect(vocabulary.lacks(word, asPrefix: asPrefix), "\(word)")
        }
        // Too short or too long for the vocabulary, or with accents, which it doesn't store.
        for word in ["zz", String(repeating: "z", count: 61), "zzé"] { #expect(!vocabulary.lacks(word, asPrefix: false), "\(word)") }
    }

    @Test func `short words allow one error, long ones two`() {
        let vocabulary = vocabulary(["beans", "bananas", "oat"])
        #expect(vocabulary.corrections(of: "bens", asPrefix: false).map(\.word) == ["beans"])
        #expect(vocabulary.corrections(of: "bxxns", asPrefix: false).isEmpty)
        #expect(vocabulary.corrections(of: "bannas", asPrefix: false).map(\.errors) == [1])
        #expect(vocabulary.corrections(of: "bxnaxas", asPrefix: false).map(\.errors) == [2])
        #expect(vocabulary.corrections(of: "ot", asPrefix: true).isEmpty)
        #expect(vocabulary.corrections(of: String(repeating: "a", count: 100), asPrefix: true).isEmpty)
    }
}
