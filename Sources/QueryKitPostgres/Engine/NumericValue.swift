#if Postgres
import Foundation

/// The binary form of a numeric: digits in base 10,000.
struct NumericValue: CustomStringConvertible {
    private enum Sign: UInt16 {
        case plus = 0
        case minus = 0x4000
        case notANumber = 0xC000
        case infinity = 0xD000
        case minusInfinity = 0xF000
    }

    private let sign: Sign
    /// The power of 10,000 of the first digit.
    private let weight: Int
    private let digits: [UInt16]

    init?(_ bytes: UnsafeRawBufferPointer) {
        func number(_ index: Int) -> UInt16 { UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)) }
        guard bytes.count >= 8, bytes.count == 8 + 2 * Int(number(0)), let sign = Sign(rawValue: number(2)) else { return nil }
        self.sign = sign
        weight = Int(Int16(bitPattern: number(1)))
        digits = (0..<Int(number(0))).map { number(4 + $0) }
    }

    /// The number as a 64-bit integer; `nil` if it has a fraction or is too large.
    var integer: Int64? {
        guard sign == .plus || sign == .minus, digits.count <= weight + 1 || digits.isEmpty else { return nil }
        if digits.isEmpty { return 0 }
        guard weight < 5 else { return nil }
        var value: Int64 = 0
        for index in 0...weight {
            let digit = index < digits.count ? Int64(digits[index]) : 0
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(sign == .minus ? -digit : digit)
            if isTooLarge || isStillTooLarge { return nil }
            value = sum
        }
        return value
    }

    /// The nearest floating-point number; `nil` if the text can't be read.
    var real: Double? {
        switch sign {
        case .notANumber: .nan
        case .infinity: .infinity
        case .minusInfinity: -.infinity
        case .plus, .minus: Double(description)
        }
    }

    /// The number with all its digits; `nil` if it has more than `Decimal` can hold.
    var decimal: Decimal? {
        switch sign {
        case .notANumber: return .nan
        case .infinity, .minusInfinity: return nil
        case .plus, .minus: break
        }
        guard let first = digits.first, let last = digits.last else { return 0 }
        var count = digits.count * 4
        // Leading and trailing zeros don't count as digits.
        count -= first >= 1_000 ? 0 : first >= 100 ? 1 : first >= 10 ? 2 : 3
        count -= last % 1_000 == 0 ? 3 : last % 100 == 0 ? 2 : last % 10 == 0 ? 1 : 0
        let exponent = (weight - digits.count + 1) * 4
        guard count <= 38, exponent >= -127, exponent <= 120 else { return nil }
        return Decimal(string: description, locale: Locale(identifier: "en_US_POSIX"))
    }

    var description: String {
        switch sign {
        case .notANumber: return "NaN"
        case .infinity: return "Infinity"
        case .minusInfinity: return "-Infinity"
        case .plus, .minus: break
        }
        var text = sign == .minus ? "-" : ""
        if digits.isEmpty { return "0" }
        func padded(_ digit: UInt16) -> String {
            let text = String(digit)
            return String(repeating: "0", count: 4 - text.count) + text
        }
        if weight < 0 { text += "0" }
        for index in 0..<max(0, weight + 1) {
            let digit = index < digits.count ? digits[index] : 0
            text += index == 0 ? String(digit) : padded(digit)
        }
        if digits.count > weight + 1 {
            text += "." + String(repeating: "0000", count: max(0, -weight - 1))
            for index in max(0, weight + 1)..<digits.count { text += padded(digits[index]) }
        }
        return text
    }
}
#endif
