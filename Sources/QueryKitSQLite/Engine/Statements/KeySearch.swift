import QueryKit

/// Returns what a query for keys finds with some values; `nil` if it fails.
typealias KeyFinder = (_ sql: String, _ values: [SQLiteValue]) -> [SQLiteValue]?

/// Finds keys in the transaction in which they are needed.
struct KeySearch {
    /// More queries than these cost more than they spare.
    static let limit = 64

    private let parameters: [SQLiteValue]
    private let ask: KeyFinder
    private var known: [RowKey: Set<SQLiteValue>?] = [:]
    private var queryCount = 0

    init(_ parameters: [SQLiteValue], ask: @escaping KeyFinder) {
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
        case .integer(let value):
            return [.integer(value)]
        case .text(let text):
            return [.text(text)]
        case .null:
            return [.null]
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

extension StatementReads {
    /// Returns the regions of some tables for these parameter values.
    func regions(of names: [String], _ values: [SQLiteValue], _ find: KeyFinder) -> [SQLiteRegion] {
        withoutActuallyEscaping(find) { find in
            var search = KeySearch(values, ask: find)
            return regions(of: names, &search)
        }
    }

    private func regions(of names: [String], _ search: inout KeySearch) -> [SQLiteRegion] {
        names.flatMap { name in
            let columns = columns[name] ?? .all
            guard let keys = rows[name], let ids = search.rowIDs(keys) else { return [SQLiteRegion(table: name, columns)] }
            return ids.map { SQLiteRegion(table: name, rowID: $0, columns) }
        }
    }
}
