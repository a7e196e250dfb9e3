public import Foundation

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
///
/// A statement binds the `sqlValue` of a value, which by default is made from ``sqliteValue``. If the type is also bound to statements of
/// another database, declare `sqlValue` and `sqlType` yourself.
public protocol SQLiteConvertible: SQLConvertible {
    /// The value in its stored form.
    var sqliteValue: SQLiteValue { get }

    /// Reads the value from a column. Throws if the column holds another type.
    init(sqliteColumn column: borrowing SQLiteColumn) throws
}

/// The defaults are made from the stored form.
extension SQLiteConvertible {
    @inlinable public var sqlValue: SQLValue { SQLValue(sqliteValue) }

    @inlinable public static var sqlType: SQLType { .unknown }
}

extension Int64: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

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
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension Int32: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension Int16: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension Int8: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

/// Values above `Int64.max` can't be stored: binding one throws an error.
extension UInt64: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

/// Values above `Int64.max` can't be stored: binding one throws an error.
extension UInt: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension UInt32: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension UInt16: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

extension UInt8: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }
}

/// Stored as 0 or 1.
extension Bool: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.integer() != 0 }
}

extension Double: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.real() }
}

extension Float: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = Float(try column.real()) }
}

extension String: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.text() }
}

extension Data: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    @inlinable public init(sqliteColumn column: borrowing SQLiteColumn) throws { self = try column.blob() }
}

/// Stored as whole milliseconds since 1970, which compare and index as numbers. A date that isn't finite can't be stored.
extension Date: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        self.init(timeIntervalSince1970: Double(try column.integer()) / 1_000)
    }
}

/// Stored as a blob of 16 bytes.
extension UUID: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let data = try column.blob()
        guard data.count == 16 else { throw column.mismatch("\(data.count) bytes are not a UUID, which has 16") }
        self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

/// Stored as its absolute string.
extension URL: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        guard let url = URL(string: try column.text()) else { throw column.mismatch("the text is not a valid URL") }
        self = url
    }
}

/// Stored as text, which keeps all digits; integers and real numbers can be read too. NaN can't be stored.
extension Decimal: SQLiteConvertible {
    @inlinable public var sqliteValue: SQLiteValue { SQLiteValue(sqlValue) }

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

extension SQLiteConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    /// The raw value if that is what the type stores, otherwise the stored form.
    @inlinable public var sqlValue: SQLValue {
        let (raw, stored) = (rawValue.sqlValue, sqliteValue)
        switch raw {
        // Stored unchanged.
        case .null, .integer, .real, .text, .blob: return SQLValue(stored)
        case .bool, .unsigned, .date, .uuid, .decimal: return SQLiteValue(raw).isSame(as: stored) ? raw : SQLValue(stored)
        }
    }

    @inlinable public static var sqlType: SQLType { RawValue.sqlType }
}
