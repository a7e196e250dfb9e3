import FoodDiaryKit
import Foundation

/// The output for scripts: one object per answer, with sorted names, and days and times in ISO 8601.
package enum DiaryJSON {
    /// The recovery notices that the user hasn't acknowledged. Every answer of the running command includes them.
    @TaskLocal static var notice: @Sendable () -> [RecoveryNotice] = { [] }

    package static func text(_ value: some Encodable) throws -> String {
        let notices = notice()
        if !notices.isEmpty { return try plainText(Noted(answer: value, notices: notices)) }
        return try plainText(value)
    }

    /// An answer together with its notices.
    private struct Noted<Answer: Encodable>: Encodable {
        let answer: Answer
        let notices: [RecoveryNotice]

        private enum Key: String, CodingKey { case recoveries }

        func encode(to encoder: any Encoder) throws {
            try answer.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(notices, forKey: .recoveries)
        }
    }

    private static func plainText(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// A range of days.
    struct Days: Encodable {
        let first: FoodDay
        let last: FoodDay

        init(_ days: ClosedRange<FoodDay>) { (first, last) = (days.lowerBound, days.upperBound) }
    }

    struct Entry: Encodable {
        let id: Int64
        let name: String
        @OrNull var ingredient: Int64?
        let grams: Double
        let nutrients: Nutrients
        let day: FoodDay
        let time: String
        let date: Date
        let timeZone: String
        let confidence: Double

        init(_ entry: FoodEntry) {
            id = entry.id.rawValue
            name = entry.name
            ingredient = entry.ingredientID?.rawValue
            grams = entry.grams
            nutrients = entry.nutrients
            day = entry.day
            time = DayName.time(entry.moment)
            date = entry.moment.date
            timeZone = entry.moment.timeZone
            confidence = entry.confidence
        }
    }

    struct Total: Encodable {
        let day: FoodDay
        let entryCount: Int
        let nutrients: Nutrients
        @OrNull var averageConfidence: Double?

        init(_ total: DailyTotal) {
            day = total.day
            entryCount = total.entryCount
            nutrients = total.nutrients
            averageConfidence = total.averageConfidence
        }
    }

    struct Food: Encodable {
        let id: Int64
        let name: String
        let aliases: [String]
        let category: String
        let per100Grams: Nutrients
        let portions: [Ingredient.Portion]
        let usageCount: Int

        init(_ ingredient: Ingredient) {
            id = ingredient.id.rawValue
            name = ingredient.name
            aliases = ingredient.aliases
            category = ingredient.category.rawValue
            per100Grams = ingredient.nutrients
            portions = ingredient.portions
            usageCount = ingredient.usageCount
        }
    }

    struct Most: Encodable {
        let ingredient: Int64
        let name: String
        let entryCount: Int
        let grams: Double
        let kilocalories: Double

        init(_ consumption: IngredientConsumption) {
            ingredient = consumption.id.rawValue
            name = consumption.name
            entryCount = consumption.entryCount
            grams = consumption.grams
            kilocalories = consumption.kilocalories
        }
    }
}

/// A screen with JSON output for scripts.
package protocol JSONScreen {
    func json() throws -> String
}

extension DayScreen: JSONScreen {
    private struct Answer: Encodable {
        let day: FoodDay
        let total: DiaryJSON.Total
        let entries: [DiaryJSON.Entry]
    }

    package func json() throws -> String {
        try DiaryJSON.text(Answer(day: day, total: DiaryJSON.Total(total), entries: entries.map(DiaryJSON.Entry.init)))
    }
}

extension MonthScreen: JSONScreen {
    private struct Answer: Encodable {
        let month: String
        let totals: [DiaryJSON.Total]
    }

    package func json() throws -> String { try DiaryJSON.text(Answer(month: month.description, totals: totals.map(DiaryJSON.Total.init))) }
}

extension TrendsScreen: JSONScreen {
    private struct Answer: Encodable {
        let days: DiaryJSON.Days
        @OrNull var averageKilocalories: Double?
        @OrNull var averageMacros: Macronutrients?
        let most: [DiaryJSON.Most]
        let totals: [DiaryJSON.Total]
    }

    package func json() throws -> String {
        let answer = Answer(
            days: DiaryJSON.Days(days),
            averageKilocalories: averageEnergy,
            averageMacros: averageMacros,
            most: most.map(DiaryJSON.Most.init),
            totals: totals.map(DiaryJSON.Total.init)
        )
        return try DiaryJSON.text(answer)
    }
}

extension StatsScreen: JSONScreen {
    private struct Answer: Encodable {
        let days: DiaryJSON.Days
        let entryCount: Int
        @OrNull var averageConfidence: Double?
        let entriesByHour: [Int]
    }

    package func json() throws -> String {
        try DiaryJSON.text(
            Answer(days: DiaryJSON.Days(days), entryCount: entryCount, averageConfidence: averageConfidence, entriesByHour: hours)
        )
    }
}

extension SearchScreen: JSONScreen {
    private struct Answer: Encodable {
        let query: String
        let ingredients: [DiaryJSON.Food]
    }

    package func json() throws -> String { try DiaryJSON.text(Answer(query: typed, ingredients: found.map(DiaryJSON.Food.init))) }
}
