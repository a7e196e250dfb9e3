import CSQLite
import QueryKit

/// Collects what the rows that a transaction writes have in some columns, before and after, as temporary triggers report it.
///
/// A trigger may be skipped: `RAISE(IGNORE)` in another one ends all that follow. So what was collected counts only if as many rows were reported here as
/// SQLite reports to its update hook, or counts where there is none.
final class ValueRecorder {
    /// More rows than these in one table count as the whole table.
    static let limit = 128
    /// So do longer texts.
    private static let lengthLimit: Int32 = 1_024
    /// The name of the SQL function that the triggers call.
    static let function = "querykit_values"

    /// A table with triggers. Its place in the list is the first argument of the function.
    struct Table {
        let name: String
        let columns: [String]
        /// The name of its row id; `nil` if it has none.
        let rowID: String?
        fileprivate var rows: [WrittenValues.Row] = []
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
            if rows.count > ValueRecorder.limit { (rows, isWhole) = ([], true) }
        }
    }

    /// Whether the function is there, and so there may be triggers.
    private(set) var isDefined = false
    /// The tables whose triggers are there.
    var tables: [Table] = []
    /// How many rows were reported of tables without row ids, which SQLite's update hook doesn't report.
    private(set) var countWithoutRowIDs: Int64 = 0

    func begin() {
        for place in tables.indices where tables[place].count > 0 { tables[place].clear() }
    }

    /// What was reported of a table; `nil` if that isn't all.
    ///
    /// - Parameter count: How many rows of it the update hook has reported.
    func values(of table: String, count: Int64) -> WrittenValues? {
        guard let found = tables.first(where: { $0.name == table }), !found.isWhole, found.rowID == nil || found.count == count else {
            return nil
        }
        return WrittenValues(columns: found.columns, rows: Set(found.rows))
    }

    /// Whether a table is reported here alone.
    func isWithoutRowIDs(_ table: String) -> Bool { tables.contains { $0.name == table && $0.rowID == nil } }

    /// - Parameter arguments: The place of the table, the row id, the values before the change if there was a row, and those after it if there is one.
    private func note(_ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        guard let first = arguments.first, let place = first.map({ Int(sqlite3_value_int64($0)) }), tables.indices.contains(place) else {
            return
        }
        tables[place].count += 1
        if tables[place].rowID == nil { countWithoutRowIDs += 1 }
        if tables[place].isWhole { return }
        let width = tables[place].columns.count
        let id = tables[place].rowID == nil ? nil : arguments[1].map { sqlite3_value_int64($0) }
        for start in stride(from: 2, to: arguments.count, by: width) {
            let values = arguments[start..<min(start + width, arguments.count)].map { $0.flatMap(Self.value) }
            if values.contains(nil) {
                (tables[place].rows, tables[place].isWhole) = ([], true)
                return
            }
            tables[place].insert(WrittenValues.Row(id: id, values: values.compactMap(\.self)))
        }
    }

    /// A value of a row; `nil` if it is too long to be kept.
    private static func value(_ argument: OpaquePointer) -> RegionValue? {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: return .number(sqlite3_value_double(argument))
        case SQLITE_NULL: return .nothing
        // The bytes as they are: they need not be a text in UTF-8.
        case let type:
            let count = sqlite3_value_bytes(argument)
            guard count <= lengthLimit else { return nil }
            let bytes = sqlite3_value_blob(argument).map { Array(UnsafeRawBufferPointer(start: $0, count: Int(count))) } ?? []
            return type == SQLITE_TEXT ? .text(bytes) : .bytes(bytes)
        }
    }

    /// Defines the function for a connection.
    func define(on connection: Connection) throws(SQLiteError) {
        if isDefined { return }
        // Innocuous, or a trigger could not call it without trust in the schema; it tells nothing and changes nothing.
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
