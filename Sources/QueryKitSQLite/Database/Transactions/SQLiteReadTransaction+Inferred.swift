/// The same reads with the type that the caller expects: `let foods: [Food] = try db.rows("SELECT …")`.
extension SQLiteReadTransaction {
    /// All rows of a result, as the type that is expected.
    @inlinable
    public final func rows<Row: SQLiteRowDecodable>(_ sql: SQL) throws -> [Row] { try rows(Row.self, sql) }

    /// The first row of a result, as the type that is expected; `nil` where there is none.
    @inlinable
    public final func row<Row: SQLiteRowDecodable>(_ sql: SQL) throws -> Row? { try row(Row.self, sql) }

    /// The first column of each row, as the type that is expected.
    @inlinable
    public final func values<Value: SQLiteConvertible>(_ sql: SQL) throws -> [Value] { try values(Value.self, sql) }

    /// The first column of the first row, as the type that is expected; `nil` where there is no row, or NULL in it.
    @inlinable
    public final func value<Value: SQLiteConvertible>(_ sql: SQL) throws -> Value? { try value(Value.self, sql) }

    /// All rows of a result as the `Decodable` type that is expected.
    public final func decode<Row: Decodable>(_ sql: SQL) throws -> [Row] { try decode(Row.self, sql) }

    /// The first row of a result as the `Decodable` type that is expected; `nil` where there is none.
    public final func decodeFirst<Row: Decodable>(_ sql: SQL) throws -> Row? { try decodeFirst(Row.self, sql) }
}
