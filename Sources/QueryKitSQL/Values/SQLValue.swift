public import Foundation

/// A value of a statement, before it is converted to the form in which a database stores it.
///
/// For example, SQLite stores a date as a number, and PostgreSQL has a type for dates.
public enum SQLValue: Hashable, Sendable {
    /// NULL.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer that may be larger than `Int64.max`. SQLite can't store such a value.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case blob(Data)
    /// A point in time.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// A decimal number with all its digits.
    case decimal(Decimal)
}

/// The type of a value of a statement.
///
/// A list is bound together with the type of its values, because an empty list contains no value that shows the type.
public enum SQLType: Hashable, Sendable {
    /// A truth value.
    case bool
    /// An integer.
    case integer
    /// A floating-point number.
    case real
    /// Text.
    case text
    /// Bytes.
    case blob
    /// A point in time.
    case date
    /// A UUID.
    case uuid
    /// A decimal number.
    case decimal
    /// A type that is known only from the value.
    case unknown
}
