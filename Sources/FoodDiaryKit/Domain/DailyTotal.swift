/// What was eaten on one day, all in all.
public struct DailyTotal: Identifiable, Hashable, Codable, Sendable {
    /// The day.
    public let day: FoodDay

    /// How many entries it has.
    public let entryCount: Int

    /// What was in all of them together.
    public let nutrients: Nutrients

    /// How sure the entries are on the whole, from 0 to 1; `nil` without entries.
    public let averageConfidence: Double?

    public var id: FoodDay { day }

    /// Creates a total.
    public init(day: FoodDay, entryCount: Int, nutrients: Nutrients, averageConfidence: Double?) {
        self.day = day
        self.entryCount = entryCount
        self.nutrients = nutrients
        self.averageConfidence = averageConfidence
    }

    /// The total of a day on which nothing was eaten yet.
    public static func empty(_ day: FoodDay) -> DailyTotal {
        DailyTotal(day: day, entryCount: 0, nutrients: .zero, averageConfidence: nil)
    }
}

/// What was eaten over some days, all in all and a day.
///
/// Averages are over days with entries: a day without one was mostly not logged, rather than fasted.
public struct NutritionalSummary: Hashable, Codable, Sendable {
    /// The days that were asked for.
    public let days: ClosedRange<FoodDay>

    /// On how many of them something was logged.
    public let loggedDays: Int

    /// How many entries they have.
    public let entryCount: Int

    /// What was in all of them together.
    public let nutrients: Nutrients

    /// How sure the entries are on the whole, from 0 to 1; `nil` without entries.
    public let averageConfidence: Double?

    /// Creates a summary.
    public init(days: ClosedRange<FoodDay>, loggedDays: Int, entryCount: Int, nutrients: Nutrients, averageConfidence: Double?) {
        self.days = days
        self.loggedDays = loggedDays
        self.entryCount = entryCount
        self.nutrients = nutrients
        self.averageConfidence = averageConfidence
    }

    /// What a day has on average; `nil` if nothing was logged.
    public var averagePerDay: Nutrients? { loggedDays == 0 ? nil : nutrients.scaled(by: 1 / Double(loggedDays)) }
}

/// How much of an ingredient was eaten over some days.
public struct IngredientConsumption: Identifiable, Hashable, Codable, Sendable {
    /// The ingredient.
    public let id: Ingredient.ID

    /// What it is called today.
    public let name: String

    /// In how many entries it stands.
    public let entryCount: Int

    /// How much of it was eaten.
    public let grams: Double

    /// How much energy that had.
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
    /// The mean of so many confidences; `nil` of none.
    package static func average(thousandths sum: Int64, of count: Int) -> Double? { count == 0 ? nil : Double(sum) / Double(count) / 1000 }
}
