public import FoodDiaryKit
public import Foundation

/// Generated data that resembles years of real use, for tests, benchmarks and demos. The data is the same on every machine and in each run.
///
/// ```swift
/// let sample = FoodDiarySample(days: lastYear, entriesPerDay: 12)
/// try await sample.fill(ingredients, entries) { done, total in
///     print(done, "of", total)
/// }
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

        /// The column of its names in the tables.
        var place: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
    }

    /// The seed of the random numbers. Another seed gives another sample with the same properties.
    public let seed: UInt64

    /// The number of ingredients, at most a million.
    ///
    /// The first ones are common foods. From about 8,000 on they are products of invented brands.
    public let ingredientCount: Int

    /// The languages of aliases.
    public let languages: [Language]

    /// The days with entries.
    public let days: ClosedRange<FoodDay>

    /// The average number of entries per day, not counting days without logging.
    public let entriesPerDay: Int

    /// The time zone of the user.
    public let timeZone: TimeZone

    /// The moment after which there are no entries; `nil` if all days are over. The entries before this moment are the same whether it is
    /// set or not.
    public let end: Date?

    /// Creates a sample.
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

    /// The ingredients, in batches, so that a million are never in memory at once.
    public func ingredients() -> Ingredients { Ingredients(sample: self) }

    /// Batches of ingredients, those eaten most first.
    public struct Ingredients: IteratorProtocol, Sendable {
        private let catalog: SampleCatalog
        private let count: Int
        private var position = 0

        init(sample: FoodDiarySample) {
            catalog = SampleCatalog(seed: sample.seed, languages: sample.languages)
            count = sample.ingredientCount
        }

        /// The next ingredients, at most a thousand; `nil` after the last one.
        public mutating func next() -> [Ingredient.Draft]? {
            guard position < count else { return nil }
            let numbers = position..<min(position + 1000, count)
            position = numbers.upperBound
            return numbers.map(catalog.draft)
        }
    }
}
