public import Foundation

/// When and where something was eaten: a point in time, and what the clock on the wall showed.
///
/// Day and hour are taken once, in the time zone of that moment, and stay: who flies home finds breakfast on the day, and at the hour, at
/// which it was eaten.
public struct FoodMoment: Hashable, Sendable {
    /// The point in time, to the millisecond.
    public let date: Date

    /// The identifier of the time zone in which it was logged, such as `Europe/Berlin`.
    public let timeZone: String

    /// The day in that zone.
    public let day: FoodDay

    /// The hour on the clock in that zone, from 0 to 23.
    public let hour: Int

    /// The point in time as seen in a time zone.
    public init(_ date: Date, in timeZone: TimeZone) {
        let date = Self.kept(date)
        let local = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        self.init(date: date, timeZone: timeZone.identifier, day: FoodDay(date, in: timeZone), hour: Self.hour(of: local))
    }

    /// A moment as it was stored.
    package init(date: Date, timeZone: String, day: FoodDay, hour: Int) {
        self.date = date
        self.timeZone = timeZone
        self.day = day
        self.hour = hour
    }

    private static func hour(of local: Double) -> Int {
        let hours = (local / 3600).rounded(.down).truncatingRemainder(dividingBy: 24)
        guard hours.isFinite else { return 0 }
        return Int(hours < 0 ? hours + 24 : hours)
    }

    /// Milliseconds are what the database keeps; and a date that lies beyond the days there are, is moved to where they end.
    private static func kept(_ date: Date) -> Date {
        let first = Double(FoodDay.range.lowerBound.number) * 86_400_000
        let last = Double(FoodDay.range.upperBound.number + 1) * 86_400_000 - 1
        // A date that has been through here before must stay, though thousandths of a second are no binary fractions.
        let milliseconds = (date.timeIntervalSince1970 * 1000 + 0.05).rounded(.down)
        return Date(timeIntervalSince1970: (milliseconds.isNaN ? 0 : min(max(milliseconds, first), last)) / 1000)
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
        self.init(
            date: Self.kept(try container.decode(Date.self, forKey: .date)),
            timeZone: try container.decode(String.self, forKey: .timeZone),
            day: try container.decode(FoodDay.self, forKey: .day),
            hour: hour
        )
    }
}

extension FoodMoment {
    /// What the database keeps of the date.
    package var milliseconds: Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

    package init(milliseconds: Int64, timeZone: String, day: FoodDay, hour: Int) {
        self.init(date: Date(timeIntervalSince1970: Double(milliseconds) / 1000), timeZone: timeZone, day: day, hour: hour)
    }
}
