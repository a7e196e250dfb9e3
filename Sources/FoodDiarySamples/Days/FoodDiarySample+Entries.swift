public import FoodDiaryKit

extension FoodDiarySample {
    /// The number of entries on all days, counted without creating them.
    public var entryCount: Int { days.reduce(0) { $0 + SampleDay($1, of: self).count } }

    /// The entries, in batches of some days, oldest first, so that years of entries are never in memory at once.
    ///
    /// The first ingredients are eaten most; a few thousand are enough. A few entries are for food that is not listed.
    public func entries(of ingredients: [Ingredient]) -> Entries { Entries(sample: self, menu: SampleMenu(ingredients)) }

    /// Batches of entries, oldest first.
    public struct Entries: IteratorProtocol, Sendable {
        private let sample: FoodDiarySample
        private let menu: SampleMenu
        private var day: FoodDay?

        init(sample: FoodDiarySample, menu: SampleMenu) {
            self.sample = sample
            self.menu = menu
            day = sample.days.lowerBound
        }

        /// The entries of the next days: about a thousand, or those of a single day; `nil` after the last day.
        public mutating func next() -> [FoodEntry.Draft]? {
            var batch: [FoodEntry.Draft] = []
            while batch.count < 1000, let day {
                batch += SampleDay(day, of: sample).entries(from: menu)
                self.day = day < sample.days.upperBound ? day.advanced(by: 1) : nil
            }
            return batch.isEmpty ? nil : batch
        }
    }
}
