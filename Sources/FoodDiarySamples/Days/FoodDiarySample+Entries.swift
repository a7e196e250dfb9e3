public import FoodDiaryKit

extension FoodDiarySample {
    /// How many entries there are on all days; counted without making them.
    public var entryCount: Int { days.reduce(0) { $0 + SampleDay($1, of: self).count } }

    /// The entries, some days at a time and the oldest first: years are never in memory at once.
    ///
    /// What stands first among the ingredients is eaten most; a few thousand are enough. A few entries are of nothing that is listed.
    public func entries(of ingredients: [Ingredient]) -> Entries { Entries(sample: self, menu: SampleMenu(ingredients)) }

    /// Batches of entries, the oldest first.
    public struct Entries: IteratorProtocol, Sendable {
        private let sample: FoodDiarySample
        private let menu: SampleMenu
        private var day: FoodDay?

        init(sample: FoodDiarySample, menu: SampleMenu) {
            self.sample = sample
            self.menu = menu
            day = sample.days.lowerBound
        }

        /// The entries of the next days: about a thousand, or those of one day; `nil` after the last one.
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
