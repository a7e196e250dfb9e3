/// The total of everything eaten on one day.
public struct DailyTotal: Identifiable, Hashable, Codable, Sendable {
    /// The day.
    public let day: FoodDay

    /// The number of entries on that day.
    public let entryCount: Int

    /// The sum of the nutrients of all entries.
    public let nutrients: Nutrients

    /// The average confidence of the entries, from 0 to 1; `nil` without entries.
    public let averageConfidence: Double?

    public var id: FoodDay { day }

    /// Creates a total.
    public init(day: FoodDay, entryCount: Int, nutrients: Nutrients, averageConfidence: Double?) {
        self.day = day
        self.entryCount = entryCount
        self.nutrients = nutrients
        self.averageConfidence = averageConfidence
    }

    /// The total of a day without entries.
    public static func empty(_ day: FoodDay) -> DailyTotal {
        DailyTotal(day: day, entryCount: 0, nutrients: .zero, averageConfidence: nil)
    }
}

/// The total and the daily average of a range of days.
///
/// Averages count only days with entries, because a day without one was probably not logged rather than fasted.
public struct NutritionalSummary: Hashable, Codable, Sendable {
    /// The requested days.
    public let days: ClosedRange<FoodDay>

    /// The number of these days that have entries.
    public let loggedDays: Int

    /// The number of entries.
    public let entryCount: Int

    /// The sum of the nutrients of all entries.
    public let nutrients: Nutrients

    /// The average confidence of the entries, from 0 to 1; `nil` without entries.
    public let averageConfidence: Double?

    /// Creates a summary.
    public init(days: ClosedRange<FoodDay>, loggedDays: Int, entryCount: Int, nutrients: Nutrients, averageConfidence: Double?) {
        self.days = days
        self.loggedDays = loggedDays
        self.entryCount = entryCount
        self.nutrients = nutrients
        self.averageConfidence = averageConfidence
    }

    /// The average per day with entries; `nil` if nothing was logged.
    public var averagePerDay: Nutrients? { loggedDays == 0 ? nil : nutrients.scaled(by: 1 / Double(loggedDays)) }
}

/// How much of an ingredient was eaten in a range of days.
public struct IngredientConsumption: Identifiable, Hashable, Codable, Sendable {
    /// The ingredient.
    public let id: Ingredient.ID

    /// The ingredient's current name.
    public let name: String

    /// The number of entries with this ingredient.
    public let entryCount: Int

    /// The weight eaten, in grams.
    public let grams: Double

    /// The energy eaten, in kilocalories.
    public let kilocalories: Double

    /// Creates a line of the statistics.
    public init(id: Ingredient.ID, name: String, entryCount: Int, grams: Double, kilocalories: Double) {
        self.id = id
        self.name = name
        self.entryCount = entryCount
        self.grams = grams
        self.kilocalories = kilocalories
    }
}

extension DailyTotal {
    /// The mean of `count` confidences; `nil` if `count` is 0.
    package static func average(thousandths sum: Int64, of count: Int) -> Double? { count == 0 ? nil : Double(sum) / Double(count) / 1000 }
}
