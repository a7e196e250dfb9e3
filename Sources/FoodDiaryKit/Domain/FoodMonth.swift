/// A month of the Gregorian calendar, such as November 2026.
public struct FoodMonth: Hashable, Sendable {
    /// The year, from 1 to 9999.
    public let year: Int

    /// The month of the year, from 1 to 12.
    public let month: Int

    /// Creates a month; `nil` if it doesn't exist.
    public init?(year: Int, month: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        self.year = year
        self.month = month
    }

    /// The month that contains a day.
    public init(_ day: FoodDay) {
        year = day.year
        month = day.month
    }

    /// The days of the month, from its first to its last.
    public var days: ClosedRange<FoodDay> {
        // The month of `FoodDay.none`.
        if year < 1 { return .none ... .none }
        let first = CivilDate(year: year, month: month, day: 1).number
        let next = month == 12 ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
        return FoodDay(number: first)...FoodDay(number: next.number - 1)
    }

    /// The month a number of months later, or the last valid month.
    public func advanced(by months: Int) -> FoodMonth {
        let first = 12
        let last = 9999 * 12 + 11
        let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
        let index = overflow ? (months < 0 ? first : last) : min(max(sum, first), last)
        return FoodMonth(year: index / 12, month: index % 12 + 1) ?? self
    }
}

extension FoodMonth: Comparable {
    public static func < (left: FoodMonth, right: FoodMonth) -> Bool { (left.year, left.month) < (right.year, right.month) }
}

extension FoodMonth: LosslessStringConvertible {
    /// The month in ISO 8601: `2026-11`.
    public var description: String { FoodDay.padded(year, 4) + "-" + FoodDay.padded(month, 2) }

    /// Parses a month in ISO 8601; `nil` if the text is not a month.
    public init?(_ description: String) {
        guard let day = FoodDay(description + "-01") else { return nil }
        self.init(day)
    }
}
