import Foundation

/// A point in time and the local clock, as text: ISO 8601 with an offset, such as `2026-11-21T08:30:00+01:00`.
///
/// Formats and parses exactly to the millisecond, and without a formatter, which would take a hundred times as long.
struct WallClockText {
    /// Since 1970.
    var milliseconds: Int64
    /// The offset of the local clock from GMT, in seconds.
    var offset: Int
    /// Whether the text ends with `Z`: it gives the time in GMT, but no local offset.
    var isUniversal = false

    private static let dayLength: Int64 = 86_400_000

    /// Creates the text of a moment, with an offset that reproduces the day and hour of the moment.
    init(_ moment: FoodMoment, offset: (FoodMoment) -> Int?) {
        milliseconds = moment.milliseconds
        // The rules of time zones change, and some zones are unknown here, but the day and hour of an entry are fixed.
        let hours = Int64(moment.day.number * 24 + moment.hour)
        self.offset = Int(hours - Self.hours(milliseconds, 0)) * 3600
        // Offsets with seconds, which existed until 1972, can't be written in the text.
        if let known = offset(moment), known % 60 == 0, Self.hours(milliseconds, known) == hours { self.offset = known }
    }

    /// The hours on the local clock since the start of 1970.
    private static func hours(_ milliseconds: Int64, _ offset: Int) -> Int64 {
        let (hours, rest) = (milliseconds + Int64(offset) * 1000).quotientAndRemainder(dividingBy: 3_600_000)
        return rest < 0 ? hours - 1 : hours
    }

    var day: FoodDay {
        let hours = Int(Self.hours(milliseconds, offset))
        return FoodDay(number: hours / 24 - (hours % 24 < 0 ? 1 : 0))
    }

    var hour: Int { Int(Self.hours(milliseconds, offset)) - day.number * 24 }

    // MARK: Writing

    func write(to text: inout [UInt8]) {
        let local = milliseconds + Int64(offset) * 1000
        let day = self.day
        let rest = Int(local - Int64(day.number) * Self.dayLength)
        let date = CivilDate(number: day.number)
        Self.write(date.year, 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.write(date.month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.write(date.day, 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.write(rest / 3_600_000, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.write(rest / 60_000 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.write(rest / 1000 % 60, 2, to: &text)
        if rest % 1000 != 0 {
            text.append(UInt8(ascii: "."))
            Self.write(rest % 1000, 3, to: &text)
        }
        text.append(UInt8(ascii: offset < 0 ? "-" : "+"))
        Self.write(abs(offset) / 3600, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.write(abs(offset) / 60 % 60, 2, to: &text)
    }

    private static func write(_ number: Int, _ width: Int, to text: inout [UInt8]) {
        var divisor = [1, 10, 100, 1000][width - 1]
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    // MARK: Reading

    /// Parses a moment; throws if the date doesn't exist, such as 30 February.
    init(_ text: String) throws {
        var digits = Digits(text)
        let malformed = UnreadableValue(
            column: "date",
            message: "'\(text.prefix(40))' is not a date: write it as 2026-11-21T08:30:00+01:00."
        )
        guard let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"), let date = digits.number(2),
            digits.skip("T") || digits.skip("t") || digits.skip(" "), let hour = digits.number(2), digits.skip(":"),
            let minute = digits.number(2)
        else { throw malformed }
        var second = 0
        var fraction = 0
        if digits.skip(":") {
            guard let number = digits.number(2) else { throw malformed }
            second = number
            if digits.skip(".") || digits.skip(",") {
                guard let thousandths = digits.thousandths() else { throw malformed }
                fraction = thousandths
            }
        }
        if digits.skip("Z") || digits.skip("z") {
            isUniversal = true
            offset = 0
        } else {
            let isAhead = digits.skip("+")
            guard isAhead || digits.skip("-") else {
                throw UnreadableValue(column: "date", message: "'\(text.prefix(40))' has no offset: add one such as +01:00, or Z.")
            }
            guard let hours = digits.number(2), hours < 24 else { throw malformed }
            let hasMinutes = digits.skip(":") || !digits.isAtEnd
            guard let minutes = hasMinutes ? digits.number(2) : 0, minutes < 60 else { throw malformed }
            offset = (isAhead ? 1 : -1) * (hours * 60 + minutes) * 60
        }
        guard digits.isAtEnd else { throw malformed }
        guard let day = FoodDay(year: year, month: month, day: date), hour < 24, minute < 60, second < 60 else {
            throw UnreadableValue(column: "date", message: "The date \(text) does not exist.")
        }
        let time = (hour * 60 + minute) * 60 + second - offset
        milliseconds = Int64(day.number) * Self.dayLength + Int64(time) * 1000 + Int64(fraction)
        let range = Int64(FoodDay.range.lowerBound.number) * Self.dayLength..<Int64(FoodDay.range.upperBound.number + 1) * Self.dayLength
        guard range.contains(milliseconds) else {
            throw UnreadableValue(column: "date", message: "\(text) is outside the years 1 to 9999.")
        }
    }

    /// Reads a text that consists mostly of digits.
    private struct Digits {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = next() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// The first three digits of a fraction; the rest is less than a millisecond.
        mutating func thousandths() -> Int? {
            guard var number = next() else { return nil }
            var count = 1
            while let digit = next() {
                if count < 3 { number = number * 10 + digit }
                count += 1
            }
            return number * [100, 10, 1][min(count, 3) - 1]
        }

        private mutating func next() -> Int? {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            rest.removeFirst()
            return Int(byte - UInt8(ascii: "0"))
        }
    }
}
