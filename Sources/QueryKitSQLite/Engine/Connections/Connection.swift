import CSQLite
import Foundation

/// A connection to a database, with its prepared statements. Used by one thread at a time; see ``Lane``.
@usableFromInline
final class Connection {
    let handle: OpaquePointer
    let settings: ConnectionSettings
    let recorder = AccessRecorder()
    let interruption = Interruption()
    let touches = TouchRecorder()
    let rows = RowRecorder()
    let values = ValueRecorder()
    let log = LogFile()
    /// The partitioned tables, in the order of the indices that their triggers report.
    var partitions: [SQLitePartition] = []
    /// The indices of the partitioned tables that have triggers on this connection.
    var divided: Set<Int> = []
    /// Which values are reported; `nil` if unknown.
    var reporting: Reporting?
    /// The facts about the schema; `nil` after a change of the schema. Use ``facts()``.
    var schema: SchemaFacts?
    let schemaWatch = SchemaWatch()
    /// The tables that the latest commit changed, and their regions.
    var whole: (tables: Set<String>, regions: Set<SQLiteRegion>) = ([], [])
    /// How long the latest read took, to be recorded for its source location.
    var readTime = ReadTime(nanoseconds: 0)
    /// Whether the file has been marked as in use since the log was last emptied.
    var isMarkedInUse = false
    /// An object that the layer above keeps for this connection.
    var attachment: AnyObject?
    /// Whether the gate counts the open snapshot.
    private var hasCountedSnapshot = false
    /// Whether the next step on a caller's thread takes a snapshot.
    var takesSnapshot = false
    /// Whether a transaction could not be ended. The connection must then be closed.
    var isBroken = false
    let busyWait: BusyWait
    /// The file; `nil` in memory.
    private(set) var file: OpenFile?
    /// The time of the latest check of the file.
    var fileCheckTime: UInt64 = 0
    private let statements: StatementCache
    /// Internal statements, which apps may not execute: they begin and end transactions, and change settings.
    private let ownStatements: StatementCache
    private var begin: Statement?
    private var beginImmediate: Statement?
    /// A test replaces the statement to let it do nothing.
    var commit: Statement?

    /// Opens a file, or a database in memory if `path` is `nil`. Applies the settings that this library relies on, and reads them back.
    init(path: String?, settings: ConnectionSettings) throws(SQLiteError) {
        self.settings = settings
        busyWait = BusyWait(limit: settings.busyMilliseconds, interruption: interruption)
        statements = StatementCache(limit: settings.statementLimit)
        ownStatements = StatementCache(limit: 64)
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch settings.mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .salvage, .check: flags |= SQLITE_OPEN_READWRITE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(connection: opened, code: code)
            // "Whether or not an error occurs when it is opened, resources … should be released by passing it to sqlite3_close()."
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        recorder.countsTemporaryTables = path == nil
        if let path { file = try holdFile(path) }
        install()
        try configure(isInMemory: path == nil)
        // Do this last: setting the automatic checkpoint removes the hook, even when turning the checkpoint off.
        if settings.mode == .readWrite {
            watchLog()
            rows.watch(self)
        }
    }

    deinit {
        statements.removeAll()
        ownStatements.removeAll()
        schemaWatch.end()
        (begin, beginImmediate, commit) = (nil, nil, nil)
        // Statements that are still referenced are finalized later; v2 waits for them.
        sqlite3_close_v2(handle)
    }

    /// Registers the callbacks of this connection, whose helpers live as long as the connection.
    private func install() {
        sqlite3_set_authorizer(
            handle,
            { context, action, first, second, database, source in
                guard let context else { return SQLITE_DENY }
                if let source, AccessRecorder.isOwn(trigger: source) { return SQLITE_OK }
                return Unmanaged<AccessRecorder>.fromOpaque(context).takeUnretainedValue().authorize(action, first, second, database)
            },
            Unmanaged.passUnretained(recorder).toOpaque()
        )
        sqlite3_progress_handler(
            handle,
            settings.interruptionInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isRaised ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque()
        )
        sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue().wait(count) ? 1 : 0
            },
            Unmanaged.passUnretained(busyWait).toOpaque()
        )
    }

    // MARK: Statements

    /// Returns the statement for a text, from the cache if possible. It is reset and has no bound values.
    func statement(_ text: String, for role: AccessRecorder.Role) throws(SQLiteError) -> Statement {
        if role == .engine {
            if let statement = ownStatements.statement(for: text) { return statement }
            let statement = try prepare(text, for: role)
            ownStatements.insert(statement)
            return statement
        }
        if let statement = statements.statement(for: text) { return statement }
        let statement = try prepare(text, for: role)
        if settings.longStatements?.contains(text) == true {
            statement.cost.note(ReadCost.long, limit: settings.quickLimit, onCallersThread: false)
        }
        statements.insert(statement)
        return statement
    }

    /// Returns the statement for a literal, from the cache if possible.
    func statement(_ sql: SQL, for role: AccessRecorder.Role) throws(SQLiteError) -> Statement {
        let known = role == .engine ? ownStatements.statement(for: sql) : statements.statement(for: sql)
        if let known { return known }
        let text = sql.text
        let statement = try statement(text, for: role)
        if role == .engine { ownStatements.addShortcut(for: sql, to: text) } else { statements.addShortcut(for: sql, to: text) }
        return statement
    }

    /// Whether the cache has the internal statement for a literal.
    func hasStatement(_ sql: SQL) -> Bool { ownStatements.statement(for: sql) != nil }

    /// Throws if the deadline of the current work has passed. SQLite polls it only within a long step.
    func checkDeadline() throws(SQLiteError) {
        if interruption.isRaised { throw SQLiteError(.interrupted, "The work takes too long for the thread of its caller.") }
    }

    /// Prepares a text that contains exactly one statement.
    func prepare(_ text: String, for role: AccessRecorder.Role) throws(SQLiteError) -> Statement {
        var tail = ""
        guard let statement = try prepare(text, for: role, tail: &tail) else {
            throw SQLiteError(.misuse, "The text contains no statement.", sql: text)
        }
        guard Self.isBlank(tail) else {
            throw SQLiteError(
                .misuse,
                "The text contains more than one statement; the second begins at \"\(tail.prefix(20))\".",
                sql: text
            )
        }
        return statement
    }

    /// Executes all statements of a script without parameters.
    func script(_ text: String, for role: AccessRecorder.Role) throws -> Access {
        var rest = text
        var access = Access()
        while !rest.isEmpty {
            let part = rest
            guard let statement = try prepare(part, for: role, tail: &rest) else { break }
            try statement.checkCount(0)
            try beginSchemaChange(by: statement)
            access.formUnion(statement.access)
            while try statement.step() {}
        }
        return access
    }

    /// Prepares for a statement if it changes the schema. Removes the library's triggers, because a trigger may name a column that the
    /// statement drops.
    func beginSchemaChange(by statement: Statement) throws {
        guard statement.access.changesSchema else { return }
        schemaWatch.noteChange()
        try stopReporting()
    }

    /// Prepares the first statement of a text; `nil` if there is only white space or a comment.
    private func prepare(_ text: String, for role: AccessRecorder.Role, tail: inout String) throws(SQLiteError) -> Statement? {
        recorder.begin(role)
        defer { recorder.begin(.engine) }
        var prepared: OpaquePointer?
        var text = text
        // The text is passed with its length and without a terminator. A NUL would cut the text off, so a text with a NUL is refused.
        guard !text.utf8.contains(0) else { throw SQLiteError(.misuse, "The text of the statement contains a NUL.", sql: nil) }
        let (code, consumed) = text.withUTF8 { bytes -> (Int32, Int) in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                guard let start = bytes.baseAddress else { return (SQLITE_OK, 0) }
                var end: UnsafePointer<CChar>?
                let count = Int32(clamping: bytes.count)
                let code = sqlite3_prepare_v3(handle, start, count, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &end)
                return (code, end.map { $0 - start } ?? bytes.count)
            }
        }
        guard code == SQLITE_OK else {
            sqlite3_finalize(prepared)
            if let refusal = recorder.refusal { throw SQLiteError(.notAuthorized, refusal, extendedCode: code, sql: text) }
            throw SQLiteError(connection: handle, code: code, sql: text)
        }
        tail = consumed == text.utf8.count ? "" : String(decoding: text.utf8.dropFirst(consumed), as: UTF8.self)
        guard let prepared else { return nil }
        return Statement(prepared, sql: text, access: recorder.access)
    }

    /// Returns whether the rest of a text contains no statement.
    private static func isBlank(_ tail: String) -> Bool {
        tail.allSatisfy { $0.isWhitespace || $0 == ";" }
            || tail.split(separator: "\n").allSatisfy { line in
                let line = line.drop { $0.isWhitespace || $0 == ";" }
                return line.isEmpty || line.hasPrefix("--")
            }
    }

    /// Removes a statement from the cache, so that the next use prepares it again.
    func forget(_ statement: Statement) { statements.remove(statement) }

    /// Removes all statements from the cache, because the schema has changed.
    func forgetStatements() {
        statements.removeAll()
        ownStatements.removeAll()
        schema = nil
    }

    // MARK: Statements for transactions

    /// The statements that each transaction needs, kept outside the cache.
    enum Boundary: String {
        case begin = "BEGIN"
        case beginImmediate = "BEGIN IMMEDIATE"
        case commit = "COMMIT"
    }

    private func statement(for boundary: Boundary) throws(SQLiteError) -> Statement {
        let kept =
            switch boundary {
            case .begin: begin
            case .beginImmediate: beginImmediate
            case .commit: commit
            }
        if let kept { return kept }
        let statement = try prepare(boundary.rawValue, for: .engine)
        switch boundary {
        case .begin: begin = statement
        case .beginImmediate: beginImmediate = statement
        case .commit: commit = statement
        }
        return statement
    }

    func run(_ boundary: Boundary) throws(SQLiteError) {
        let statement = try statement(for: boundary)
        defer { statement.reset() }
        schemaWatch.noteBoundary()
        if boundary == .begin { try checkFileOccasionally() }
        while try statement.step() {}
        guard boundary == .beginImmediate else { return }
        do {
            try checkFile()
        } catch {
            rollBack()
            throw error
        }
    }

    /// Performs the step on a caller's thread that takes a snapshot. Only a statement that is known to be tiny uses the gate, because the
    /// other threads wait for the whole step.
    func takeSnapshot(by statement: Statement, _ step: () throws(SQLiteError) -> Bool) throws(SQLiteError) -> Bool {
        guard takesSnapshot, let gate = settings.snapshots, statement.cost.isTiny(settings.quickLimit) else { return try step() }
        takesSnapshot = false
        let (isRow, isCounted) = try gate.take(step)
        hasCountedSnapshot = isCounted
        return isRow
    }

    /// Performs the step that releases the snapshot.
    func releaseSnapshot<Failure: Error>(_ step: () throws(Failure) -> Void) throws(Failure) {
        takesSnapshot = false
        guard hasCountedSnapshot, let gate = settings.snapshots else { return try step() }
        hasCountedSnapshot = false
        try gate.release(step)
    }

    /// Executes an internal statement.
    func run(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        try run(try statement(text, for: .engine), values)
    }

    /// Executes an internal statement that each write needs: a literal is found in the cache without building its text.
    func run(_ literal: SQL, _ value: SQLiteValue) throws(SQLiteError) {
        try run(try statement(literal, for: .engine), [value])
    }

    private func run(_ statement: Statement, _ values: [SQLiteValue]) throws(SQLiteError) {
        try statement.bind(values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Returns the first column of an internal statement's first row; `nil` if there is no row, or if the column is NULL.
    func value<Value: SQLiteConvertible>(_ type: Value.Type, _ text: String, _ values: [SQLiteValue] = []) throws -> Value? {
        let statement = try statement(text, for: .engine)
        try statement.bind(values)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try Value?(sqliteColumn: SQLiteColumn(firstOf: statement))
    }

    /// Returns the results of a closure that is called with each row of an internal statement.
    func rows<Element>(_ text: String, _ values: [SQLiteValue] = [], _ transform: (borrowing SQLiteRow) throws -> Element) throws
        -> [Element]
    {
        let statement = try prepare(text, for: .engine)
        try statement.bind(values)
        let row = SQLiteRow(statement)
        var elements: [Element] = []
        while try statement.step() { elements.append(try transform(row)) }
        return elements
    }

    /// Whether no transaction is open. SQLite may have ended it after an error.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Whether the transaction has taken its snapshot, which happens when a statement first reads something from a file.
    var hasSnapshot: Bool { sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE }

    /// The same after the first step of a statement. A statement that reads no table takes no snapshot.
    func hasSnapshot(after statement: Statement) -> Bool {
        if statement.alwaysTakesSnapshot { return true }
        if hasSnapshot { statement.noteSnapshot() }
        return hasSnapshot
    }

    /// The number of rows that the connection has changed so far.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The number of rows that the latest statement has changed, without those of its triggers.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}
