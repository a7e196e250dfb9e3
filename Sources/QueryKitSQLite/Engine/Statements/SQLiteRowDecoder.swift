import Foundation

extension Statement {
    /// Decodes the statement's current row.
    func decode<Row: Decodable>(_ type: Row.Type) throws -> Row {
        // A single value is read from the first column, as in all other reads.
        if ColumnContainer.isValue(type) { return try ColumnContainer(statement: self, index: 0).decode(type) }
        return try Row(from: SQLiteRowDecoder(statement: self))
    }
}

/// Decodes a `Decodable` type from a row: each key is read from the column with its name.
struct SQLiteRowDecoder: Decoder {
    let statement: Statement
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer<Key>(statement: statement))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw SQLiteError(
            .mismatch,
            "A row is decoded by the names of its columns, not as a list. Decode a type with a property for each column.",
            sql: statement.sql
        )
    }

    /// For types with a single value: the first column.
    func singleValueContainer() throws -> any SingleValueDecodingContainer { ColumnContainer(statement: statement, index: 0) }
}

private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let statement: Statement
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { statement.columnNames.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { statement.columnIndex(of: key.stringValue) != nil }

    private func column(_ key: Key) throws -> ColumnContainer {
        guard let index = statement.columnIndex(of: key.stringValue) else { throw statement.noColumn("named \"\(key.stringValue)\"") }
        return ColumnContainer(statement: statement, index: index)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try column(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try column(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        throw try column(key).needsType
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw try column(key).needsType }

    func superDecoder() throws -> any Decoder { SQLiteRowDecoder(statement: statement) }

    func superDecoder(forKey key: Key) throws -> any Decoder { ColumnDecoder(container: try column(key)) }
}

/// One column, decoded as a value or as JSON.
struct ColumnContainer: SingleValueDecodingContainer {
    let statement: Statement
    let index: Int32
    var codingPath: [any CodingKey] { [] }

    var column: SQLiteColumn { SQLiteColumn(statement.handle, index, Unmanaged.passUnretained(statement)) }

    func decodeNil() -> Bool { column.isNull }

    /// Whether a type is read directly from the column's stored value.
    static func isValue(_ type: any Decodable.Type) -> Bool {
        type is any SQLiteConvertible.Type || type is any FixedWidthInteger.Type
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let type = type as? any SQLiteConvertible.Type, let value = try read(type) as? Value { return value }
        // These types can't be bound, because not all of their values can be stored. Their own `init(from:)` would call this function again
        // and never return.
        if let type = type as? any FixedWidthInteger.Type, let value = try integer(type) as? Value { return value }
        do {
            return try Value(from: ColumnDecoder(container: self))
        } catch is JSONIsNeeded {
            return try json(type)
        } catch is DecodingError {
            // The `DecodingError` contains the value, which must not appear in errors or logs.
            throw column.mismatch("the value is not a valid \(type)")
        }
    }

    private func read<Value: SQLiteConvertible>(_ type: Value.Type) throws -> Value { try Value(sqliteColumn: column) }

    private func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        let number = try column.integer()
        guard let value = Value(exactly: number) else { throw column.mismatch("\(number) does not fit into \(type)") }
        return value
    }

    private func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let data = try column.blob()
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw column.mismatch("the JSON is not a valid \(type)" + error.pathDescription)
        }
    }

    var needsType: SQLiteError { column.mismatch("JSON in a column is decoded by a separate type, not by a nested container") }
}

/// The decoder for a type that decodes itself from one column.
private struct ColumnDecoder: Decoder {
    let container: ColumnContainer
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw JSONIsNeeded() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONIsNeeded() }

    func singleValueContainer() -> any SingleValueDecodingContainer { container }
}

/// Thrown when a type has more than one value, so that its column is decoded as JSON.
private struct JSONIsNeeded: Error {}

extension DecodingError {
    /// The path in the JSON, without the value.
    fileprivate var pathDescription: String {
        let path: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.isEmpty ? "" : " at \(path.map(\.stringValue).joined(separator: "."))"
    }
}
