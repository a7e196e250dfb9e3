#if Postgres
/// The results of the statements that follow transactions.
extension PostgresResult {
    /// The first column of the only row.
    func text() throws -> String? {
        var text: String?
        try forEach { row in text = try row[0] }
        return text
    }

    /// The counters before the first statement of a transaction, and for a write the number of the transaction.
    func opening() throws -> (counters: [String: TableCounters], transaction: UInt64?) {
        var counters: [String: TableCounters] = [:]
        var transaction: UInt64?
        try forEach { row in
            if let id: String = try row[0] {
                counters[id] = TableCounters(scans: try Self.number(row, 1), blocks: try Self.number(row, 2))
            } else {
                transaction = UInt64(try row[1] as String)
            }
        }
        return (counters, transaction)
    }

    /// The tables that a transaction has used.
    func tableUses() throws -> [TableUse] {
        var uses: [TableUse] = []
        try forEach { row in
            let type: String? = try row[7]
            uses.append(
                TableUse(
                    name: try row[0],
                    id: try row[1],
                    isLocked: try row[2],
                    isOnlyWritten: try row[3],
                    counters: TableCounters(scans: try Self.number(row, 4), blocks: try Self.number(row, 5)),
                    isFollowed: try row[6],
                    partitionType: type.flatMap { Int($0) }
                )
            )
        }
        return uses
    }

    /// The rows of the log, in the columns from `offset` on.
    func logRows(offset: Int = 0) throws -> [LogRow] {
        var rows: [LogRow] = []
        try forEach { row in
            // A query of the log returns one row without a transaction if it finds none.
            guard let transaction: String = try row[offset] else { return }
            guard let number = UInt64(transaction) else { throw Self.unexpected("a transaction") }
            rows.append(
                LogRow(
                    transaction: number,
                    id: try Self.number(row, offset + 1),
                    table: try row[offset + 2],
                    column: try row[offset + 3],
                    partition: try row[offset + 4]
                )
            )
        }
        return rows
    }

    /// The result of a query of the log.
    func logPage() throws -> LogPage {
        var (system, snapshot, trimmed) = ("", "", UInt64?.none)
        try forEach { row in
            (system, snapshot, trimmed) = (try row[0], try row[1], UInt64(try row[2] as String))
        }
        // Such as 10:20:10,14.
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let oldest = UInt64(parts[0]), let next = UInt64(parts[1]), let trimmed else {
            throw Self.unexpected("the position of the log")
        }
        let running = Set(parts[2].split(separator: ",").compactMap { UInt64($0) })
        return LogPage(system: system, oldest: oldest, next: next, running: running, trimmed: trimmed, rows: try logRows(offset: 3))
    }

    private static func number(_ row: borrowing PostgresRow, _ column: Int) throws -> Int64 {
        guard let number = Int64(try row[column] as String) else { throw unexpected("a number") }
        return number
    }

    private static func unexpected(_ what: String) -> PostgresError {
        PostgresError(.mismatch, "The log of changes in the schema querykit can't be read: \(what) is missing.")
    }
}
#endif
