/// What is wrong with what a diary keeps beside its entries and ingredients: sums, counts and an index, which all follow from these.
///
/// ```swift
/// let check = try await repositories.totals.check()
/// if !check.isSound { try await repositories.totals.rebuild() }
/// ```
public struct FoodDiaryCheck: Hashable, Sendable {
    /// Where something is wrong: at how many places, and at which first.
    public struct Places<Place: Hashable & Comparable & Sendable>: Hashable, Sendable {
        /// How many there are.
        public let count: Int

        /// The first of them, in order; at most 100.
        public let first: [Place]

        /// Names the places.
        public init(_ places: some Sequence<Place>) {
            let sorted = Set(places).sorted()
            count = sorted.count
            first = Array(sorted.prefix(100))
        }
    }

    /// The days from the first entry to the last; `nil` without entries.
    public let days: ClosedRange<FoodDay>?

    /// The days whose total is not the sum of their entries: their number, nutrients and confidence.
    public let totals: Places<FoodDay>

    /// The days whose entries are not counted at the hours at which they are.
    public let hours: Places<FoodDay>

    /// The ingredients that stand in another number of entries than is kept, and those that entries speak of and that are gone.
    public let usage: Places<Ingredient.ID>

    /// The ingredients of which the index for searches holds anything else than their names and uses, and those it holds that are gone.
    public let index: Places<Ingredient.ID>

    /// Whether nothing is wrong.
    public var isSound: Bool { totals.count + hours.count + usage.count + index.count == 0 }

    /// Says what is wrong. Default: nothing.
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
