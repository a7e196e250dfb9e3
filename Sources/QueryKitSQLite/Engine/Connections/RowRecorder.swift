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
        /// Each once.
        var rows: [Int64] = []
        var isWhole = false
        /// How often one was reported.
        var count: Int64 = 0

        mutating func insert(_ row: Int64) {
            count += 1
            if isWhole || rows.last == row || rows.contains(row) { return }
            rows.append(row)
            if rows.count > RowRecorder.limit { (rows, isWhole) = ([], true) }
        }
    }

    /// One value, so that a note is one access.
    private struct Notes {
        var tables: [Table] = []
        var last = 0
        var count: Int64 = 0
        var isComplete = true

        mutating func add(_ table: UnsafePointer<CChar>, _ row: Int64) {
            if last >= tables.count || tables[last].address != table { find(table) }
            tables[last].insert(row)
        }

        private mutating func find(_ address: UnsafePointer<CChar>) {
            last = tables.firstIndex { $0.address == address } ?? tables.count
            if last == tables.count { tables.append(Table(address: address, name: String(cString: address))) }
        }
    }

    private var notes = Notes()

    /// How many rows were reported, of whichever table.
    var count: Int64 { notes.count }

    func begin() {
        if !notes.tables.isEmpty { notes.tables.removeAll(keepingCapacity: true) }
        notes.isComplete = false
    }

    /// Stops collecting: what follows are rows that the engine writes for itself.
    func end() { notes.isComplete = true }

    /// The rows of a table that were written; `nil` if they are too many.
    func rows(of table: String) -> [Int64]? {
        guard let notes = notes.tables.first(where: { $0.name == table }) else { return [] }
        return notes.isWhole ? nil : notes.rows
    }

    /// How often a row of a table was reported.
    func count(of table: String) -> Int64 { notes.tables.first { $0.name == table }?.count ?? 0 }

    private func note(_ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ row: Int64) {
        notes.count += 1
        // A temporary table belongs to its connection alone.
        guard !notes.isComplete, let database, let table, database[0] == UInt8(ascii: "m") else { return }
        notes.add(table, row)
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
