public import FoodDiaryKit
public import Foundation

/// Made-up data that looks like that of years, for tests, benchmarks and a first look: the same on every machine and each time.
///
/// ```swift
/// let sample = FoodDiarySample(days: lastYear, entriesPerDay: 12)
/// try await sample.fill(ingredients, entries) { done, total in print(done, "of", total) }
/// ```
public struct FoodDiarySample: Sendable {
    /// A language in which ingredients have aliases; names are English.
    public enum Language: String, CaseIterable, Sendable {
        case german = "de"
        case french = "fr"
        case spanish = "es"
        case vietnamese = "vi"
        case japanese = "ja"
        case chinese = "zh"

        /// Where its names stand in the tables.
        var place: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
    }

    /// What is drawn: another seed makes another sample of the same kind.
    public let seed: UInt64

    /// How many ingredients there are, at most a million.
    ///
    /// The first are common foods. From about 8,000 on they are products of invented brands.
    public let ingredientCount: Int

    /// The languages of aliases.
    public let languages: [Language]

    /// The days on which something is eaten.
    public let days: ClosedRange<FoodDay>

    /// How many entries a day has on average, when nothing is missed.
    public let entriesPerDay: Int

    /// Where somebody eats.
    public let timeZone: TimeZone

    /// The moment after which nothing has been eaten yet; `nil` if all days are over. What comes before it is the same with and without it.
    public let end: Date?

    /// Describes a sample.
    public init(
        seed: UInt64 = 1,
        ingredientCount: Int = 5_000,
        languages: [Language] = Language.allCases,
        days: ClosedRange<FoodDay>,
        entriesPerDay: Int = 12,
        timeZone: TimeZone = .gmt,
        end: Date? = nil
    ) {
        self.seed = seed
        self.ingredientCount = min(max(ingredientCount, 0), 1_000_000)
        self.languages = languages
        self.days = days
        self.entriesPerDay = min(max(entriesPerDay, 0), 100_000)
        self.timeZone = timeZone
        self.end = end
    }

    /// The ingredients, some at a time: a million are never in memory at once.
    public func ingredients() -> Ingredients { Ingredients(sample: self) }

    /// Batches of ingredients, what is eaten most first.
    public struct Ingredients: IteratorProtocol, Sendable {
        private let catalog: SampleCatalog
        private let count: Int
        private var position = 0

        init(sample: FoodDiarySample) {
            catalog = SampleCatalog(seed: sample.seed, languages: sample.languages)
            count = sample.ingredientCount
        }

        /// The next at most thousand ingredients; `nil` after the last one.
        public mutating func next() -> [Ingredient.Draft]? {
            guard position < count else { return nil }
            let numbers = position..<min(position + 1000, count)
            position = numbers.upperBound
            return numbers.map(catalog.draft)
        }
    }
}
