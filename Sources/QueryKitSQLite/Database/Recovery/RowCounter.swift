/// Counts the rows that a damaged table had, using its indexes.
struct RowCounter {
    private let source: Connection
    private let table: String
    /// The names and first columns of indexes that contain every row.
    private let indexes: [(name: String, column: String)]

    init(_ table: String, in source: Connection) {
        self.source = source
        self.table = source.quoted(table)
        let list = """
            SELECT l.name, coalesce(i.name, '') FROM pragma_index_list(?) AS l, pragma_index_info(l.name) AS i
            WHERE l.partial = 0 AND i.seqno = 0
            """
        indexes = (try? source.rows(list, [.text(table)]) { (name: try $0[0] as String, column: try $0[1] as String) }) ?? []
    }

    /// The number of rows; `nil` if no index can be read completely.
    func count() -> Int? {
        let counts = indexes.compactMap { index in
            try? source.value(Int.self, "SELECT count(*) FROM main.\(table) INDEXED BY \(source.quoted(index.name))")
        }
        return counts.max()
    }

    /// The number of rows by partition; `nil` if no index that begins with this column can be read completely.
    func counts(by column: String) -> [String: Int]? {
        for index in indexes where index.column.lowercased() == column.lowercased() {
            let name = source.quoted(column)
            let counts = try? source.rows(
                "SELECT coalesce(CAST(\(name) AS TEXT), ''), count(*) FROM main.\(table) INDEXED BY \(source.quoted(index.name)) GROUP BY \(name)"
            ) { row in (partition: try row[0] as String, count: try row[1] as Int) }
            if let counts { return Dictionary(counts.map { ($0.partition, $0.count) }, uniquingKeysWith: +) }
        }
        return nil
    }

    /// The number of rows by partition, for a readable table.
    static func counts(of table: String, by column: String, on target: Connection) throws -> [String: Int] {
        let name = target.quoted(column)
        let counts = try target.rows(
            "SELECT coalesce(CAST(\(name) AS TEXT), ''), count(*) FROM main.\(target.quoted(table)) GROUP BY \(name)"
        ) { row in (partition: try row[0] as String, count: try row[1] as Int) }
        return Dictionary(counts.map { ($0.partition, $0.count) }, uniquingKeysWith: +)
    }
}
