public import Foundation

/// A type whose values can be bound to a statement.
///
/// Numbers, `Decimal`, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL`, optionals of them, and enums with such raw values conform. Each
/// database refines this protocol for types that can also be read from its columns: let your own types conform to that protocol, such as
/// `SQLiteConvertible`.
public protocol SQLConvertible: Sendable {
    /// The value as it is bound.
    var sqlValue: SQLValue { get }

    /// The type of the values.
    static var sqlType: SQLType { get }
}

extension Int64: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(self) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension Int: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension Int32: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension Int16: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension Int8: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension UInt64: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { Int64(exactly: self).map { .integer($0) } ?? .unsigned(self) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension UInt: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { UInt64(self).sqlValue }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension UInt32: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension UInt16: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension UInt8: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .integer(Int64(self)) }
    @inlinable public static var sqlType: SQLType { .integer }
}

extension Bool: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .bool(self) }
    @inlinable public static var sqlType: SQLType { .bool }
}

extension Double: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .real(self) }
    @inlinable public static var sqlType: SQLType { .real }
}

extension Float: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .real(Double(self)) }
    @inlinable public static var sqlType: SQLType { .real }
}

extension String: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .text(self) }
    @inlinable public static var sqlType: SQLType { .text }
}

extension Data: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .blob(self) }
    @inlinable public static var sqlType: SQLType { .blob }
}

extension Date: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .date(self) }
    @inlinable public static var sqlType: SQLType { .date }
}

extension UUID: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .uuid(self) }
    @inlinable public static var sqlType: SQLType { .uuid }
}

/// Bound as its absolute string.
extension URL: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .text(absoluteString) }
    @inlinable public static var sqlType: SQLType { .text }
}

extension Decimal: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { .decimal(self) }
    @inlinable public static var sqlType: SQLType { .decimal }
}

/// `nil` is bound as NULL.
extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { self?.sqlValue ?? .null }
    @inlinable public static var sqlType: SQLType { Wrapped.sqlType }
}

extension SQLValue: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { self }
    @inlinable public static var sqlType: SQLType { .unknown }
}

/// Enums and other types with a raw value only need to declare the conformance.
extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
    @inlinable public var sqlValue: SQLValue { rawValue.sqlValue }
    @inlinable public static var sqlType: SQLType { RawValue.sqlType }
}
