package import FoodDiaryKit
package import Foundation
import Terminal

/// A day as a user types it: a date, or a word relative to the current day.
package enum DayWord: Hashable, Sendable {
    case today
    case yesterday
    case day(FoodDay)

    package func day(today: FoodDay) -> FoodDay {
        switch self {
        case .today: today
        case .yesterday: today.advanced(by: -1)
        case .day(let day): day
        }
    }

    init?(_ word: String) {
        switch word.lowercased() {
        case "today": self = .today
        case "yesterday": self = .yesterday
        default:
            guard let day = FoodDay(word) else { return nil }
            self = .day(day)
        }
    }
}

/// A moment as a user types it: a time today, or a time on a day.
package struct MomentWord: Hashable, Sendable {
    let day: DayWord
    let hour: Int
    let minute: Int

    /// Parses `08:15`, `yesterday 08:15` or `2026-11-20 08:15`.
    init?(_ text: String) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map { String($0) }
        guard (1...2).contains(words.count), let time = words.last else { return nil }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        guard let day = words.count == 2 ? DayWord(words[0]) : .today else { return nil }
        (self.day, self.hour, self.minute) = (day, hour, minute)
    }

    /// No user can have eaten before this year, and clocks then showed solar time.
    private static let firstYear = 1900

    /// The days that a meal can have, whether it is logged or imported.
    package static func days(today: FoodDay) -> ClosedRange<FoodDay> {
        // Somewhere it is already tomorrow.
        (FoodDay(year: firstYear, month: 1, day: 1) ?? FoodDay.range.lowerBound)...today.advanced(by: 1)
    }

    /// The moment in a time zone. Throws if clocks skipped it, or if it is too far away for a meal, which is usually a typing error.
    package func moment(now: Date, in timeZone: TimeZone) throws -> FoodMoment {
        let today = FoodDay(now, in: timeZone)
        let day = day.day(today: today)
        guard Self.days(today: today).contains(day) else {
            throw UsageError(
                "\(day) is too far away for a meal: use a day between \(Self.firstYear) and tomorrow, such as: --at \"\(today) \(clock)\""
            )
        }
        if let date = Self.date(day, hour, minute, in: timeZone) { return FoodMoment(date, in: timeZone) }
        // Where a country crossed the date line, a whole day is missing.
        let near = [day, day.advanced(by: 1)].first { Self.date($0, 12, 0, in: timeZone) != nil } ?? today
        throw UsageError("On \(day) clocks in \(timeZone.identifier) skipped that time; such as: --at \"\(near) 12:00\"")
    }

    private var clock: String { [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":") }

    /// The date at which clocks show a time on a day; `nil` if the clocks skip that time on that day.
    private static func date(_ day: FoodDay, _ hour: Int, _ minute: Int, in timeZone: TimeZone) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let components = DateComponents(year: day.year, month: day.month, day: day.dayOfMonth, hour: hour, minute: minute)
        guard let date = calendar.date(from: components), FoodDay(date, in: timeZone) == day,
            calendar.component(.hour, from: date) == hour, calendar.component(.minute, from: date) == minute
        else { return nil }
        return date
    }
}

extension Value<DayWord> {
    static let day = Value("DAY", meaning: "a day such as 2026-11-21, today or yesterday", sample: "2026-11-21") { DayWord($0) }
}

extension Value<MomentWord> {
    static let moment = Value("TIME", meaning: "a time such as 08:15 or \"2026-11-20 08:15\"", sample: "2026-11-20 08:15") {
        MomentWord($0)
    }
}

extension Value<FoodMonth> {
    static let month = Value("MONTH", meaning: "a month such as 2026-11", sample: "2026-11") { FoodMonth($0) }
}

extension Value<FoodEntry.ID> {
    static let entry = Value("ID", meaning: "the number of an entry, as shown by today", sample: "12") { word in
        Int64(word.drop { $0 == "#" }).flatMap { $0 > 0 ? FoodEntry.ID(rawValue: $0) : nil }
    }
}

extension Value<IngredientCategory> {
    static let category: Value = {
        let words = IngredientCategory.known.map(\.rawValue)
        return Value("CATEGORY", meaning: "a category such as fruit, grain or dairy", sample: "fruit", completion: .words(words)) {
            word in
            words.contains(word.lowercased()) ? IngredientCategory(rawValue: word.lowercased()) : nil
        }
    }()
}
