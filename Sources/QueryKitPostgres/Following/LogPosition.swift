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

/// What a query of the log returns, with the snapshot that it was executed in.
struct LogPage: Sendable {
    /// Identifies the server: its system identifier and its timeline.
    let system: String
    /// The oldest transaction that was in progress.
    let oldest: UInt64
    /// The first transaction that had not begun.
    let next: UInt64
    /// The transactions between them that were in progress.
    let running: Set<UInt64>
    /// Rows of transactions before this one may have been removed from the log.
    let trimmed: UInt64
    let rows: [LogRow]
}

/// Which transactions of the log have been entered.
///
/// A transaction that began earlier may commit later, so a row can appear behind rows that were read before. Each look therefore reads the
/// rows of all transactions that had not ended at the previous look, and of no others.
struct LogPosition: Sendable {
    /// The oldest transaction whose rows are still to be read; `nil` before the first look.
    private(set) var watermark: UInt64?
    /// The first transaction after those that earlier looks covered. It and all later ones are still to be read.
    private(set) var next: UInt64 = 0
    private var system: String?
    /// The earlier transactions that were in progress at the latest look.
    private var running: Set<UInt64> = []
    /// Own transactions in progress, each with the last row that the log has shown. Their writers enter what they have changed.
    private var pending: [UInt64: Int64] = [:]
    /// Own transactions that have to be read again.
    private var doubtful: Set<UInt64> = []
    /// Own transactions that are still to be read, each with the last row that its writer has entered.
    private var entered: [UInt64: Int64] = [:]
    /// Whether own transactions were forgotten, because too many of them ran while the log wasn't read.
    private var isIncomplete = false

    /// The number of own transactions to remember.
    static let limit = 50_000

    /// The transactions before ``next`` that are still to be read.
    var unread: Set<UInt64> { running.union(pending.keys).union(doubtful) }

    /// Adds what a look at the log has found. Returns the rows to enter; `nil` if something may have been missed, so that everything counts
    /// as changed.
    mutating func advance(to page: LogPage) -> [LogRow]? {
        let (previous, previousSystem) = (watermark, system)
        for row in page.rows where pending[row.transaction] != nil { pending[row.transaction] = row.id }
        let new = page.rows.filter { pending[$0.transaction] == nil && $0.id > entered[$0.transaction] ?? .min }
        (next, running, system, doubtful) = (page.next, page.running, page.system, [])
        watermark = min(page.oldest, pending.keys.min() ?? .max)
        entered = entered.filter { $0.key >= page.next || page.running.contains($0.key) }
        defer { isIncomplete = false }
        // The first look only takes the position.
        guard let previous else { return [] }
        // A restored or promoted server has another history, and may have given the same numbers to other transactions.
        if isIncomplete || previousSystem != page.system || page.trimmed > previous || page.oldest < previous { return nil }
        return new
    }

    /// Notes an own transaction, so that its rows need not be entered when they appear in the log.
    mutating func begin(_ transaction: UInt64) { pending[transaction] = .min }

    /// Notes that an own transaction is over.
    ///
    /// - Parameter id: The last row that the writer has entered; `nil` if it is unknown whether the transaction was committed.
    /// - Returns: Whether the log has shown rows that the writer hasn't entered, so that it must be read again.
    mutating func end(_ transaction: UInt64, upTo id: Int64?) -> Bool {
        guard let shown = pending.removeValue(forKey: transaction) else { return false }
        if entered.count >= Self.limit { (entered, isIncomplete) = ([:], true) }
        entered[transaction] = id
        guard shown > id ?? .min else { return false }
        doubtful.insert(transaction)
        return true
    }
}
#endif
