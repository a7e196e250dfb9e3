import FoodDiaryKit
import Foundation

/// Numbers and days as the user reads them.
enum Words {
    static func energy(_ kilocalories: Double) -> String { "\(whole(kilocalories)) kcal" }

    static func grams(_ grams: Double) -> String {
        "\(grams.formatted(.number.precision(.fractionLength(0...1)))) g"
    }

    static func day(_ day: FoodDay) -> String {
        // The day is a date of the calendar, so it is formatted in the zone in which it was
        // computed.
        day.start(in: .gmt).formatted(
            Date.FormatStyle(timeZone: .gmt).weekday(.abbreviated).day().month(.abbreviated)
        )
    }

    static func days(_ trend: Trend) -> String {
        guard let first = trend.days.first, let last = trend.days.last else { return "" }
        return "\(day(first.day)) – \(day(last.day))"
    }

    static func date(_ date: Date) -> String {
        date.formatted(date: .abbreviated, time: .shortened)
    }

    static func unit(_ unit: AmountUnit) -> String {
        switch unit {
        case .grams: "g"
        case .portion(let portion): "\(portion.name) (\(grams(portion.grams)))"
        }
    }

    static func whole(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(0)))
    }
}
