public import CSQLite
public import Foundation

/// The current row of a result. Copy the values that you need out of it.
///
/// A row can't be kept, stored or returned, so no cursor stays open after its read.
///
/// ```swift
/// try db.map("SELECT name, grams FROM food") { row in
///     Portion(name: try row[0], grams: try row[1])
/// }
/// ```
public struct SQLiteRow: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let columnCount: Int
    /// The statement. The code that creates the row retains the statement for the row's lifetime.
    @usableFromInline let owner: Unmanaged<Statement>

    @inlinable
    init(_ statement: Statement) {
        handle = statement.handle
        columnCount = Int(statement.columnCount)
        owner = Unmanaged.passUnretained(statement)
    }

    @usableFromInline var statement: Statement { owner.takeUnretainedValue() }

    /// The number of columns.
    public var count: Int { columnCount }

    /// The column names of the statement.
    public var names: [String] { statement.columnNames }

    /// The value of a column by its index, counted from 0.
    @inlinable
    public subscript<Value: SQLiteConvertible>(_ index: Int) -> Value {
        get throws {
            guard index >= 0, index < columnCount else { throw statement.noColumn("number \(index)") }
            return try Value(sqliteColumn: SQLiteColumn(handle, Int32(truncatingIfNeeded: index), owner))
        }
    }

    /// The value of a column by its name. If two columns have the same name, the first one is used.
    public subscript<Value: SQLiteConvertible>(_ name: String) -> Value {
        get throws {
            guard let index = statement.columnIndex(of: name) else { throw statement.noColumn("named \"\(name)\"") }
            return try Value(sqliteColumn: SQLiteColumn(handle, index, owner))
        }
    }

    /// Returns whether a column with this name exists.
    public func contains(_ name: String) -> Bool { statement.columnIndex(of: name) != nil }
}

/// A type that can be created from a row.
///
/// ```swift
/// extension Food: SQLiteRowDecodable {
///     init(row: borrowing SQLiteRow) throws {
///         id = try row[0]
///         name = try row[1]
///     }
/// }
/// ```
public protocol SQLiteRowDecodable {
    /// Reads the required columns. Throws if a column is missing or holds another type.
    init(row: borrowing SQLiteRow) throws
}

/// One column of a row, from which a type reads its value; see ``SQLiteConvertible``.
public struct SQLiteColumn: ~Copyable {
    /// An unprotected value of SQLite, which is "not threadsafe" without the connection's mutex. Only one thread uses the connection at a
    /// time, so it is safe here, and avoids the mutex that each `sqlite3_column_…` call takes.
    @usableFromInline let stored: OpaquePointer
    @usableFromInline let index: Int32
    @usableFromInline let owner: Unmanaged<Statement>

    @inlinable
    init(_ handle: OpaquePointer, _ index: Int32, _ owner: Unmanaged<Statement>) {
        stored = sqlite3_column_value(handle, index)
        self.index = index
        self.owner = owner
    }

    /// The first column of a statement's current row.
    @inlinable
    init(firstOf statement: Statement) { self.init(statement.handle, 0, Unmanaged.passUnretained(statement)) }

    private var statement: Statement { owner.takeUnretainedValue() }

    /// Whether the column is NULL.
    @inlinable public var isNull: Bool { sqlite3_value_type(stored) == SQLITE_NULL }

    /// The column as an integer. Throws if it holds another type: SQLite would convert any text into a number.
    @inlinable
    public func integer() throws -> Int64 {
        guard sqlite3_value_type(stored) == SQLITE_INTEGER else { throw wrongType("an integer") }
        return sqlite3_value_int64(stored)
    }

    /// The column as a number. Integers are converted.
    @inlinable
    public func real() throws -> Double {
        let type = sqlite3_value_type(stored)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw wrongType("a number") }
        return sqlite3_value_double(stored)
    }

    /// The column as text. Throws if its bytes are not valid UTF-8, which SQLite doesn't check; ``blob()`` can read them anyway.
    @inlinable
    public func text() throws -> String { try text(of: bytesOfText()) }

    /// The bytes of a text. They are valid until the statement moves to the next row.
    @inlinable
    @inline(__always)
    func bytesOfText() throws -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_value_type(stored) == SQLITE_TEXT else { throw wrongType("a text") }
        guard let start = sqlite3_value_text(stored) else { throw outOfMemory }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(stored)))
    }

    @inlinable
    func text(of bytes: UnsafeBufferPointer<UInt8>) throws -> String {
        guard let text = TextBytes.text(bytes) else { throw mismatch("the text is not valid UTF-8") }
        return text
    }

    /// The column as bytes. Also returns the bytes of a text.
    @inlinable
    public func blob() throws -> Data {
        let type = sqlite3_value_type(stored)
        guard type == SQLITE_BLOB || type == SQLITE_TEXT else { throw wrongType("a blob") }
        // "The return value from sqlite3_column_blob() for a zero-length BLOB is a NULL pointer."
        let start = sqlite3_value_blob(stored)
        let count = Int(sqlite3_value_bytes(stored))
        guard let start else {
            if count > 0 { throw outOfMemory }
            return Data()
        }
        return Data(bytes: start, count: count)
    }

    /// The column's value in its stored type.
    public func value() throws -> SQLiteValue {
        switch sqlite3_value_type(stored) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(stored))
        case SQLITE_FLOAT: .real(sqlite3_value_double(stored))
        case SQLITE_TEXT: .text(try text())
        case SQLITE_BLOB: .blob(try blob())
        default: .null
        }
    }

    /// Creates an error that names this column and a reason.
    public func mismatch(_ reason: String) -> SQLiteError {
        SQLiteError(.mismatch, "Column \(index) (\(statement.columnNames[Int(index)])): \(reason).", sql: statement.sql)
    }

    @usableFromInline
    func wrongType(_ wanted: String) -> SQLiteError {
        let found =
            switch sqlite3_value_type(stored) {
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a real number"
            case SQLITE_TEXT: "a text"
            case SQLITE_BLOB: "a blob"
            default: "NULL"
            }
        return mismatch("expected \(wanted), found \(found)")
    }

    @usableFromInline var outOfMemory: SQLiteError {
        SQLiteError(.outOfMemory, "There is not enough memory for the value of a column.", sql: statement.sql)
    }
}
