/// Where a key comes from by which a statement looks rows up.
indirect enum RowKey: Hashable, Sendable {
    /// The value of a parameter, counted from one.
    case parameter(Int)
    case constant(SQLiteValue)
    /// What a query finds once the values of the parameters are known.
    case found(KeyQuery)
}

/// A query that finds the key of a row by another key: a row id by a unique key, or by a column that refers to the row.
struct KeyQuery: Hashable, Sendable {
    /// A statement whose only column is the key.
    let sql: String
    /// The values that each of its parameters may have.
    let inputs: [Set<RowKey>]
    /// Whether a key that isn't found may be inserted in any row.
    let mustFind: Bool
}

/// Finds keys in the transaction in which they are needed.
struct KeySearch {
    /// More queries than these cost more than they spare.
    static let limit = 64

    private let parameters: [SQLiteValue]
    /// What a query returns for some values.
    private let ask: (_ sql: String, _ values: [SQLiteValue]) -> [SQLiteValue]?
    private var known: [RowKey: Set<SQLiteValue>?] = [:]
    private var queryCount = 0

    init(_ parameters: [SQLiteValue], ask: @escaping (_ sql: String, _ values: [SQLiteValue]) -> [SQLiteValue]?) {
        self.parameters = parameters
        self.ask = ask
    }

    /// The row ids among some keys; `nil` if they aren't all known.
    ///
    /// SQLite may convert a text or a real number to a row id, so such a value isn't known to be one.
    mutating func rowIDs(_ keys: Set<RowKey>) -> [Int64]? {
        guard let values = values(keys) else { return nil }
        var ids: [Int64] = []
        for value in values {
            switch value {
            case .integer(let id): ids.append(id)
            case .null: break
            default: return nil
            }
        }
        return ids
    }

    private mutating func values(_ keys: Set<RowKey>) -> Set<SQLiteValue>? {
        var all: Set<SQLiteValue> = []
        for key in keys {
            guard let found = values(key) else { return nil }
            all.formUnion(found)
        }
        return all
    }

    private mutating func values(_ key: RowKey) -> Set<SQLiteValue>? {
        switch key {
        case .parameter(let number):
            return parameters.indices.contains(number - 1) ? [parameters[number - 1]] : nil
        case .constant(let value):
            return [value]
        case .found(let query):
            if let known = known[key] { return known }
            let values = values(query)
            known[key] = .some(values)
            return values
        }
    }

    private mutating func values(_ query: KeyQuery) -> Set<SQLiteValue>? {
        var rows: [[SQLiteValue]] = [[]]
        for keys in query.inputs {
            guard let values = values(keys) else { return nil }
            // NULL equals nothing, but `IS` may look for it, and then a unique key is not unique.
            if query.mustFind, values.contains(.null) { return nil }
            rows = rows.flatMap { row in values.map { row + [$0] } }
            if rows.count > Self.limit { return nil }
        }
        queryCount += rows.count
        if queryCount > Self.limit { return nil }
        var all: Set<SQLiteValue> = []
        for row in rows {
            guard let found = ask(query.sql, row), !query.mustFind || !found.isEmpty else { return nil }
            all.formUnion(found)
        }
        return all
    }
}
