/// The changes to derived data when entries are added and removed: the totals of days, the counts of hours, the usage of ingredients.
///
/// These changes are written once, after all entries, in the transaction of the entries. Sums of integers are exact, so no day is summed up
/// again.
package struct DiaryTally {
    package struct Day {
        package var entryCount: Int64 = 0
        package var nutrients = Nutrients.zero
        package var confidence: Int64 = 0
        /// The change in the number of entries by hour. A dictionary, because an array would be larger than its contents.
        package var hours: [Int: Int64] = [:]

        /// Whether the total of the day stays the same, for example because only the name of an entry has changed.
        package var isEven: Bool { entryCount == 0 && confidence == 0 && nutrients == .zero }
    }

    package private(set) var days: [FoodDay: Day] = [:]
    package private(set) var usage: [Ingredient.ID: Int] = [:]

    package init() {}

    package mutating func add(_ entry: FoodEntry) { count(entry, 1) }

    package mutating func remove(_ entry: FoodEntry) { count(entry, -1) }

    private mutating func count(_ entry: FoodEntry, _ sign: Int64) {
        var day = days[entry.day] ?? Day()
        day.entryCount += sign
        day.nutrients = sign > 0 ? day.nutrients + entry.nutrients : day.nutrients - entry.nutrients
        day.confidence += sign * Nutrients.rounded(entry.confidence)
        day.hours[entry.moment.hour, default: 0] += sign
        days[entry.day] = day
        if let ingredient = entry.ingredientID { usage[ingredient, default: 0] += Int(sign) }
    }
}
