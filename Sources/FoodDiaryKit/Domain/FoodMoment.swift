public import Foundation

/// When and where something was eaten: a point in time, and what the clock on the wall showed.
///
/// Day and hour are taken once, in the time zone of that moment, and stay: who flies home finds breakfast on the day, and at the hour, at
/// which it was eaten.
///
/// A `Date` that is not a number falls on no day. A moment that is made of it can be compared and shown, and is refused when it is logged.
public struct FoodMoment: Hashable, Sendable {
    /// What the database keeps of the date: milliseconds since 1970.
    package let milliseconds: Int64

    /// The identifier of the time zone in which it was logged, such as `Europe/Berlin`.
    public let timeZone: String

    /// The day in that zone.
    public let day: FoodDay

    private let storedHour: UInt8

    /// The hour on the clock in that zone, from 0 to 23.
    public var hour: Int { Int(storedHour) }

    /// The point in time, to the millisecond.
    public var date: Date { isDate ? Date(timeIntervalSince1970: Double(milliseconds) / 1000) : Date(timeIntervalSince1970: .nan) }

    /// Stands for a date that is not a number.
    private static let noDate = Int64.min

    /// Whether the moment is a point in time.
    var isDate: Bool { milliseconds != Self.noDate }

    /// The point in time as seen in a time zone.
    public init(_ date: Date, in timeZone: TimeZone) {
        let milliseconds = Self.milliseconds(of: date)
        guard milliseconds != Self.noDate else {
            self.init(milliseconds: milliseconds, timeZone: timeZone.identifier, day: FoodDay(date, in: timeZone), hour: 0)
            return
        }
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let local = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        self.init(milliseconds: milliseconds, timeZone: timeZone.identifier, day: FoodDay(date, in: timeZone), hour: Self.hour(of: local))
    }

    /// A moment as it was stored.
    package init(milliseconds: Int64, timeZone: String, day: FoodDay, hour: Int) {
        self.milliseconds = milliseconds
        self.timeZone = timeZone
        self.day = day
        storedHour = UInt8(clamping: hour)
    }

    private static func hour(of local: Double) -> Int {
        let hours = (local / 3600).rounded(.down).truncatingRemainder(dividingBy: 24)
        return Int(hours < 0 ? hours + 24 : hours)
    }

    /// Milliseconds are what the database keeps; and a date that lies beyond the days there are, is moved to where they end.
    private static func milliseconds(of date: Date) -> Int64 {
        let first = Double(FoodDay.range.lowerBound.number) * 86_400_000
        let last = Double(FoodDay.range.upperBound.number + 1) * 86_400_000 - 1
        // A date that has been through here before must stay, though thousandths of a second are no binary fractions.
        let milliseconds = (date.timeIntervalSince1970 * 1000 + 0.05).rounded(.down)
        return milliseconds.isNaN ? noDate : Int64(min(max(milliseconds, first), last))
    }
}

extension FoodMoment: Codable {
    private enum CodingKeys: CodingKey {
        case date, timeZone, day, hour
    }

    /// Reads a moment as it was written; one that no clock can show is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let hour = try container.decode(Int.self, forKey: .hour)
        guard (0...23).contains(hour) else {
            throw DecodingError.dataCorruptedError(forKey: .hour, in: container, debugDescription: "\(hour) is no hour of a day.")
        }
        let milliseconds = Self.milliseconds(of: try container.decode(Date.self, forKey: .date))
        guard milliseconds != Self.noDate else {
            throw DecodingError.dataCorruptedError(forKey: .date, in: container, debugDescription: "The date is not a number.")
        }
        self.init(
            milliseconds: milliseconds,
            timeZone: try container.decode(String.self, forKey: .timeZone),
            day: try container.decode(FoodDay.self, forKey: .day),
            hour: hour
        )
    }

    /// Writes a moment. One of no date is an error, also in formats that know such numbers.
    public func encode(to encoder: any Encoder) throws {
        guard isDate else { throw FoodDiaryError(.invalid, "The time is no date: it was made of a Date that is not a number.") }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date, forKey: .date)
        try container.encode(timeZone, forKey: .timeZone)
        try container.encode(day, forKey: .day)
        try container.encode(hour, forKey: .hour)
    }
}
