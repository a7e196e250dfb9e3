public import CSQLite
public import Foundation

/// One row of a result, for as long as a statement stands on it: read what you need, and keep that.
///
/// It can not be kept, stored or returned, so no cursor stays open after its read.
///
/// ```swift
/// try db.map("SELECT name, grams FROM food") { row in Portion(name: try row[0], grams: try row[1]) }
/// ```
public struct SQLiteRow: ~Copyable {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let columnCount: Int
    /// The statement, which whoever made the row holds for as long as the row is there.
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

    /// The names of the columns, as the statement gives them.
    public var names: [String] { statement.columnNames }

    /// A value by the place of its column, counted from 0.
    @inlinable
    public subscript<Value: SQLiteConvertible>(_ index: Int) -> Value {
        get throws {
            guard index >= 0, index < columnCount else { throw statement.noColumn("number \(index)") }
            return try Value(sqliteColumn: SQLiteColumn(handle, Int32(truncatingIfNeeded: index), owner))
        }
    }

    /// A value by the name of its column. Where two columns have the same name, the first.
    public subscript<Value: SQLiteConvertible>(_ name: String) -> Value {
        get throws {
            guard let index = statement.columnIndex(of: name) else { throw statement.noColumn("named \"\(name)\"") }
            return try Value(sqliteColumn: SQLiteColumn(handle, index, owner))
        }
    }

    /// Whether there is a column with a name.
    public func contains(_ name: String) -> Bool { statement.columnIndex(of: name) != nil }
}

/// A type that can be read from a row.
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
    /// Reads the columns that it needs. Throws when one holds something else, or is not there.
    init(row: borrowing SQLiteRow) throws
}

/// One column of a row, for types that read themselves from it; see ``SQLiteConvertible``.
public struct SQLiteColumn: ~Copyable {
    /// The value of SQLite's. "Not threadsafe" without the mutex of the connection, which one thread uses at a time; each `sqlite3_column_…` takes it.
    @usableFromInline let stored: OpaquePointer
    @usableFromInline let index: Int32
    @usableFromInline let owner: Unmanaged<Statement>

    @inlinable
    init(_ handle: OpaquePointer, _ index: Int32, _ owner: Unmanaged<Statement>) {
        stored = sqlite3_column_value(handle, index)
        self.index = index
        self.owner = owner
    }

    /// The first column of the row on which a statement stands.
    @inlinable
    init(firstOf statement: Statement) { self.init(statement.handle, 0, Unmanaged.passUnretained(statement)) }

    private var statement: Statement { owner.takeUnretainedValue() }

    /// Whether the column is NULL.
    @inlinable public var isNull: Bool { sqlite3_value_type(stored) == SQLITE_NULL }

    /// The column as an integer. Throws when it holds anything else: SQLite would make a number of any text.
    @inlinable
    public func integer() throws -> Int64 {
        guard sqlite3_value_type(stored) == SQLITE_INTEGER else { throw wrongType("an integer") }
        return sqlite3_value_int64(stored)
    }

    /// The column as a number; an integer is one, too.
    @inlinable
    public func real() throws -> Double {
        let type = sqlite3_value_type(stored)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw wrongType("a number") }
        return sqlite3_value_double(stored)
    }

    /// The column as text. Throws when its bytes are no valid UTF-8, which SQLite does not check; ``blob()`` reads them all the same.
    @inlinable
    public func text() throws -> String { try text(of: bytesOfText()) }

    /// The bytes of a text, for as long as the statement stands on the row.
    @inlinable
    @inline(__always)
    func bytesOfText() throws -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_value_type(stored) == SQLITE_TEXT else { throw wrongType("a text") }
        guard let start = sqlite3_value_text(stored) else { throw outOfMemory }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(stored)))
    }

    @inlinable
    func text(of bytes: UnsafeBufferPointer<UInt8>) throws -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // What is not valid was replaced, so the bytes differ.
        guard Self.isASCII(bytes) || Self.has(text, bytes) else { throw mismatch("the text is no valid UTF-8") }
        return text
    }

    /// Whether there are letters of ASCII only, eight at a time: then the text is valid.
    @inlinable
    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = 0
        var all: UInt64 = 0
        while index + 8 <= raw.count {
            all |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < raw.count {
            all |= UInt64(raw[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }

    @usableFromInline
    static func has(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var text = text
        return text.withUTF8 { $0.elementsEqual(bytes) }
    }

    /// The column as bytes; those of a text, too.
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

    /// The column as it is stored.
    public func value() throws -> SQLiteValue {
        switch sqlite3_value_type(stored) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(stored))
        case SQLITE_FLOAT: .real(sqlite3_value_double(stored))
        case SQLITE_TEXT: .text(try text())
        case SQLITE_BLOB: .blob(try blob())
        default: .null
        }
    }

    /// An error that says which column does not hold what was asked for, and why.
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
        return mismatch("\(wanted) was asked for, and it holds \(found)")
    }

    @usableFromInline var outOfMemory: SQLiteError {
        SQLiteError(.outOfMemory, "There is not enough memory for the value of a column.", sql: statement.sql)
    }
}
