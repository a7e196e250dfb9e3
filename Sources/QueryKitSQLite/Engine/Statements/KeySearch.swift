import QueryKit

/// Returns the results of a query for keys with these values; `nil` if it fails.
typealias KeyFinder = (_ sql: String, _ values: [SQLiteValue]) -> [SQLiteValue]?

/// Looks up keys within the transaction that needs them.
struct KeySearch {
    /// The maximum number of queries: more of them would cost more than they save.
    static let limit = 64

    private let parameters: [SQLiteValue]
    private let find: KeyFinder
    private var known: [RowKey: [SQLiteValue]?] = [:]
    private var queryCount = 0

    init(_ parameters: [SQLiteValue], find: @escaping KeyFinder) {
        self.parameters = parameters
        self.find = find
    }

    /// The row ids that these keys refer to; `nil` if they aren't all known.
    ///
    /// SQLite may convert a text or a real number to a row id, so it is unknown which row id such a value means.
    mutating func rowIDs(_ keys: Set<RowKey>) -> [Int64]? {
        guard let values = values(keys) else { return nil }
        var ids: Set<Int64> = []
        for value in values {
            switch value {
            case .integer(let id): ids.insert(id)
            case .null: break
            default: return nil
            }
        }
        return Array(ids)
    }

    /// The ranges for the current values; `nil` if they aren't all known, or there are too many.
    mutating func ranges(_ ranges: Set<IndexRange>) -> [RegionRange]? {
        var all: [RegionRange] = []
        for range in ranges {
            guard let found = self.ranges(range) else { return nil }
            all += found
        }
        return all.count > Self.limit ? nil : all
    }

    private mutating func ranges(_ range: IndexRange) -> [RegionRange]? {
        var starts: [[RegionValue]] = [[]]
        for (column, keys) in zip(range.columns, range.equal) {
            guard let values = values(keys, in: column) else { return nil }
            starts = starts.flatMap { start in values.map { start + [$0] } }
            if starts.count > Self.limit { return nil }
        }
        var (lowest, highest): (RegionValue?, RegionValue?)
        if let column = range.columns.last {
            if let lower = range.lower {
                guard let values = values(lower.keys, in: column) else { return nil }
                // If one end has no value, the statement never reads this range.
                guard let first = values.min() else { return [] }
                lowest = first
            }
            if let upper = range.upper {
                guard let values = values(upper.keys, in: column) else { return nil }
                guard let last = values.max() else { return [] }
                highest = last
            }
        }
        return starts.map { start in
            let (first, last) = (start + (lowest.map { [$0] } ?? []), start + (highest.map { [$0] } ?? []))
            return RegionRange(
                range.columns.map(\.name),
                from: range.lower?.isOpen == true ? .init(after: first) : .init(before: first),
                to: range.upper?.isOpen == true ? .init(before: last) : .init(after: last)
            )
        }
    }

    /// The values of these keys as they are compared with a column; `nil` if one is unknown or would be converted.
    private mutating func values(_ keys: Set<RowKey>, in column: StatementProgram.IndexColumn) -> Set<RegionValue>? {
        guard let values = values(keys) else { return nil }
        var all: Set<RegionValue> = []
        for value in values {
            guard let value = RegionValue(value, in: column.affinity) else { return nil }
            all.insert(value)
        }
        return all
    }

    /// Returns a list, because `String` treats some different texts as equal.
    private mutating func values(_ keys: Set<RowKey>) -> [SQLiteValue]? {
        var all: [SQLiteValue] = []
        for key in keys {
            guard let found = values(key) else { return nil }
            all += found
        }
        return all
    }

    private mutating func values(_ key: RowKey) -> [SQLiteValue]? {
        switch key {
        case .parameter(let number):
            return parameters.indices.contains(number - 1) ? [parameters[number - 1]] : nil
        case .integer(let value):
            return [.integer(value)]
        case .text(let text):
            return [.text(String(decoding: text, as: UTF8.self))]
        case .null:
            return [.null]
        case .found(let query):
            if let known = known[key] { return known }
            let values = values(query)
            known[key] = .some(values)
            return values
        }
    }

    private mutating func values(_ query: KeyQuery) -> [SQLiteValue]? {
        var rows: [[SQLiteValue]] = [[]]
        for keys in query.inputs {
            guard let values = values(keys) else { return nil }
            // NULL equals nothing, but `IS NULL` may match several rows, because a unique key allows several NULLs.
            if query.mustFind, values.contains(.null) { return nil }
            rows = rows.flatMap { row in values.map { row + [$0] } }
            if rows.count > Self.limit { return nil }
        }
        queryCount += rows.count
        if queryCount > Self.limit { return nil }
        var all: [SQLiteValue] = []
        for row in rows {
            guard let found = find(query.sql, row), !query.mustFind || !found.isEmpty else { return nil }
            all += found
        }
        return all
    }
}

extension StatementReads {
    /// Returns the regions of these tables for these parameter values.
    func regions(of names: [String], _ values: [SQLiteValue], _ find: KeyFinder) -> [SQLiteRegion] {
        withoutActuallyEscaping(find) { find in
            var search = KeySearch(values, find: find)
            return regions(of: names, &search)
        }
    }

    private func regions(of names: [String], _ search: inout KeySearch) -> [SQLiteRegion] {
        names.flatMap { name in
            let columns = columns[name] ?? .all
            if let keys = rows[name], let ids = search.rowIDs(keys) { return ids.map { SQLiteRegion(table: name, rowID: $0, columns) } }
            guard let part = parts[name], let ids = search.rowIDs(part.rows), let ranges = search.ranges(part.ranges) else {
                return [SQLiteRegion(table: name, columns)]
            }
            return ids.map { SQLiteRegion(table: name, rowID: $0, columns) }
                + ranges.map { SQLiteRegion(table: name, columns, .range($0)) }
        }
    }
}

extension RegionValue {
    /// Creates a value in the sort order of an index; `nil` if there is none.
    init?(_ value: SQLiteValue) {
        switch value {
        case .null: self = .nothing
        case .integer(let number): self = .integer(number)
        case .real(let number):
            guard let number = RegionValue.number(number) else { return nil }
            self = number
        case .text(let text):
            // The replacement character may represent invalid bytes, which have another position in the order.
            if text.unicodeScalars.contains("\u{FFFD}") { return nil }
            self = .text(Array(text.utf8))
        case .blob(let data): self = .bytes(Array(data))
        }
    }

    /// Creates a value that is compared with a column; `nil` if SQLite may convert it to another type first.
    init?(_ value: SQLiteValue, in affinity: StatementProgram.Affinity?) {
        switch (value, affinity) {
        case (_, nil), (.text, .number?), (.text, .real?), (.integer, .text?), (.real, .text?): return nil
        case (.integer(let number), .real?) where abs(Double(number)) > 0x1p53: return nil
        default: self.init(value)
        }
    }
}

extension SQLiteValue {
    var isText: Bool {
        if case .text = self { true } else { false }
    }
}
