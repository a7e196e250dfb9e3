import QueryKit

/// Describes a statement for the snapshot of a client: its plan, what it reads, and whether it scans large tables.
///
/// It is created once per statement and outlives the statement and the database. It contains no parameter values.
final class StatementDescription: ReadStatement {
    /// What a statement reads of one table.
    struct Table: Hashable, Sendable {
        let name: String
        /// How its rows are found, such as "rows by key"; `nil` if the whole table counts.
        let part: String?
        /// The names of its columns that count; `nil` for all.
        let columns: [String]?
        /// Why the whole table or all columns count; `nil` if there is no reason to show.
        let reason: String?
    }

    private struct State {
        /// The tables of which reads have named partitions.
        var partitioned: Set<String> = []
        /// The tables whose keys or ranges could not be determined for some values.
        var undetermined: Set<String> = []
        /// The most rows that one execution has scanned.
        var scannedRows = 0
    }

    /// A statement that scans more rows than this number gets a warning.
    static let largeTable = 1_000

    let text: String
    let plan: [String]
    private let tables: [Table]
    /// The tables that the statement scans row by row.
    private let scanned: [String]
    /// The warnings that were known when the statement was prepared.
    private let firstWarnings: [String]
    private let state = Lock(State())

    init(of text: String, plan: [String], _ tables: [Table], scanned: [String], warnings: [String]) {
        self.text = text
        self.plan = plan
        self.tables = tables
        self.scanned = scanned
        firstWarnings = warnings
    }

    /// Whether executions must report how many rows they have scanned.
    var countsScans: Bool { !scanned.isEmpty }

    func isSame(as other: StatementDescription) -> Bool {
        text == other.text && plan == other.plan && tables == other.tables && scanned == other.scanned
            && firstWarnings == other.firstWarnings
    }

    // MARK: Executions

    func notePartitions(of tables: Set<String>) { state.withLock { $0.partitioned.formUnion(tables) } }

    /// Notes how often one execution has stepped to a next row in scans.
    func noteScan(steps: Int) { state.withLock { $0.scannedRows = max($0.scannedRows, steps + 1) } }

    /// Notes the regions of one execution.
    func note(_ regions: [SQLiteRegion]) {
        for region in regions where region.rowID == nil && region.keys == nil {
            guard let table = region.table, tables.contains(where: { $0.name == table && $0.part != nil }) else { continue }
            _ = state.withLock { $0.undetermined.insert(table) }
        }
    }

    // MARK: ReadStatement

    var reads: [String] {
        let state = state.withLock { $0 }
        return tables.map { table in
            var part = table.part ?? "the whole table"
            var reason = table.reason
            if state.partitioned.contains(table.name) {
                (part, reason) = ("partitions", nil)
            } else if table.part != nil, state.undetermined.contains(table.name) {
                part += ", or the whole table"
                reason = "a key or the end of a range could not be determined for some values"
            }
            let columns = table.columns.map { $0.isEmpty ? "; no columns" : "; columns " + $0.joined(separator: ", ") } ?? ""
            return "\(table.name): \(part)\(columns)" + (reason.map { ", because \($0)" } ?? "")
        }
    }

    var warnings: [String] {
        let count = state.withLock { $0.scannedRows }
        guard count > Self.largeTable else { return firstWarnings }
        let names = scanned.joined(separator: ", ")
        return firstWarnings + ["An execution has scanned \(count) rows of \(names). Add an index on the columns of its condition."]
    }
}

/// The descriptions of a database's statements, shared by its connections.
final class StatementDescriptions: Sendable {
    /// The maximum number of descriptions. Beyond it, all are removed; those in use continue to exist.
    private static let limit = 512

    private let known = Lock<[String: StatementDescription]>([:])

    /// Returns the known description of the same statement, or the new one if there is none or the plan has changed.
    func shared(_ new: StatementDescription) -> StatementDescription {
        known.withLock { known in
            if let old = known[new.text], old.isSame(as: new) { return old }
            if known.count >= Self.limit { known = [:] }
            known[new.text] = new
            return new
        }
    }
}
