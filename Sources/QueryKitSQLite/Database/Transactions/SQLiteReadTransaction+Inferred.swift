/// The same reads, with the type inferred from the context: `let foods: [Food] = try db.rows("SELECT …")`.
extension SQLiteReadTransaction {
    /// Returns all rows of a result as the inferred type.
    @inlinable
    public final func rows<Row: SQLiteRowDecodable>(_ sql: SQL) throws -> [Row] { try rows(Row.self, sql) }

    /// Returns the first row of a result as the inferred type; `nil` if there is none.
    @inlinable
    public final func row<Row: SQLiteRowDecodable>(_ sql: SQL) throws -> Row? { try row(Row.self, sql) }

    /// Returns the first column of each row as the inferred type.
    @inlinable
    public final func values<Value: SQLiteConvertible>(_ sql: SQL) throws -> [Value] { try values(Value.self, sql) }

    /// Returns the first column of the first row as the inferred type; `nil` if there is no row, or if the column is NULL.
    @inlinable
    public final func value<Value: SQLiteConvertible>(_ sql: SQL) throws -> Value? { try value(Value.self, sql) }

    /// Returns all rows of a result as the inferred `Decodable` type.
    public final func decode<Row: Decodable>(_ sql: SQL) throws -> [Row] { try decode(Row.self, sql) }

    /// Returns the first row of a result as the inferred `Decodable` type; `nil` if there is none.
    public final func decodeFirst<Row: Decodable>(_ sql: SQL) throws -> Row? { try decodeFirst(Row.self, sql) }
}
