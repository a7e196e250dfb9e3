import Foundation

/// Formats numbers for the user.
package enum Number {
    /// A whole number with thousands separators: `12,345`.
    package static func whole(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in String(digits[max(0, end - 3)..<end]) }
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }

    /// A number rounded to a whole one; NaN and infinities are shown as `–`.
    package static func whole(_ number: Double) -> String { Int(exactly: number.rounded()).map { whole($0) } ?? "–" }

    /// A number with only the decimals it needs, up to a maximum: `2.5`, `60`.
    package static func short(_ number: Double, digits: Int = 1) -> String {
        guard number.isFinite else { return "–" }
        var text = String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), number)
        if text.contains(".") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        let head = parts.first.flatMap { Int($0) }.map { whole($0) } ?? "0"
        let isZero = head == "0" && parts.count == 1
        return (isNegative && !isZero ? "-" : "") + head + (parts.count > 1 ? ".\(parts[1])" : "")
    }

    /// A share of one as a percentage: `52 %`.
    package static func percent(_ share: Double, digits: Int = 0) -> String { short(share * 100, digits: digits) + " %" }

    /// A number with its unit: `1 entry`, `2 entries`.
    package static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(whole(number)) \(number == 1 ? one : many)" }

    /// The size of a file: `1.2 MB`.
    package static func bytes(_ count: Int) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var amount = Double(count)
        var unit = 0
        while amount >= 1000, unit < units.count - 1 {
            amount /= 1000
            unit += 1
        }
        return "\(short(amount, digits: unit == 0 ? 0 : 1)) \(units[unit])"
    }

    /// A duration in the unit that makes it short: `0.4 ms`, `2.5 s`, `3 min`.
    package static func duration(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        if seconds < 0.0095 { return "\(short(seconds * 1000, digits: seconds < 0.00095 ? 2 : 1)) ms" }
        if seconds < 0.95 { return "\(short(seconds * 1000, digits: 0)) ms" }
        if seconds < 95 { return "\(short(seconds, digits: seconds < 9.95 ? 1 : 0)) s" }
        return "\(whole(seconds / 60)) min"
    }
}
