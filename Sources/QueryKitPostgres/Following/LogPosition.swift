#if Postgres
/// A row of the log of changes on the server.
struct LogRow: Hashable, Sendable {
    /// The transaction that made the change.
    let transaction: UInt64
    /// The number of the row. A transaction that commits later may have lower numbers.
    let id: Int64
    /// The table; `nil` if everything may have changed.
    let table: String?
    /// The column that divides the table into partitions, and the partition; `nil` if the whole table may have changed.
    let column: String?
    let partition: String?

    /// The region that the row describes.
    ///
    /// - Parameter columns: The column of each table with declared partitions. If another process has declared a different column, the
    ///   whole table counts as changed.
    func region(_ columns: [String: String]) -> PostgresRegion {
        guard let table else { return .everything }
        return PostgresRegion(table: table, partition: column != nil && column == columns[table] ? partition : nil)
    }
}

/// What a query of the log returns.
struct LogPage: Sendable {
    /// Identifies the server: its system identifier and its timeline.
    let system: String
    /// The oldest transaction that was in progress. All older ones are in the log, or will never be.
    let oldest: UInt64
    /// Rows of transactions before this one may have been removed from the log.
    let trimmed: UInt64
    let rows: [LogRow]
}

/// Which transactions of the log have been entered.
///
/// A transaction that began earlier may commit later, so a row can appear behind rows that were read before. The log is therefore read from
/// the oldest transaction that was in progress at the previous look, and rows that were entered before are skipped.
struct LogPosition: Sendable {
    /// The transaction from which the log is to be read; `nil` before the first look.
    private(set) var watermark: UInt64?
    private var system: String?
    /// The transactions from the watermark on that have been entered, each with its last row.
    private var entered: [UInt64: Int64] = [:]
    /// Own transactions in progress, each with the last row that the log has shown. Their writers enter what they have changed.
    private var pending: [UInt64: Int64] = [:]

    /// Adds what a look at the log has found. Returns the rows to enter; `nil` if something may have been missed, so that everything counts
    /// as changed.
    mutating func advance(to page: LogPage) -> [LogRow]? {
        defer {
            // The rows of own transactions in progress may have to be read again.
            let next = min(page.oldest, pending.keys.min() ?? .max)
            (watermark, system) = (next, page.system)
            entered = entered.filter { $0.key >= next }
        }
        // The first look only takes the position.
        guard let watermark else {
            enter(page.rows)
            return []
        }
        // A restored or promoted server has another history, and may have given the same numbers to other transactions.
        if system != page.system || page.trimmed > watermark || page.oldest < watermark {
            entered = [:]
            enter(page.rows)
            return nil
        }
        for row in page.rows where pending[row.transaction] != nil { pending[row.transaction] = row.id }
        let new = page.rows.filter { pending[$0.transaction] == nil && $0.id > entered[$0.transaction] ?? .min }
        enter(new)
        return new
    }

    private mutating func enter(_ rows: [LogRow]) {
        for row in rows { entered[row.transaction] = max(entered[row.transaction] ?? .min, row.id) }
    }

    /// Notes an own transaction, so that its rows need not be entered when they appear in the log.
    mutating func begin(_ transaction: UInt64) { pending[transaction] = .min }

    /// Notes that an own transaction is over.
    ///
    /// - Parameter id: The last row that the writer has entered; `nil` if it is unknown whether the transaction was committed.
    /// - Returns: Whether the log has shown rows that the writer hasn't entered, so that it must be read again.
    mutating func end(_ transaction: UInt64, upTo id: Int64?) -> Bool {
        guard let shown = pending.removeValue(forKey: transaction) else { return false }
        if let id { entered[transaction] = id }
        return shown > id ?? .min
    }
}
#endif
