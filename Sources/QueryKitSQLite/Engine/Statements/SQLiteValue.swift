public import Foundation

/// A value in one of SQLite's storage types.
public enum SQLiteValue: Hashable, Sendable {
    /// NULL.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number. NaN can't be stored.
    case real(Double)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob(Data)
}

/// A type whose values can be bound to a statement and read from a column.
///
/// Numbers, `Decimal`, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL`, optionals of them, and enums with such raw values conform. For your
/// own type:
///
/// ```swift
/// extension Grams: SQLiteConvertible {
///     var sqliteValue: SQLiteValue { .real(amount) }
///     init(sqliteColumn column: borrowing SQLiteColumn) throws {
///         self.init(amount: try column.real())
///     }
/// }
/// ```
public protocol SQLiteConvertible: Sendable {
    /// The value in its stored form.
    var sqliteValue: SQLiteValue { get }

    /// Reads the value from a column. Throws if the column holds another type.
    init(sqliteColumn column: borrowing SQLiteColumn) throws
}

extension Int64: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(self) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.integer() }
}

/// Integers other than `Int64`: a value that doesn't fit is an error, not a wrong number.
extension SQLiteConvertible where Self: FixedWidthInteger {
    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let value = try column.integer()
        guard let value = Self(exactly: value) else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
        self = value
    }
}

extension Int: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int32: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int16: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int8: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

/// Values above `Int64.max` can't be stored: binding one throws an error.
extension UInt64: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { Int64(exactly: self).map { .integer($0) } ?? .real(.nan) }
}

/// Values above `Int64.max` can't be stored: binding one throws an error.
extension UInt: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { UInt64(self).sqliteValue }
}

extension UInt32: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension UInt16: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension UInt8: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

/// Stored as 0 or 1.
extension Bool: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.integer() != 0 }
}

extension Double: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .real(self) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.real() }
}

extension Float: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .real(Double(self)) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = Float(try column.real()) }
}

extension String: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .text(self) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.text() }
}

extension Data: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { .blob(self) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.blob() }
}

/// Stored as whole milliseconds since 1970, which compare and index as numbers. A date that isn't finite can't be stored.
extension Date: SQLiteConvertible {
    public var sqliteValue: SQLiteValue {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        // A number outside of Int64 is passed on as a real: binding refuses it if it isn't finite, and otherwise the column does, if it is
        // an integer column.
        return Int64(exactly: milliseconds).map { .integer($0) } ?? .real(milliseconds.isFinite ? milliseconds : .nan)
    }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        self.init(timeIntervalSince1970: Double(try column.integer()) / 1_000)
    }
}

/// Stored as a blob of 16 bytes.
extension UUID: SQLiteConvertible {
    public var sqliteValue: SQLiteValue { withUnsafeBytes(of: uuid) { .blob(Data($0)) } }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let data = try column.blob()
        guard data.count == 16 else { throw column.mismatch("\(data.count) bytes are not a UUID, which has 16") }
        self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

/// Stored as its absolute string.
extension URL: SQLiteConvertible {
    public var sqliteValue: SQLiteValue { .text(absoluteString) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        guard let url = URL(string: try column.text()) else { throw column.mismatch("the text is not a valid URL") }
        self = url
    }
}

/// Stored as text, which keeps all digits; integers and real numbers can be read too. NaN can't be stored.
extension Decimal: SQLiteConvertible {
    public var sqliteValue: SQLiteValue { isNaN ? .real(.nan) : .text(NSDecimalNumber(decimal: self).description(withLocale: nil)) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        switch try column.value() {
        case .integer(let number):
            self.init(number)
            return
        case .real(let number):
            self.init(number)
            return
        case .text(let text):
            let isNumber = !text.isEmpty && text.allSatisfy { "+-.eE".contains($0) || $0.isASCII && $0.isNumber }
            if isNumber, let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) {
                self = number
                return
            }
        default: break
        }
        throw column.mismatch("the value is not a decimal number")
    }
}

/// `nil` is stored as NULL.
extension Optional: SQLiteConvertible where Wrapped: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { self?.sqliteValue ?? .null }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        self = column.isNull ? nil : try Wrapped(sqliteColumn: column)
    }
}

/// A value in its stored type.
extension SQLiteValue: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { self }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.value() }
}

/// Enums and other types with a raw value only need to declare the conformance.
extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { rawValue.sqliteValue }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let raw = try RawValue(sqliteColumn: column)
        guard let value = Self(rawValue: raw) else { throw column.mismatch("the value is not a valid \(Self.self)") }
        self = value
    }
}
