#if Postgres
/// An error of PostgreSQL, of its client library, or of this library.
///
/// Use ``code`` to decide how to react. The error contains the statement but none of its bound values and never the password, so it can
/// be logged. The PostgreSQL server's ``detail`` may contain values, so the description doesn't contain it.
///
/// ```swift
/// catch let error as PostgresError where error.constraint == .unique {
///     throw DiaryError.nameIsTaken
/// }
/// ```
public struct PostgresError: Error, Hashable, Sendable {
    /// The kind of error.
    public let code: Code

    /// The five characters with which the server classifies the error, such as 23505 for a violated UNIQUE constraint; `nil` if the error
    /// doesn't come from the server.
    public let sqlState: String?

    /// A sentence that describes the problem.
    public let message: String

    /// The server's details, such as the key that exists already. They may contain values, so don't log them.
    public let detail: String?

    /// A suggestion of the server or, for common mistakes, of this library.
    public let hint: String?

    /// The statement, with `$1` in place of its first value, truncated after 1,000 characters; `nil` if the error isn't about a statement.
    public let sql: String?

    /// The name of the violated constraint, if the server names one.
    public let constraintName: String?

    /// Creates an error.
    public init(
        _ code: Code,
        _ message: String,
        sqlState: String? = nil,
        detail: String? = nil,
        hint: String? = nil,
        sql: String? = nil,
        constraintName: String? = nil
    ) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
        self.detail = detail
        self.hint = hint
        self.sql = sql.map { $0.utf8.count > 1_000 ? String($0.prefix(1_000)) : $0 }
        self.constraintName = constraintName
    }

    /// The same error with another code or message, or about a statement.
    func with(code: Code? = nil, message: String? = nil, sql: String? = nil) -> PostgresError {
        PostgresError(
            code ?? self.code,
            message ?? self.message,
            sqlState: sqlState,
            detail: detail,
            hint: hint,
            sql: sql ?? self.sql,
            constraintName: constraintName
        )
    }
}

extension PostgresError {
    /// A kind of error, named after what it means for the caller.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A constraint of the schema that a write would have violated.
    public enum Constraint: String, Sendable {
        /// A NOT NULL column has no value.
        case notNull = "23502"
        /// A referenced row is missing, or a deleted row is still referenced.
        case foreignKey = "23503"
        /// A row with this value in a unique column, primary key or index exists already.
        case unique = "23505"
        /// A CHECK constraint is violated.
        case check = "23514"
        /// An exclusion constraint is violated.
        case exclusion = "23P01"
    }

    /// The kind of the violated constraint; `nil` for any other error.
    public var constraint: Constraint? { sqlState.flatMap(Constraint.init) }

    /// Whether the same transaction may succeed if it is repeated at once.
    public var isRetryable: Bool { code == .serialization || code == .deadlock || code == .outdatedStatement }
}

extension PostgresError.Code {
    /// The PostgreSQL server can't be reached, is starting or stopping, or the connection was lost. Nothing was committed. Try again later.
    public static let unavailable = Self(rawValue: "unavailable")
    /// The server doesn't accept the user or the password.
    public static let authentication = Self(rawValue: "authentication")
    /// The connection can't be encrypted as required, or the certificate isn't accepted.
    public static let tls = Self(rawValue: "tls")
    /// The database doesn't exist on the server.
    public static let unknownDatabase = Self(rawValue: "unknownDatabase")
    /// Connecting, waiting for a lock, or executing a statement took longer than allowed.
    public static let timeout = Self(rawValue: "timeout")
    /// The statement was cancelled through another connection, or the server didn't confirm a cancellation by this library.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A concurrent transaction made this one impossible, even when this one was repeated.
    public static let serialization = Self(rawValue: "serialization")
    /// This transaction and another one waited for each other, even when this one was repeated.
    public static let deadlock = Self(rawValue: "deadlock")
    /// The tables of a prepared statement have changed since it was prepared. The transaction is repeated, so you see this error only if it
    /// keeps happening.
    public static let outdatedStatement = Self(rawValue: "outdatedStatement")
    /// A constraint of the schema would be violated; see ``PostgresError/constraint``.
    public static let constraint = Self(rawValue: "constraint")
    /// The table doesn't exist.
    public static let undefinedTable = Self(rawValue: "undefinedTable")
    /// The column doesn't exist.
    public static let undefinedColumn = Self(rawValue: "undefinedColumn")
    /// No function or operator exists for these types.
    public static let undefinedFunction = Self(rawValue: "undefinedFunction")
    /// The statement is invalid.
    public static let syntax = Self(rawValue: "syntax")
    /// The user has no permission.
    public static let permission = Self(rawValue: "permission")
    /// A value can't be bound, stored or converted.
    public static let invalidValue = Self(rawValue: "invalidValue")
    /// A column has another type than the requested one.
    public static let mismatch = Self(rawValue: "mismatch")
    /// The column doesn't exist in the result.
    public static let range = Self(rawValue: "range")
    /// The statement has too many values, or the result is too large.
    public static let limit = Self(rawValue: "limit")
    /// The server lacks memory, disk space or another resource.
    public static let resources = Self(rawValue: "resources")
    /// An earlier statement of the transaction failed, so it can't be continued.
    public static let failedTransaction = Self(rawValue: "failedTransaction")
    /// The library was used incorrectly.
    public static let misuse = Self(rawValue: "misuse")
    /// The database was closed.
    public static let closed = Self(rawValue: "closed")
    /// Too many transactions wait for a connection.
    public static let queueFull = Self(rawValue: "queueFull")
    /// The database was migrated by a newer version of the app.
    public static let newerSchema = Self(rawValue: "newerSchema")
    /// The migrations don't match those that were applied to the database.
    public static let migration = Self(rawValue: "migration")
    /// The connection was lost during the commit, so the changes may or may not be saved.
    public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
    /// A function or trigger of the database has raised the error.
    public static let raised = Self(rawValue: "raised")
    /// Any other error of the server; see ``PostgresError/sqlState``.
    public static let server = Self(rawValue: "server")
}

extension PostgresError: CustomStringConvertible {
    public var description: String {
        var text = "PostgreSQL \(sqlState ?? code.rawValue): \(message)"
        if let hint { text += " \(hint)" }
        if let sql { text += " [\(sql)]" }
        return text
    }
}
#endif
