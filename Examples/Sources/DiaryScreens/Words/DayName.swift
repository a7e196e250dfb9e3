package import FoodDiaryKit
import Foundation

/// Days, months and times as text, always in English.
package enum DayName {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    /// `Saturday, 21 November 2026`.
    package static func long(_ day: FoodDay) -> String { "\(weekday(day.weekday)), \(day.dayOfMonth) \(month(day.month)) \(day.year)" }

    /// `21 Nov`.
    package static func short(_ day: FoodDay) -> String { "\(day.dayOfMonth) \(shortMonth(day.month))" }

    /// `November 2026`.
    package static func long(_ month: FoodMonth) -> String { "\(self.month(month.month)) \(month.year)" }

    /// `1 Nov – 21 Nov 2026`; both years if they differ.
    package static func range(_ days: ClosedRange<FoodDay>) -> String {
        let (first, last) = (days.lowerBound, days.upperBound)
        if first == last { return long(first) }
        return short(first) + (first.year == last.year ? "" : " \(first.year)") + " – \(short(last)) \(last.year)"
    }

    package static func weekday(_ weekday: FoodWeekday) -> String { weekdays[weekday.rawValue - 1] }

    package static func shortWeekday(_ weekday: FoodWeekday) -> String { String(self.weekday(weekday).prefix(2)) }

    package static func month(_ month: Int) -> String { months[(month - 1) % 12] }

    package static func shortMonth(_ month: Int) -> String { String(self.month(month).prefix(3)) }

    /// The seven days of a week, beginning with the given one.
    package static func week(from first: FoodWeekday) -> [FoodWeekday] {
        (0..<7).compactMap { FoodWeekday(rawValue: (first.rawValue - 1 + $0) % 7 + 1) }
    }

    /// The time on the local clock, `08:15`.
    package static func time(_ moment: FoodMoment) -> String {
        let zone = TimeZone(identifier: moment.timeZone) ?? .gmt
        let seconds = moment.date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: moment.date))
        let minutes = Int((seconds / 60).rounded(.down))
        return twoDigits(moment.hour) + ":" + twoDigits((minutes % 60 + 60) % 60)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
