import FoodDiaryKit

/// Misspells names as people do: an extra letter, a missing one, a wrong one, or two exchanged. The same seed gives the same errors.
struct Misspelling {
    private var random: SampleRandom

    init(seed: UInt64) { random = SampleRandom(seed: seed) }

    /// The minimum length of a word to misspell. Two errors occur only in words longer than five letters.
    private static let shortest = 4

    /// A name with one or two errors; `nil` if no word is long enough.
    ///
    /// Two errors may be in the same word or in two different words.
    mutating func misspelled(_ name: String, errors: Int) -> String? {
        var words = SearchText.words(of: name).map { word in (letters: Array(word.plain), isFit: !word.isUnspaced) }
        let places = words.indices.filter { words[$0].isFit && words[$0].letters.count >= Self.shortest }
        let long = places.filter { words[$0].letters.count > 5 }
        let original = words.map(\.letters)
        if errors == 1 {
            guard !places.isEmpty else { return nil }
            change(&words[places[random.below(places.count)]].letters)
        } else if places.count > 1, long.isEmpty || random.below(2) == 0 {
            let first = random.below(places.count)
            let second = (first + 1 + random.below(places.count - 1)) % places.count
            change(&words[places[first]].letters)
            change(&words[places[second]].letters)
        } else {
            guard !long.isEmpty else { return nil }
            let place = long[random.below(long.count)]
            change(&words[place].letters)
            change(&words[place].letters)
        }
        // Two errors may have cancelled each other out.
        guard words.map(\.letters) != original else { return misspelled(name, errors: errors) }
        return words.map { String($0.letters) }.joined(separator: " ")
    }

    /// A text that is not a food in any language.
    mutating func noise() -> String {
        let words = (0...random.below(2)).map { _ in String((0..<8 + random.below(5)).map { _ in letter() }) }
        return words.joined(separator: " ")
    }

    /// A random number below `bound`.
    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    private mutating func letter() -> Character {
        Character(Unicode.Scalar(UInt8(97 + random.below(26))))
    }

    private mutating func change(_ word: inout [Character]) {
        let place = random.below(word.count)
        switch random.below(4) {
        case 0: word.insert(letter(), at: random.below(word.count + 1))
        case 1: word.remove(at: place)
        case 2: word[place] = letter()
        default: word.swapAt(min(place, word.count - 2), min(place, word.count - 2) + 1)
        }
    }
}
