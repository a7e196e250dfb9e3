extension SQLiteReadTransaction {
    /// Returns all rows of a result as a `Decodable` type whose keys are the names of the columns.
    ///
    /// Optional keys may be NULL or have no column. A ``SQLiteConvertible`` type is read from its stored form, such as a date from
    /// milliseconds or a UUID from 16 bytes. A URL is read from text, and a `Decimal` from text or a number. Any other type with several
    /// values is read from the JSON in its column, with a default `JSONDecoder()`. Errors name the column. Reading by index is faster; see
    /// ``SQLiteRowDecodable``.
    ///
    /// ```swift
    /// struct Entry: Decodable { let id: Int, day: String, note: String? }
    /// let entries = try db.decode(
    ///     Entry.self,
    ///     "SELECT id, day, note FROM entries ORDER BY id"
    /// )
    /// ```
    public func decode<Row: Decodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> [Row] {
        try map(sql) { try $0.statement.decode(Row.self) }
    }

    /// Returns the first row of a result as a `Decodable` type; `nil` if there is none.
    public func decodeFirst<Row: Decodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> Row? {
        let statement = try begin(sql)
        defer { end(statement) }
        return try first(statement) ? try statement.decode(Row.self) : nil
    }
}
