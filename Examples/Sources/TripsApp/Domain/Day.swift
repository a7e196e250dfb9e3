package import Foundation

/// A day of the calendar, as text such as `2026-12-01`, so that text order is time order.
package struct Day: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: String

    /// `nil` if the text is not a day, such as `2026-02-30`.
    package init?(rawValue: String) {
        guard let date = try? Date(rawValue, strategy: Self.style), date.formatted(Self.style) == rawValue else { return nil }
        self.rawValue = rawValue
    }

    /// The day of a moment, in the user's time zone.
    package init(_ date: Date) { rawValue = date.formatted(Self.style(in: .current)) }

    package static func < (left: Day, right: Day) -> Bool { left.rawValue < right.rawValue }

    private static let style = style(in: .gmt)

    private static func style(in timeZone: TimeZone) -> Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()
    }
}
