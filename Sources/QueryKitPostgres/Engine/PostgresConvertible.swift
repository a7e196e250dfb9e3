#if Postgres
public import Foundation
@_exported public import QueryKitSQL

/// A type whose values can be bound to a statement and read from a column.
///
/// Numbers, `Decimal`, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL`, optionals of them, and enums with such raw values conform. For your
/// own type:
///
/// ```swift
/// extension Grams: PostgresConvertible {
///     var sqlValue: SQLValue { .real(amount) }
///     static var sqlType: SQLType { .real }
///     init(postgresColumn column: borrowing PostgresColumn) throws {
///         self.init(amount: try column.real())
///     }
/// }
/// ```
public protocol PostgresConvertible: SQLConvertible {
    /// Reads the value from a column. Throws if the column has another type.
    init(postgresColumn column: borrowing PostgresColumn) throws
}

extension Int64: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.integer() }
}

/// Integers other than `Int64`: a value that doesn't fit is an error, not a wrong number.
extension PostgresConvertible where Self: FixedWidthInteger {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws {
        let value = try column.integer()
        guard let value = Self(exactly: value) else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
        self = value
    }
}

extension Int: PostgresConvertible {}

extension Int32: PostgresConvertible {}

extension Int16: PostgresConvertible {}

extension Int8: PostgresConvertible {}

extension UInt32: PostgresConvertible {}

extension UInt16: PostgresConvertible {}

extension UInt8: PostgresConvertible {}

/// Values above `Int64.max` are bound as numeric.
extension UInt64: PostgresConvertible {
    public init(postgresColumn column: borrowing PostgresColumn) throws {
        guard column.type == PostgresType.numeric, !column.isNull else {
            let value = try column.integer()
            guard let value = Self(exactly: value) else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
            self = value
            return
        }
        let value = try column.decimal()
        guard let value = Self("\(value)") else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
        self = value
    }
}

/// Values above `Int64.max` are bound as numeric.
extension UInt: PostgresConvertible {
    public init(postgresColumn column: borrowing PostgresColumn) throws {
        guard column.type == PostgresType.numeric, !column.isNull else {
            let value = try column.integer()
            guard let value = Self(exactly: value) else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
            self = value
            return
        }
        let value = try column.decimal()
        guard let value = Self("\(value)") else { throw column.mismatch("\(value) does not fit into \(Self.self)") }
        self = value
    }
}

extension Bool: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.bool() }
}

extension Double: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.real() }
}

extension Float: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws {
        let value = try column.real()
        self = Float(value)
        if isInfinite, value.isFinite { throw column.mismatch("\(value) does not fit into Float") }
    }
}

extension String: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.text() }
}

extension Data: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.blob() }
}

extension UUID: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.uuid() }
}

extension Decimal: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.decimal() }
}

/// Bound as timestamptz, which has microseconds.
extension Date: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws { self = try column.date() }
}

/// Stored as its absolute string.
extension URL: PostgresConvertible {
    public init(postgresColumn column: borrowing PostgresColumn) throws {
        guard let url = URL(string: try column.text()) else { throw column.mismatch("the text is not a valid URL") }
        self = url
    }
}

/// `nil` is stored as NULL.
extension Optional: PostgresConvertible where Wrapped: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws {
        self = column.isNull ? nil : try Wrapped(postgresColumn: column)
    }
}

/// Enums and other types with a raw value only need to declare the conformance.
extension PostgresConvertible where Self: RawRepresentable, RawValue: PostgresConvertible {
    @inlinable public init(postgresColumn column: borrowing PostgresColumn) throws {
        let raw = try RawValue(postgresColumn: column)
        guard let value = Self(rawValue: raw) else { throw column.mismatch("the value is not a valid \(Self.self)") }
        self = value
    }
}
#endif
