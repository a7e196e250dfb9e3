public import Foundation

/// When something was eaten: a point in time, with day and hour on the local clock.
///
/// Day and hour are determined once, in the time zone of that moment, and don't change: after a flight home, breakfast is still on the day
/// and at the hour at which it was eaten.
///
/// A `Date` that is not a number belongs to no day. A moment created from it can be compared and shown, but not logged.
public struct FoodMoment: Hashable, Sendable {
    /// The date as the database stores it: milliseconds since 1970.
    package let milliseconds: Int64

    /// The identifier of the time zone in which it was logged, such as `Europe/Berlin`.
    public let timeZone: String

    /// The day in that zone.
    public let day: FoodDay

    private let storedHour: UInt8

    /// The hour on the local clock in that zone, from 0 to 23.
    public var hour: Int { Int(storedHour) }

    /// The point in time, to the millisecond.
    public var date: Date { isDate ? Date(timeIntervalSince1970: Double(milliseconds) / 1000) : Date(timeIntervalSince1970: .nan) }

    /// Represents a date that is not a number.
    private static let noDate = Int64.min

    /// Whether the moment is a point in time.
    var isDate: Bool { milliseconds != Self.noDate }

    /// Creates the moment of a date in a time zone.
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

    /// Creates a moment from stored values.
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

    /// The date in milliseconds, as the database stores it. A date outside the range of valid days is moved to the nearest end of that
    /// range.
    private static func milliseconds(of date: Date) -> Int64 {
        let first = Double(FoodDay.range.lowerBound.number) * 86_400_000
        let last = Double(FoodDay.range.upperBound.number + 1) * 86_400_000 - 1
        // A date that was converted before must not change, although thousandths of a second have no exact binary representation.
        let milliseconds = (date.timeIntervalSince1970 * 1000 + 0.05).rounded(.down)
        return milliseconds.isNaN ? noDate : Int64(min(max(milliseconds, first), last))
    }
}

extension FoodMoment: Codable {
    private enum CodingKeys: CodingKey {
        case date, timeZone, day, hour
    }

    /// Decodes a moment; throws if the date is not a number, or if the hour is not between 0 and 23.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let hour = try container.decode(Int.self, forKey: .hour)
        guard (0...23).contains(hour) else {
            throw DecodingError.dataCorruptedError(forKey: .hour, in: container, debugDescription: "\(hour) is not an hour of a day.")
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

    /// Encodes a moment. Throws if its date is not a number, even if the format can represent NaN.
    public func encode(to encoder: any Encoder) throws {
        guard isDate else { throw FoodDiaryError(.invalid, "The time is not a date: it was created from a Date that is not a number.") }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date, forKey: .date)
        try container.encode(timeZone, forKey: .timeZone)
        try container.encode(day, forKey: .day)
        try container.encode(hour, forKey: .hour)
    }
}
