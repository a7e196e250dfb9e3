import CSQLite
import Foundation

/// Collects the partitions that a transaction writes to, as the triggers of a connection report them row by row.
///
/// Only tables that declare a partition have such triggers. Rows usually come in the order of their partition, so a report is first
/// compared with the previous one.
final class TouchRecorder {
    /// The maximum number of partitions per table. If there are more, they count as the whole table.
    static let limit = 256

    struct Table {
        var partitions: Set<SQLiteValue> = []
        var isWhole = false
    }

    private(set) var tables: [Int: Table] = [:]
    private var last: (table: Int, value: SQLiteValue)?

    func begin() {
        guard last != nil else { return }
        tables = [:]
        last = nil
    }

    func note(_ table: Int, _ value: SQLiteValue) {
        if let last, last.table == table, last.value == value { return }
        last = (table, value)
        guard tables[table]?.isWhole != true else { return }
        tables[table, default: Table()].partitions.insert(value)
        if tables[table, default: Table()].partitions.count > Self.limit {
            tables[table] = Table(isWhole: true)
        }
    }

    /// The name of the SQL function that the triggers call.
    static let function = "querykit_touch"

    /// Defines that function on a connection.
    func define(on connection: Connection) throws(SQLiteError) {
        // The function is declared as innocuous, because otherwise a trigger couldn't call it without a trusted schema. It returns no data
        // and changes nothing.
        let code = sqlite3_create_function_v2(
            connection.handle,
            Self.function,
            2,
            SQLITE_UTF8 | SQLITE_INNOCUOUS,
            Unmanaged.passUnretained(self).toOpaque(),
            { context, _, arguments in
                guard let arguments, let recorder = sqlite3_user_data(context), let table = arguments[0], let value = arguments[1] else {
                    return
                }
                Unmanaged<TouchRecorder>.fromOpaque(recorder).takeUnretainedValue()
                    .note(Int(sqlite3_value_int64(table)), SQLiteValue(argument: value))
            },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw SQLiteError(connection: connection.handle, code: code) }
    }
}

extension SQLiteValue {
    /// The value of a function's argument.
    fileprivate init(argument: OpaquePointer) {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER:
            self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT:
            self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let count = Int(sqlite3_value_bytes(argument))
            let bytes = UnsafeBufferPointer(start: sqlite3_value_text(argument), count: count)
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(argument))
            self = .blob(sqlite3_value_blob(argument).map { Data(bytes: $0, count: count) } ?? Data())
        default:
            self = .null
        }
    }
}
