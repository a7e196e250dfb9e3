import FoodDiaryKit

/// Invented words for those who make food. No two of the first hundred thousand are alike.
struct SampleBrands {
    private let start: Int
    /// A brand that is a word of the foods would make names that exist already.
    private let words: Set<String>

    init(seed: UInt64, besides words: Set<String>) {
        var random = SampleRandom(seed: seed, of: -1)
        start = random.below(Self.count)
        self.words = words
    }

    func word(_ brand: Int) -> String {
        // The factor has no divisor in common with the count, so every number is met before one comes again.
        var rest = (start + brand * 60_013) % Self.count
        var word = ""
        for part in Self.parts {
            word += part[rest % part.count]
            rest /= part.count
        }
        return words.contains(word) ? word + "x" : word
    }

    /// Consonants and vowels take turns, so each word is put together in one way only.
    private static let parts = [
        "b c d f g h j k l m n p r s t v w z br cl dr fl gr kr pr tr",
        "a e i o u ei au ea",
        "b d f g k l m n p r s t v z ll nn rr lm nd nt rd rk rl sk st lt",
        "a o e i ia io ea eo ina ino ara aro ela elo issa ona oni ero eto ica ival el an or",
    ].map { $0.split(separator: " ").map { String($0) } }

    static let count = parts.reduce(1) { $0 * $1.count }
}
