import Foundation

extension Statement {
    /// The row on which the statement stands as a type that decodes itself.
    func decode<Row: Decodable>(_ type: Row.Type) throws -> Row {
        // A value is the first column, as everywhere else.
        if ColumnContainer.isValue(type) { return try ColumnContainer(statement: self, index: 0).decode(type) }
        return try Row(from: SQLiteRowDecoder(statement: self))
    }
}

/// Reads a `Decodable` type from a row: each key from the column of its name.
struct SQLiteRowDecoder: Decoder {
    let statement: Statement
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer<Key>(statement: statement))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw SQLiteError(.mismatch, "A row is decoded by the names of its columns, not as a list.", sql: statement.sql)
    }

    /// For types that are one value: the first column.
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

/// One column, as a value or as the JSON of one.
struct ColumnContainer: SingleValueDecodingContainer {
    let statement: Statement
    let index: Int32
    var codingPath: [any CodingKey] { [] }

    var column: SQLiteColumn { SQLiteColumn(statement.handle, index, Unmanaged.passUnretained(statement)) }

    func decodeNil() -> Bool { column.isNull }

    /// Whether a type is read from a column as it is.
    static func isValue(_ type: any Decodable.Type) -> Bool {
        type is any SQLiteConvertible.Type || type is any FixedWidthInteger.Type
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let type = type as? any SQLiteConvertible.Type, let value = try read(type) as? Value { return value }
        // Those that can not be bound, since not all of their values can be stored. By themselves they would ask for themselves again.
        if let type = type as? any FixedWidthInteger.Type, let value = try integer(type) as? Value { return value }
        do {
            return try Value(from: ColumnDecoder(container: self))
        } catch is JSONIsNeeded {
            return try json(type)
        } catch is DecodingError {
            // It names the value, which is nobody's business but the app's.
            throw column.mismatch("the value is no \(type)")
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
            throw column.mismatch("the JSON is no \(type)" + error.place)
        }
    }

    var needsType: SQLiteError { column.mismatch("JSON in a column is decoded by a type of its own, not by a nested container") }
}

/// What a type sees that decodes itself from one column.
private struct ColumnDecoder: Decoder {
    let container: ColumnContainer
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw JSONIsNeeded() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONIsNeeded() }

    func singleValueContainer() -> any SingleValueDecodingContainer { container }
}

/// A type has more than one value, so its column must be JSON.
private struct JSONIsNeeded: Error {}

extension DecodingError {
    /// Where in the JSON, without what is there.
    fileprivate var place: String {
        let path: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.isEmpty ? "" : " at \(path.map(\.stringValue).joined(separator: "."))"
    }
}
