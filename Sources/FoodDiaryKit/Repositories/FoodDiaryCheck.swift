/// The errors in a diary's derived data: sums, counts and the search index, which are computed from entries and ingredients.
///
/// ```swift
/// let check = try await repositories.totals.check()
/// if !check.isSound { try await repositories.totals.rebuild() }
/// ```
public struct FoodDiaryCheck: Hashable, Sendable {
    /// The places of one kind of error: their number, and the first of them.
    public struct Places<Place: Hashable & Comparable & Sendable>: Hashable, Sendable {
        /// The number of places.
        public let count: Int

        /// The first places, in order; at most 100.
        public let first: [Place]

        /// Creates a list of places.
        public init(_ places: some Sequence<Place>) {
            let sorted = Set(places).sorted()
            count = sorted.count
            first = Array(sorted.prefix(100))
        }
    }

    /// The days from the first entry to the last; `nil` without entries.
    public let days: ClosedRange<FoodDay>?

    /// The days whose total differs from the sum of their entries, in number, nutrients or confidence.
    public let totals: Places<FoodDay>

    /// The days whose counts by hour differ from their entries.
    public let hours: Places<FoodDay>

    /// The ingredients whose usage count differs from the number of their entries, and deleted ingredients that entries refer to.
    public let usage: Places<Ingredient.ID>

    /// The ingredients whose names or usage differ in the search index, and deleted ingredients that the index contains.
    public let index: Places<Ingredient.ID>

    /// Whether there are no errors.
    public var isSound: Bool { totals.count + hours.count + usage.count + index.count == 0 }

    /// Creates a result. Default: no errors.
    public init(
        days: ClosedRange<FoodDay>?,
        totals: [FoodDay] = [],
        hours: [FoodDay] = [],
        usage: [Ingredient.ID] = [],
        index: [Ingredient.ID] = []
    ) {
        self.days = days
        self.totals = Places(totals)
        self.hours = Places(hours)
        self.usage = Places(usage)
        self.index = Places(index)
    }
}
