import CSQLite

/// Collects the row ids that a transaction writes, as SQLite's update hook reports them.
///
/// The hook reports each row that is inserted, updated or deleted in a table with row ids, including changes by triggers and cascades. Some
/// changes are counted by `sqlite3_total_changes` but not reported, such as emptying a whole table. So if fewer rows are reported than
/// counted, row ids are missing.
///
/// Two kinds of rows are neither reported nor counted: those that REPLACE removes, and the old row id when an update changes it.
final class RowRecorder {
    /// The maximum number of rows per table. If there are more, they count as the whole table.
    static let limit = 64

    private struct Table {
        /// The address of the name in SQLite's schema. It identifies the table until the schema changes.
        let address: UnsafePointer<CChar>
        let name: String
        /// The row ids without duplicates.
        var rows: [Int64] = []
        var isWhole = false
        /// The number of reports, including repeated ones.
        var count: Int64 = 0

        mutating func insert(_ row: Int64) {
            count += 1
            if isWhole || rows.last == row || rows.contains(row) { return }
            rows.append(row)
            if rows.count > RowRecorder.limit { (rows, isWhole) = ([], true) }
        }
    }

    /// One struct, so that recording a row needs a single access.
    private struct Notes {
        var tables: [Table] = []
        var last = 0
        var count: Int64 = 0
        var isComplete = true

        mutating func begin() {
            if !tables.isEmpty { tables.removeAll(keepingCapacity: true) }
            isComplete = false
        }

        mutating func add(_ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ row: Int64) {
            count += 1
            // "m" is for "main". Changes of temporary tables are private to their connection.
            guard !isComplete, let database, let table, database[0] == UInt8(ascii: "m") else { return }
            if last >= tables.count || tables[last].address != table { find(table) }
            tables[last].insert(row)
        }

        private mutating func find(_ address: UnsafePointer<CChar>) {
            last = tables.firstIndex { $0.address == address } ?? tables.count
            if last == tables.count { tables.append(Table(address: address, name: String(cString: address))) }
        }
    }

    private var notes = Notes()

    /// The number of rows that were reported, for all tables.
    var count: Int64 { notes.count }

    func begin() { notes.begin() }

    /// Stops collecting, because the following rows are written internally by the library.
    func end() { notes.isComplete = true }

    /// The written rows of a table; `nil` if there are too many.
    func rows(of table: String) -> [Int64]? {
        guard let notes = notes.tables.first(where: { $0.name == table }) else { return [] }
        return notes.isWhole ? nil : notes.rows
    }

    /// The number of reports for a table.
    func count(of table: String) -> Int64 { notes.tables.first { $0.name == table }?.count ?? 0 }

    /// Registers the update hook that reports the rows a connection writes.
    func watch(_ connection: Connection) {
        sqlite3_update_hook(
            connection.handle,
            { context, _, database, table, row in
                guard let context else { return }
                Unmanaged<RowRecorder>.fromOpaque(context).takeUnretainedValue().notes.add(database, table, row)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
