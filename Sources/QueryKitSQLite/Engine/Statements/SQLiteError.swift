/// An error of SQLite or of this library.
///
/// It contains the statement but none of its bound values, so it can be logged.
///
/// ```swift
/// catch let error as SQLiteError where error.constraint == .unique {
///     throw DiaryError.nameIsTaken
/// }
/// ```
public struct SQLiteError: Error, Hashable, Sendable {
    /// The kind of error.
    public let code: Code

    /// SQLite's extended result code, which is more precise than ``code``: 2067 for a violated UNIQUE constraint. For an error of this
    /// library, the raw value of ``code``.
    public let extendedCode: Int32

    /// A sentence that describes the problem.
    public let message: String

    /// The statement, with `?` in place of its values; `nil` if the error concerns no statement.
    public let sql: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, extendedCode: Int32? = nil, sql: String? = nil) {
        self.code = code
        self.extendedCode = extendedCode ?? code.rawValue
        self.message = message
        self.sql = sql
    }
}

extension SQLiteError {
    /// A kind of error: one of SQLite's primary result codes, or a code of this library, which begin at 1000.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// A constraint of the schema that a write would have violated.
    public enum Constraint: Int32, Sendable {
        /// A CHECK constraint is violated.
        case check = 275
        /// A referenced row is missing, or a deleted row is still referenced.
        case foreignKey = 787
        /// A NOT NULL column has no value.
        case notNull = 1299
        /// A row with this primary key exists already.
        case primaryKey = 1555
        /// A trigger has rejected the write with RAISE.
        case trigger = 1811
        /// A row with this value in a unique column or index exists already.
        case unique = 2067
        /// A row with this row id exists already.
        case rowID = 2579
        /// A value has the wrong type for a column of a STRICT table.
        case dataType = 3091
    }

    /// Whether the error concerns one statement or value. After other errors the transaction can't continue.
    var concernsStatement: Bool {
        switch code {
        case .constraint, .mismatch, .tooBig, .range, .misuse, .notAuthorized, .error, .readOnly, .invalidValue, .noRow: true
        default: false
        }
    }

    /// The missing table that the statement names.
    var missingTable: String? {
        let prefix = "no such table: "
        guard code == .error, message.hasPrefix(prefix) else { return nil }
        let name = message.dropFirst(prefix.count)
        return String(name.hasPrefix("main.") ? name.dropFirst(5) : name)
    }

    /// The violated constraint; `nil` for any other error.
    public var constraint: Constraint? { Constraint(rawValue: extendedCode) }
}

extension SQLiteError.Code {
    /// The statement is invalid, or the error has no more specific code.
    public static let error = Self(rawValue: 1)
    /// The file system denies access.
    public static let permission = Self(rawValue: 3)
    /// Another process, or another part of this one, kept the database locked for longer than the busy timeout.
    public static let busy = Self(rawValue: 5)
    /// Another part of the same connection holds a lock.
    public static let locked = Self(rawValue: 6)
    /// There is not enough memory.
    public static let outOfMemory = Self(rawValue: 7)
    /// A write to a read-only database.
    public static let readOnly = Self(rawValue: 8)
    /// The statement was interrupted.
    public static let interrupted = Self(rawValue: 9)
    /// The disk could not be read or written.
    public static let inputOutput = Self(rawValue: 10)
    /// The file is damaged.
    public static let corrupt = Self(rawValue: 11)
    /// The disk is full, or the database has reached its size limit.
    public static let full = Self(rawValue: 13)
    /// The file can't be opened.
    public static let cannotOpen = Self(rawValue: 14)
    /// A text, a blob or a statement is too large.
    public static let tooBig = Self(rawValue: 18)
    /// A constraint of the schema would be violated; see ``SQLiteError/constraint``.
    public static let constraint = Self(rawValue: 19)
    /// A value doesn't have the requested type.
    public static let mismatch = Self(rawValue: 20)
    /// The library was used incorrectly.
    public static let misuse = Self(rawValue: 21)
    /// The statement is not allowed here.
    public static let notAuthorized = Self(rawValue: 23)
    /// The parameter or column doesn't exist.
    public static let range = Self(rawValue: 25)
    /// The file is not a database.
    public static let notADatabase = Self(rawValue: 26)

    /// A value can't be stored, such as NaN.
    public static let invalidValue = Self(rawValue: 1001)
    /// The database was closed.
    public static let closed = Self(rawValue: 1002)
    /// The database was written by a newer version of the app.
    public static let newerSchema = Self(rawValue: 1003)
    /// The migrations don't match those that were applied to the database.
    public static let migration = Self(rawValue: 1004)
    /// A required row is missing.
    public static let noRow = Self(rawValue: 1005)
    /// A setting that this library relies on did not take effect.
    public static let setting = Self(rawValue: 1006)
    /// The file was moved, deleted or replaced while it was open; see ``SQLiteDatabase/reopen()``.
    public static let moved = Self(rawValue: 1007)
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let number = extendedCode == code.rawValue ? "\(extendedCode)" : "\(code.rawValue)/\(extendedCode)"
        return "SQLite \(number): \(message)" + (sql.map { " [\($0)]" } ?? "")
    }
}
