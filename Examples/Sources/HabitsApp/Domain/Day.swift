package import Foundation

/// A day of the calendar, as the number of days since 1 January 1970.
package struct Day: Hashable, Sendable {
    package let number: Int

    package init(number: Int) { self.number = number }

    /// `nil` if the text is not a day such as `2026-11-22`.
    package init?(_ text: String) {
        guard let date = try? Date(text, strategy: Self.style), date.formatted(Self.style) == text else { return nil }
        number = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
    }

    /// The day of a moment, in the user's time zone.
    package init(_ date: Date) {
        let offset = TimeZone.current.secondsFromGMT(for: date)
        number = Int(((date.timeIntervalSince1970 + Double(offset)) / 86_400).rounded(.down))
    }

    private static let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
}

extension Day: Strideable {
    package func distance(to other: Day) -> Int { other.number - number }

    package func advanced(by days: Int) -> Day { Day(number: number + days) }
}

extension Day: CustomStringConvertible {
    package var description: String { Date(timeIntervalSince1970: Double(number) * 86_400).formatted(Self.style) }
}

/// The seven days that end with a day.
package struct Week: Hashable, Sendable {
    package let lastDay: Day

    package var days: ClosedRange<Day> { lastDay.advanced(by: -6)...lastDay }

    package init(endingOn lastDay: Day) { self.lastDay = lastDay }
}
