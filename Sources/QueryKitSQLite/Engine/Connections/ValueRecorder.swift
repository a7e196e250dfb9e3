import CSQLite
import QueryKit

/// Collects the values that written rows have in some columns, before and after the change, as temporary triggers report them.
///
/// A trigger may be skipped: `RAISE(IGNORE)` in another trigger skips all triggers after it. So the values count only if the number of rows
/// reported here is the number that SQLite's update hook has reported or, for tables without row ids, that SQLite has counted.
final class ValueRecorder {
    /// The maximum number of rows that are listed per table. If there are more, only their bounds are kept.
    static let limit = 128
    /// The maximum length of a text or blob. A longer one makes the change count as the whole table, too.
    private static let lengthLimit: Int32 = 1_024
    /// The name of the SQL function that the triggers call.
    static let function = "querykit_values"

    /// A table with triggers. Its index in the list is the first argument of the function.
    struct Table {
        let name: String
        let columns: [String]
        /// The name of its row id; `nil` if the table has none.
        let rowID: String?
        fileprivate var rows: [WrittenValues.Row] = []
        fileprivate var bounds: RegionBounds?
        fileprivate var isWhole = false
        fileprivate var count: Int64 = 0

        init(name: String, columns: [String], rowID: String?) {
            self.name = name
            self.columns = columns
            self.rowID = rowID
        }

        fileprivate mutating func clear() { self = Table(name: name, columns: columns, rowID: rowID) }

        fileprivate mutating func insert(_ row: WrittenValues.Row) {
            if rows.last == row { return }
            rows.append(row)
            guard rows.count > ValueRecorder.limit else { return }
            bounds = RegionBounds(RegionRow(columns, row.values))
            for row in rows { bounds?.insert(row.values) }
            rows = []
        }

        /// Adds a row to the bounds, without creating an array for it. Returns false if one of its values can't be kept.
        fileprivate mutating func extendBounds(by arguments: Slice<UnsafeBufferPointer<OpaquePointer?>>) -> Bool {
            for (column, argument) in arguments.enumerated() {
                guard let value = argument.flatMap(ValueRecorder.value) else { return false }
                bounds?.insert(value, at: column)
            }
            return true
        }

        fileprivate mutating func countAsWhole() { (rows, bounds, isWhole) = ([], nil, true) }
    }

    /// Whether the function is defined, so that triggers may exist.
    private(set) var isDefined = false
    /// The tables that have triggers.
    var tables: [Table] = []
    /// The number of reported rows in tables without row ids, which SQLite's update hook doesn't report.
    private(set) var countWithoutRowIDs: Int64 = 0

    func begin() {
        for index in tables.indices where tables[index].count > 0 { tables[index].clear() }
    }

    /// Returns the reported values of a table; `nil` if they are incomplete.
    ///
    /// - Parameter count: The number of its rows that the update hook has reported.
    func values(of table: String, count: Int64) -> WrittenValues? {
        guard let found = tables.first(where: { $0.name == table }), !found.isWhole, found.rowID == nil || found.count == count else {
            return nil
        }
        return found.bounds.map { WrittenValues($0) } ?? WrittenValues(columns: found.columns, rows: Set(found.rows))
    }

    /// Whether a table has no row ids, so that only this recorder reports its rows.
    func isWithoutRowIDs(_ table: String) -> Bool { tables.contains { $0.name == table && $0.rowID == nil } }

    /// - Parameter arguments: The index of the table, the row id, the values before the change if the row existed, and the values after it
    ///   if the row still exists.
    private func note(_ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        guard let first = arguments.first, let index = first.map({ Int(sqlite3_value_int64($0)) }), tables.indices.contains(index) else {
            return
        }
        tables[index].count += 1
        if tables[index].rowID == nil { countWithoutRowIDs += 1 }
        if tables[index].isWhole { return }
        let width = tables[index].columns.count
        let id = tables[index].rowID == nil ? nil : arguments[1].map { sqlite3_value_int64($0) }
        for start in stride(from: 2, to: arguments.count, by: width) {
            let row = arguments[start..<min(start + width, arguments.count)]
            if tables[index].bounds != nil {
                if tables[index].extendBounds(by: row) { continue }
                return tables[index].countAsWhole()
            }
            let values = row.map { $0.flatMap(Self.value) }
            if values.contains(nil) {
                return tables[index].countAsWhole()
            }
            tables[index].insert(WrittenValues.Row(id: id, values: values.compactMap(\.self)))
        }
    }

    /// A value of a row; `nil` if it is too long to be kept.
    private static func value(_ argument: OpaquePointer) -> RegionValue? {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: return .number(sqlite3_value_double(argument))
        case SQLITE_NULL: return .nothing
        // Compare the raw bytes, because a text need not be valid UTF-8.
        case let type:
            let count = sqlite3_value_bytes(argument)
            guard count <= lengthLimit else { return nil }
            let bytes = sqlite3_value_blob(argument).map { Array(UnsafeRawBufferPointer(start: $0, count: Int(count))) } ?? []
            return type == SQLITE_TEXT ? .text(bytes) : .bytes(bytes)
        }
    }

    /// Defines the function on a connection.
    func define(on connection: Connection) throws(SQLiteError) {
        if isDefined { return }
        // The function is declared as innocuous, because otherwise a trigger couldn't call it without a trusted schema. It returns no data
        // and changes nothing.
        let code = sqlite3_create_function_v2(
            connection.handle,
            Self.function,
            -1,
            SQLITE_UTF8 | SQLITE_INNOCUOUS,
            Unmanaged.passUnretained(self).toOpaque(),
            { context, count, arguments in
                guard let arguments, let recorder = sqlite3_user_data(context) else { return }
                Unmanaged<ValueRecorder>.fromOpaque(recorder).takeUnretainedValue()
                    .note(UnsafeBufferPointer(start: arguments, count: Int(count)))
            },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw SQLiteError(connection: connection.handle, code: code) }
        isDefined = true
    }
}
