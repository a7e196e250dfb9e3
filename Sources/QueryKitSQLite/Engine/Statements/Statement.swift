public import CSQLite
public import Foundation
import QueryKit

/// A prepared statement with the tables it reads and writes. The cache of its connection owns it.
@usableFromInline
final class Statement {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let sql: String
    @usableFromInline private(set) var columnCount: Int32
    @usableFromInline let parameterCount: Int32
    let isReadOnly: Bool
    /// Whether it only explains another statement. Then it doesn't check the schema.
    let isExplanation: Bool
    /// Whether the statement may replace rows. No trigger reports rows that are removed this way.
    let mayReplace: Bool
    /// The tables and columns that it accesses.
    let access: Access
    /// The tables that it reads.
    private var tables: [String]
    /// Whether it uses tables, as far as known.
    var usesTables: Bool { !tables.isEmpty || !access.writes.isEmpty || access.changesSchema }
    /// What it reads according to its program; `nil` until computed.
    var reads: StatementReads? {
        didSet {
            (keyed, constantReads, latest) = ([:], nil, nil)
            alwaysTakesSnapshot = false
            // Keep tables that are known already: SQLite may prepare the statement again.
            if let reads, !reads.tables.isSubset(of: tables) { tables = reads.tables.union(tables).sorted() }
        }
    }
    /// Describes what it reads, for snapshots of a client; `nil` until computed.
    var description: StatementDescription? {
        didSet { countsScans = description?.countsScans == true }
    }
    /// Whether each execution reports how many rows it has scanned.
    private(set) var countsScans = false
    /// The regions of a statement whose values don't affect them; `nil` until it is analyzed.
    private(set) var constantReads: RegionList?
    /// The regions of a statement with one key, by its value.
    private var keyed: [Int64: RegionList] = [:]
    /// The regions of a statement that reads ranges, for its latest values.
    private var latest: (values: [SQLiteValue], list: RegionList)?
    /// Whether each execution takes a snapshot: the program opens tables, and the first step of an earlier execution has taken a snapshot.
    private(set) var alwaysTakesSnapshot = false
    /// Whether it may update keys of rows; `nil` until computed.
    var changesKeys: Bool?
    /// The updated columns, for tables that it only updates; `nil` until computed.
    var updatedColumns: [String: RegionColumns]?
    /// How long it took recently, on this connection.
    var cost = ReadCost()
    /// Whether it is in use. Another use of the same text needs a separate statement.
    @usableFromInline var isBusy = false
    /// Whether it now accesses more than `access` contains. It is then not used again.
    private(set) var hasOutgrown = false
    /// The number of repreparations by SQLite that have been noticed.
    private var repreparations: Int32 = 0
    private var columns: [String]?
    private var indices: [String: Int32]?
    /// The indices by folded column names.
    private var foldedIndices: [String: Int32] = [:]

    init(_ handle: OpaquePointer, sql: String, access: Access) {
        self.handle = handle
        self.sql = sql
        self.access = access
        tables = access.reads.sorted()
        columnCount = sqlite3_column_count(handle)
        parameterCount = sqlite3_bind_parameter_count(handle)
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        isExplanation = sqlite3_stmt_isexplain(handle) != 0
        mayReplace = !isReadOnly && sql.uppercased().contains("REPLACE")
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Binding

    /// Binds the values of a literal.
    func bind(_ sql: SQL) throws(SQLiteError) {
        let values = sql.values
        try checkCount(values.count)
        for index in values.indices { try bind(SQLiteValue(values[index]), Int32(truncatingIfNeeded: index + 1)) }
    }

    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        try checkCount(values.count)
        for (index, value) in values.enumerated() { try bind(value, Int32(truncatingIfNeeded: index + 1)) }
    }

    @usableFromInline
    func checkCount(_ count: Int) throws(SQLiteError) {
        guard count == Int(parameterCount) else {
            let wanted = parameterCount == 1 ? "1 parameter" : "\(parameterCount) parameters"
            throw SQLiteError(.range, "The statement has \(wanted); values passed: \(count).", sql: sql)
        }
    }

    @inlinable
    func bind(_ value: SQLiteValue, _ index: Int32) throws(SQLiteError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            // SQLite stores NULL for NaN.
            case .real(let number): number.isNaN ? Self.notANumber : sqlite3_bind_double(handle, index, number)
            case .text(let text): bind(text, index)
            case .blob(let data):
                data.withUnsafeBytes { bytes in
                    // A NULL pointer would be bound as NULL.
                    bytes.isEmpty
                        ? sqlite3_bind_zeroblob(handle, index, 0)
                        : querykit_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
                }
            }
        if code != SQLITE_OK { throw bindingError(code, index) }
    }

    @inlinable
    func bind(_ text: String, _ index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { querykit_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
        }
    }

    @usableFromInline static var notANumber: Int32 { SQLiteError.Code.invalidValue.rawValue }

    @usableFromInline
    func bindingError(_ code: Int32, _ index: Int32) -> SQLiteError {
        if code == Self.notANumber {
            return SQLiteError(
                .invalidValue,
                "Parameter \(index) can't be stored: it is not a number (NaN), or an integer larger than SQLite's 64 bits.",
                sql: sql
            )
        }
        return error(code)
    }

    /// The regions that the statement reads with these values, as far as they are known now.
    ///
    /// - Parameter find: Looks up keys first; see ``KeySearch``.
    func readRegions(_ values: [SQLValue], find: KeyFinder = { _, _ in nil }) -> RegionList {
        if let constantReads { return constantReads }
        guard let reads, !reads.rows.isEmpty || !reads.parts.isEmpty else {
            let list = RegionList((reads ?? .none).regions(of: tables, values.map { SQLiteValue($0) }, find), readBy: description)
            // Without the analysis, these are only the tables that the authorizer has reported.
            if reads != nil { constantReads = list }
            return list
        }
        guard let number = reads.onlyParameter, values.count >= number, case .integer(let id) = SQLiteValue(values[number - 1]) else {
            if let latest, latest.values.count == values.count,
                values.indices.allSatisfy({ latest.values[$0] == SQLiteValue(values[$0]) })
            {
                return latest.list
            }
            let stored = values.map { SQLiteValue($0) }
            let list = regions(reads, stored, find)
            // Equal texts may have different bytes, and therefore different positions in an index.
            if !reads.findsKeys, !stored.contains(where: \.isText) { latest = (stored, list) }
            return list
        }
        if let known = keyed[id] { return known }
        if keyed.count >= 64 { keyed = [:] }
        let list = regions(reads, values.map { SQLiteValue($0) }, find)
        keyed[id] = list
        return list
    }

    private func regions(_ reads: StatementReads, _ values: [SQLiteValue], _ find: KeyFinder) -> RegionList {
        let list = RegionList(reads.regions(of: tables, values, find), readBy: description)
        description?.note(list.regions)
        return list
    }

    /// Call when its first step has taken a snapshot.
    func noteSnapshot() { alwaysTakesSnapshot = reads?.tables.isEmpty == false }

    /// Reports how many rows the latest execution has scanned. Call it before the statement is reset.
    func noteScan() { description?.noteScan(steps: Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))) }

    // MARK: Running

    /// Returns true for a row, false at the end.
    @inlinable
    func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw error(code)
    }

    /// Ends the statement, so that it holds neither locks nor a row, and can run again. Returns whether its last step has failed; that
    /// error has been reported already.
    @inlinable
    @discardableResult
    func reset() -> Bool {
        // "If the most recent call to sqlite3_step(S) … indicated an error, then sqlite3_reset(S) returns an appropriate error code".
        sqlite3_reset(handle) != SQLITE_OK
    }

    /// Releases the bound values, which may be large.
    func clear() { sqlite3_clear_bindings(handle) }

    /// What has changed when SQLite prepared a statement again.
    enum Repreparation {
        case none, sameTables, otherTables
    }

    /// Checks, after the first step, whether SQLite has prepared the statement again.
    ///
    /// SQLite does this when the schema has changed, or when a new parameter value calls for another plan. Columns and rows may then
    /// differ.
    func adoptRepreparation(_ recorder: AccessRecorder) -> Repreparation {
        let count = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        guard count != repreparations else { return .none }
        repreparations = count
        columnCount = sqlite3_column_count(handle)
        columns = nil
        indices = nil
        changesKeys = nil
        updatedColumns = nil
        (reads, description) = (nil, nil)
        guard !recorder.access.isCovered(by: access) else { return .sameTables }
        hasOutgrown = true
        return .otherTables
    }

    // MARK: Columns

    var columnNames: [String] {
        if let columns { return columns }
        let names = (0..<columnCount).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
        columns = names
        return names
    }

    func columnIndex(of name: String) -> Int32? {
        let exact = indices ?? index()
        if let index = exact[name] { return index }
        // Column names are case-insensitive for ASCII letters, as in SQLite.
        return foldedIndices[name.foldedName]
    }

    private func index() -> [String: Int32] {
        var found: [String: Int32] = [:]
        foldedIndices = [:]
        for (index, name) in columnNames.enumerated() {
            if found[name] == nil { found[name] = Int32(index) }
            if foldedIndices[name.foldedName] == nil { foldedIndices[name.foldedName] = Int32(index) }
        }
        indices = found
        return found
    }

    @usableFromInline
    func noColumn(_ wanted: String) -> SQLiteError {
        SQLiteError(.range, "There is no column \(wanted); the columns are: \(columnNames.joined(separator: ", ")).", sql: sql)
    }

    @usableFromInline
    func error(_ code: Int32) -> SQLiteError {
        let error = SQLiteError(connection: sqlite3_db_handle(handle), code: code, sql: sql)
        guard error.code == .error, sqlite3_bind_parameter_count(handle) > 0 else { return error }
        return SQLiteError(error.code, withoutValues(error.message), extendedCode: error.extendedCode, sql: sql)
    }

    /// A message of SQLite without parts of bound values. Full-text search and the functions for JSON quote what they can't read, in quotes
    /// or after a colon.
    private func withoutValues(_ message: String) -> String {
        let expanded = sqlite3_expanded_sql(handle)
        defer { sqlite3_free(expanded) }
        let bound = expanded.map { String(cString: $0) }
        let quotes = message.indices.filter { "\"'".contains(message[$0]) }
        let quoted = zip(quotes.first.map { [$0] } ?? [], quotes.dropFirst().suffix(1)).map { message.index(after: $0)..<$1 }
        let named = message.ranges(of: ": ").last.map { [$0.upperBound..<message.endIndex] } ?? []
        for part in quoted + named where !part.isEmpty && !sql.contains(message[part]) {
            if bound?.contains(message[part].replacing("'", with: "''")) ?? true {
                return message[..<part.lowerBound] + "…" + message[part.upperBound...]
            }
        }
        return message
    }
}

extension SQLiteError {
    /// Creates an error from a connection's latest error.
    init(connection: OpaquePointer?, code: Int32, sql: String? = nil) {
        // Use the extended code only if it belongs to this error.
        let extended = sqlite3_extended_errcode(connection)
        let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
        let belongs = extended & 0xff == code & 0xff
        var text = belongs ? message : String(cString: sqlite3_errstr(code))
        if text.hasPrefix("unsafe use of") {
            text +=
                ". Triggers and views may use it if SQLiteDatabase.Configuration.trustsSchema is true, for a file whose schema is your own"
        }
        self.init(
            Code(rawValue: code & 0xff),
            text,
            extendedCode: belongs ? extended : code,
            sql: sql
        )
    }
}
