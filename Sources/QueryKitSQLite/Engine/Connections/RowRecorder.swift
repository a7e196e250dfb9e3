import CSQLite

/// Collects the row ids that a transaction writes, as SQLite's update hook reports them.
///
/// The hook reports each row that is inserted, updated or deleted in a table with row ids, triggers and cascades included. Some changes are counted by
/// `sqlite3_total_changes` but not reported, such as emptying a whole table. So if fewer rows are reported than counted, row ids are missing.
///
/// Two kinds of rows are neither reported nor counted: those that REPLACE removes, and the old row id when an update changes it.
final class RowRecorder {
    /// More than these in one table count as the whole table.
    static let limit = 64

    private struct Table {
        /// The address of the name in SQLite's schema. It identifies the table until the schema changes.
        let address: UnsafePointer<CChar>
        let name: String
        var rows: Set<Int64> = []
        var isWhole = false
    }

    private var tables: [Table] = []
    private var last = -1
    /// How many rows were reported, of whichever table.
    private(set) var count: Int64 = 0

    func begin() {
        if last >= 0 { (tables, last) = ([], -1) }
    }

    /// The rows of a table that were written; `nil` if they are too many.
    func rows(of table: String) -> Set<Int64>? {
        guard let table = tables.first(where: { $0.name == table }) else { return [] }
        return table.isWhole ? nil : table.rows
    }

    private func note(_ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ row: Int64) {
        count += 1
        // A temporary table belongs to its connection alone.
        guard let database, let table, database[0] == UInt8(ascii: "m") else { return }
        if last < 0 || tables[last].address != table { find(table) }
        if tables[last].isWhole { return }
        tables[last].rows.insert(row)
        if tables[last].rows.count > Self.limit { (tables[last].rows, tables[last].isWhole) = ([], true) }
    }

    private func find(_ address: UnsafePointer<CChar>) {
        if let known = tables.firstIndex(where: { $0.address == address }) {
            last = known
        } else {
            last = tables.count
            tables.append(Table(address: address, name: String(cString: address)))
        }
    }

    /// Makes SQLite report the rows that a connection writes.
    func watch(_ connection: Connection) {
        sqlite3_update_hook(
            connection.handle,
            { context, _, database, table, row in
                guard let context else { return }
                Unmanaged<RowRecorder>.fromOpaque(context).takeUnretainedValue().note(database, table, row)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
