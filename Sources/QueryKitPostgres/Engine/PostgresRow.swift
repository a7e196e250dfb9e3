#if Postgres
/// A row of a result. Copy the values that you need out of it.
///
/// A row can't be kept, stored or returned, so its memory is released with the result.
///
/// ```swift
/// try await db.map("SELECT name, grams FROM food") { row in
///     Portion(name: try row[0], grams: try row[1])
/// }
/// ```
public struct PostgresRow: ~Copyable {
    /// The result. The code that creates the row retains it for the row's lifetime.
    @usableFromInline let owner: Unmanaged<PostgresResult>
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let types: UnsafeMutableBufferPointer<UInt32>
    @usableFromInline let index: Int32

    @inlinable
    init(_ result: PostgresResult, _ index: Int) {
        owner = Unmanaged.passUnretained(result)
        handle = result.handle
        types = result.types
        self.index = Int32(truncatingIfNeeded: index)
    }

    @usableFromInline var result: PostgresResult { owner.takeUnretainedValue() }

    /// The number of columns.
    @inlinable public var count: Int { types.count }

    /// The names of the columns.
    public var names: [String] { result.names }

    /// The value of a column by its index, counted from 0.
    @inlinable
    public subscript<Value: PostgresConvertible>(_ column: Int) -> Value {
        get throws {
            guard column >= 0, column < types.count else { throw result.noColumn("number \(column)") }
            return try Value(postgresColumn: PostgresColumn(self, column))
        }
    }

    /// The value of a column by its name. If two columns have the same name, the first one is used.
    public subscript<Value: PostgresConvertible>(_ name: String) -> Value {
        get throws {
            guard let column = result.index(of: name) else { throw result.noColumn("named \"\(name)\"") }
            return try Value(postgresColumn: PostgresColumn(self, Int(column)))
        }
    }

    /// Returns whether a column with this name exists.
    public func contains(_ name: String) -> Bool { result.index(of: name) != nil }
}

/// A type that can be created from a row.
///
/// ```swift
/// extension Food: PostgresRowDecodable {
///     init(row: borrowing PostgresRow) throws {
///         id = try row[0]
///         name = try row[1]
///     }
/// }
/// ```
public protocol PostgresRowDecodable {
    /// Reads the required columns. Throws if a column is missing or has another type.
    init(row: borrowing PostgresRow) throws
}
#endif
