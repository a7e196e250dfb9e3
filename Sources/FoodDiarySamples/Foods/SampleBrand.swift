import FoodDiaryKit

/// Invented brand names. The first hundred thousand are all different.
struct SampleBrands {
    private let start: Int
    /// Excluded as brands, because a brand equal to a word of the foods could produce an existing name.
    private let words: Set<String>

    init(seed: UInt64, besides words: Set<String>) {
        var random = SampleRandom(seed: seed, of: -1)
        start = random.below(Self.count)
        self.words = words
    }

    func word(_ brand: Int) -> String {
        // The factor and the count have no common divisor, so all numbers occur before one repeats.
        var rest = (start + brand * 60_013) % Self.count
        var word = ""
        for part in Self.parts {
            word += part[rest % part.count]
            rest /= part.count
        }
        return words.contains(word) ? word + "x" : word
    }

    /// Consonants and vowels alternate, so each word can be formed in only one way.
    private static let parts = [
        "b c d f g h j k l m n p r s t v w z br cl dr fl gr kr pr tr",
        "a e i o u ei au ea",
        "b d f g k l m n p r s t v z ll nn rr lm nd nt rd rk rl sk st lt",
        "a o e i ia io ea eo ina ino ara aro ela elo issa ona oni ero eto ica ival el an or",
    ].map { $0.split(separator: " ").map { String($0) } }

    static let count = parts.reduce(1) { $0 * $1.count }
}
