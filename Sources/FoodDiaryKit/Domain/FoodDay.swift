public import Foundation

/// A day of the calendar without a time zone, such as 21 November 2026: "today" as the user sees it.
///
/// A day that was created from a moment and the user's time zone doesn't change when the user travels. Days are numbered, so arithmetic
/// needs neither a calendar nor a time zone. Only ``start(in:)`` and ``length(in:)`` take a time zone, in which a day may have 23 or 25
/// hours.
///
/// ```swift
/// let today = FoodDay(.now, in: .current)
/// let week = today.week(startingOn: .monday)
/// ```
public struct FoodDay: Hashable, Sendable {
    /// The number of days from 1 January 1970 to this day; negative before that.
    public var number: Int { Int(stored) }

    private let stored: Int32

    /// All valid days: those of the years 1 to 9999.
    public static let range = FoodDay(unchecked: -719_162)...FoodDay(unchecked: 2_932_896)

    /// The day of a date that is not a number. It is before all valid days.
    static let none = FoodDay(unchecked: -719_163)

    private init(unchecked number: Int32) { stored = number }

    /// Creates a day from its number. Numbers outside of ``range`` give its first or last day.
    public init(number: Int) {
        stored = Int32(min(max(number, Self.range.lowerBound.number), Self.range.upperBound.number))
    }

    /// The day on which a moment falls in a time zone.
    ///
    /// A `Date` that is not a number belongs to no day. The result is then before all days of ``range``, and requests refuse it and every
    /// day, week or month that is computed from it.
    public init(_ moment: Date, in timeZone: TimeZone) {
        if moment.timeIntervalSince1970.isNaN {
            self = .none
            return
        }
        let seconds = (moment.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: moment)))
        let day = (seconds / 86_400).rounded(.down)
        self.init(number: Int(exactly: day) ?? (day < 0 ? .min : .max))
    }

    /// Creates the day of a date in the Gregorian calendar; `nil` if that date doesn't exist, such as 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(number: CivilDate(year: year, month: month, day: day).number)
        guard dayOfMonth == day, self.month == month else { return nil }
    }

    /// The year in the Gregorian calendar.
    public var year: Int { CivilDate(number: number).year }

    /// The month of the year, from 1.
    public var month: Int { CivilDate(number: number).month }

    /// The day of the month, from 1.
    public var dayOfMonth: Int { CivilDate(number: number).day }

    /// The day of the week as numbered in ISO 8601: 1 is Monday, 7 is Sunday.
    public var weekday: FoodWeekday {
        // 1 January 1970 was a Thursday.
        FoodWeekday(rawValue: ((number + 3) % 7 + 7) % 7 + 1) ?? .monday
    }

    /// The week that contains the day, clamped to ``range``.
    public func week(startingOn first: FoodWeekday) -> ClosedRange<FoodDay> {
        if self == .none { return self...self }
        let start = number - (weekday.rawValue - first.rawValue + 7) % 7
        return FoodDay(number: start)...FoodDay(number: start + 6)
    }

    /// The first moment of the day in a time zone: midnight, or the first moment after it where the clocks skip midnight.
    public func start(in timeZone: TimeZone) -> Date {
        let midnight = Double(number) * 86_400
        // A time zone rarely changes its offset, so the offset at midnight is the one at this moment, or the one a day before or after it.
        let candidates = [-86_400.0, 0, 86_400].map { shift in
            Date(timeIntervalSince1970: midnight - Double(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: midnight + shift))))
        }
        if let start = candidates.filter({ FoodDay($0, in: timeZone) == self }).min() { return start }
        // Midnight does not exist: the day begins when the clocks change.
        let earliest = candidates.min() ?? Date(timeIntervalSince1970: midnight)
        if self == .none { return earliest }
        return timeZone.nextDaylightSavingTimeTransition(after: earliest.addingTimeInterval(-86_400)) ?? earliest
    }

    /// The length of the day in a time zone.
    public func length(in timeZone: TimeZone) -> Duration {
        .milliseconds(Int64((advanced(by: 1).start(in: timeZone).timeIntervalSince(start(in: timeZone)) * 1000).rounded()))
    }
}

/// A day of the week, numbered as in ISO 8601.
public enum FoodWeekday: Int, Codable, CaseIterable, Sendable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// The first day of the week in a calendar.
    public init(firstOf calendar: Calendar) {
        // Foundation counts from Sunday.
        self = FoodWeekday(rawValue: (calendar.firstWeekday + 5) % 7 + 1) ?? .monday
    }
}

extension FoodDay: Strideable {
    public func distance(to other: FoodDay) -> Int { other.number - number }

    /// The day a number of days later, clamped to ``range``.
    public func advanced(by days: Int) -> FoodDay {
        // Otherwise a range that ends with this day could begin after it.
        if self == .none, days <= 0 { return self }
        let (sum, overflow) = number.addingReportingOverflow(days)
        return FoodDay(number: overflow ? (days < 0 ? .min : .max) : sum)
    }
}

extension FoodDay: LosslessStringConvertible, Codable {
    /// The day in ISO 8601: `2026-11-21`.
    public var description: String {
        let date = CivilDate(number: number)
        return Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-" + Self.padded(date.day, 2)
    }

    /// Parses a day in ISO 8601; `nil` if the text is not a day.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = FoodDay(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a day: write it as 2026-11-21.")
        }
        self = day
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A date of the Gregorian calendar, and its day number.
struct CivilDate {
    var year: Int
    var month: Int
    var day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Counts years from March, so that the leap day is the last day of its year.
    init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var number: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Days as numbers that a person can read: 20261121.
extension FoodDay {
    package var compact: Int64 {
        let date = CivilDate(number: number)
        return Int64(date.year * 10_000 + date.month * 100 + date.day)
    }

    package init?(compact: Int64) {
        guard let number = Int(exactly: compact), number > 0 else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }
}

extension ClosedRange<FoodDay> {
    /// Ranges of up to this many days are noted day by day as what a statement reads. For longer ranges a change on any day counts.
    private static var namedDays: Int { 62 }

    /// The single days of the range if they are few, otherwise `nil`.
    package var named: [FoodDay]? { count <= Self.namedDays ? Array(self) : nil }
}
