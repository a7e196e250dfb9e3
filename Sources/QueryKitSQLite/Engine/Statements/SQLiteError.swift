/// What SQLite, or the engine around it, could not do.
///
/// It names the statement but none of the values that were bound to it, so that it can be logged.
///
/// ```swift
/// catch let error as SQLiteError where error.constraint == .unique {
///     throw DiaryError.nameIsTaken
/// }
/// ```
public struct SQLiteError: Error, Hashable, Sendable {
    /// What kind of error it is.
    public let code: Code

    /// SQLite's extended result code, which says more than ``code``: 2067 for a violated UNIQUE constraint. For an error of the engine, its code.
    public let extendedCode: Int32

    /// A sentence that says what is wrong.
    public let message: String

    /// The statement, with `?` in place of its values; `nil` where no statement is concerned.
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
    /// A kind of error: one of SQLite's primary result codes, or one of the engine's own, which begin at 1000.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// A rule of the schema that a write would have broken.
    public enum Constraint: Int32, Sendable {
        /// A CHECK is not fulfilled.
        case check = 275
        /// A row that is referred to is not there, or is still referred to.
        case foreignKey = 787
        /// A value is missing.
        case notNull = 1299
        /// There is a row with that primary key.
        case primaryKey = 1555
        /// A trigger has refused it, by RAISE.
        case trigger = 1811
        /// There is a row with that value in a unique column or index.
        case unique = 2067
        /// There is a row with that row id.
        case rowID = 2579
        /// A column of a STRICT table has another type.
        case dataType = 3091
    }

    /// The table that a statement names and that isn't there.
    var missingTable: String? {
        let prefix = "no such table: "
        guard code == .error, message.hasPrefix(prefix) else { return nil }
        let name = message.dropFirst(prefix.count)
        return String(name.hasPrefix("main.") ? name.dropFirst(5) : name)
    }

    /// Which rule was broken; `nil` for any other error.
    public var constraint: Constraint? { Constraint(rawValue: extendedCode) }
}

extension SQLiteError.Code {
    /// The statement is wrong, or something that has no code of its own.
    public static let error = Self(rawValue: 1)
    /// The file system does not allow it.
    public static let permission = Self(rawValue: 3)
    /// Another process, or another part of this one, kept the database locked for longer than the busy timeout.
    public static let busy = Self(rawValue: 5)
    /// A part of the same connection is in the way.
    public static let locked = Self(rawValue: 6)
    /// There is not enough memory.
    public static let outOfMemory = Self(rawValue: 7)
    /// A write where only reading is possible.
    public static let readOnly = Self(rawValue: 8)
    /// The statement was stopped.
    public static let interrupted = Self(rawValue: 9)
    /// The disk could not be read or written.
    public static let inputOutput = Self(rawValue: 10)
    /// The file is damaged.
    public static let corrupt = Self(rawValue: 11)
    /// The disk is full, or the database has reached its limit.
    public static let full = Self(rawValue: 13)
    /// The file can not be opened.
    public static let cannotOpen = Self(rawValue: 14)
    /// A text, a blob or a statement is too large.
    public static let tooBig = Self(rawValue: 18)
    /// A rule of the schema would be broken; see ``SQLiteError/constraint``.
    public static let constraint = Self(rawValue: 19)
    /// A value has not the type that is asked for.
    public static let mismatch = Self(rawValue: 20)
    /// The library was called in a way that makes no sense.
    public static let misuse = Self(rawValue: 21)
    /// The statement does something that is not allowed here.
    public static let notAuthorized = Self(rawValue: 23)
    /// There is no such parameter or column.
    public static let range = Self(rawValue: 25)
    /// The file is no database.
    public static let notADatabase = Self(rawValue: 26)

    /// A value can not be stored, such as a number that is not one.
    public static let invalidValue = Self(rawValue: 1001)
    /// The database was closed.
    public static let closed = Self(rawValue: 1002)
    /// The database was written by a newer version of the app.
    public static let newerSchema = Self(rawValue: 1003)
    /// The migrations do not agree with those that the database has seen.
    public static let migration = Self(rawValue: 1004)
    /// A row that must be there is not.
    public static let noRow = Self(rawValue: 1005)
    /// A setting that the engine relies on did not take effect.
    public static let setting = Self(rawValue: 1006)
}

extension SQLiteError: CustomStringConvertible {
    public var description: String {
        let number = extendedCode == code.rawValue ? "\(extendedCode)" : "\(code.rawValue)/\(extendedCode)"
        return "SQLite \(number): \(message)" + (sql.map { " [\($0)]" } ?? "")
    }
}
