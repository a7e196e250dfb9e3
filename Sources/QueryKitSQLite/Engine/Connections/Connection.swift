import CSQLite
import Foundation

/// One connection to a database, with its statements. Used by one thread at a time; see ``Lane``.
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
    /// The tables that are divided, in the order in which their triggers count them.
    var partitions: [SQLitePartition] = []
    /// Which of them have their triggers here.
    var divided: Set<Int> = []
    /// Which values are reported; `nil` if that is unknown.
    var reporting: Reporting?
    /// What is known of the schema; `nil` after a change of it.
    var schema: SchemaFacts?
    /// The tables that the latest commit changed, and the same as regions.
    var whole: (tables: Set<String>, regions: Set<SQLiteRegion>) = ([], [])
    /// How long the latest read took, as far as the place that reads is concerned.
    var readTime = ReadTime(nanoseconds: 0)
    /// Whether the file has been marked as in use since the log was last emptied.
    var isMarkedInUse = false
    /// Whether a transaction could not be ended: the connection is good for nothing else.
    var isBroken = false
    private let busyWait: BusyWait
    private var statements: StatementCache
    /// Those of the engine, which an app may not have: they begin and end transactions, and change settings.
    private var ownStatements: StatementCache
    private var boundaries: [Statement?] = [nil, nil, nil]

    /// Opens a file, or a database in memory where `path` is `nil`. What the engine relies on is set, and read back.
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
        install()
        try configure(isInMemory: path == nil)
        // Last: setting the automatic checkpoint takes the hook away, even to turn it off.
        if settings.mode == .readWrite {
            watchLog()
            rows.watch(self)
        }
    }

    deinit {
        statements.removeAll()
        ownStatements.removeAll()
        boundaries = []
        // Those that somebody still holds are finalized later; v2 waits for them.
        sqlite3_close_v2(handle)
    }

    /// Makes SQLite call the helpers of this connection, which live as long as it does.
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

    /// The statement of a text, from the cache if it is there; it is reset and has no values.
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

    /// The statement of a literal, from the cache if it is there.
    func statement(_ sql: SQL, for role: AccessRecorder.Role) throws(SQLiteError) -> Statement {
        let known = role == .engine ? ownStatements.statement(for: sql) : statements.statement(for: sql)
        if let known { return known }
        let text = sql.text
        let statement = try statement(text, for: role)
        if role == .engine { ownStatements.shorten(sql, to: text) } else { statements.shorten(sql, to: text) }
        return statement
    }

    /// Prepares the one statement of a text.
    func prepare(_ text: String, for role: AccessRecorder.Role) throws(SQLiteError) -> Statement {
        var tail = ""
        guard let statement = try prepare(text, for: role, tail: &tail) else {
            throw SQLiteError(.misuse, "There is no statement in the text.", sql: text)
        }
        guard Self.isBlank(tail) else {
            throw SQLiteError(
                .misuse,
                "There is more than one statement in the text; the second begins at \"\(tail.prefix(20))\".",
                sql: text
            )
        }
        return statement
    }

    /// Carries out all statements of a script, which takes no values.
    func script(_ text: String, for role: AccessRecorder.Role) throws -> Access {
        var rest = text
        var access = Access()
        while !rest.isEmpty {
            let part = rest
            guard let statement = try prepare(part, for: role, tail: &rest) else { break }
            try statement.checkCount(0)
            try makeWay(for: statement)
            access.formUnion(statement.access)
            while try statement.step() {}
        }
        return access
    }

    /// Removes what is in the way of a statement that changes the schema: a trigger of ours may name a column that it drops.
    func makeWay(for statement: Statement) throws {
        if statement.access.changesSchema { try stopReporting() }
    }

    /// Prepares the first statement of a text; `nil` where there is only white space or a comment.
    private func prepare(_ text: String, for role: AccessRecorder.Role, tail: inout String) throws(SQLiteError) -> Statement? {
        recorder.begin(role)
        defer { recorder.begin(.engine) }
        var prepared: OpaquePointer?
        var text = text
        // Counted bytes and no terminator, so a NUL in the text would cut it off: it is refused.
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
        let access = role == .engine ? recorder.access : complete(recorder.access)
        return Statement(prepared, sql: text, access: access)
    }

    /// Whether a rest of a text says nothing more.
    private static func isBlank(_ tail: String) -> Bool {
        tail.allSatisfy { $0.isWhitespace || $0 == ";" }
            || tail.split(separator: "\n").allSatisfy { line in
                let line = line.drop { $0.isWhitespace || $0 == ";" }
                return line.isEmpty || line.hasPrefix("--")
            }
    }

    /// Prepares a statement anew when it is next wanted.
    func forget(_ statement: Statement) { statements.remove(statement) }

    /// Prepares everything anew when it is next wanted, because the schema is another.
    func forgetStatements() {
        statements.removeAll()
        ownStatements.removeAll()
        schema = nil
    }

    // MARK: Statements of the engine

    /// The statements that each transaction needs, kept beside the cache.
    enum Boundary: String {
        case begin = "BEGIN"
        case beginImmediate = "BEGIN IMMEDIATE"
        case commit = "COMMIT"
    }

    func run(_ boundary: Boundary) throws(SQLiteError) {
        let index = boundary.index
        let statement: Statement
        if let kept = boundaries[index] {
            statement = kept
        } else {
            statement = try prepare(boundary.rawValue, for: .engine)
            boundaries[index] = statement
        }
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Carries out a statement of the engine.
    func run(_ text: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        try run(try statement(text, for: .engine), values)
    }

    /// Carries out a statement of the engine that each write needs: a literal is found without its text.
    func run(_ literal: SQL, _ value: SQLiteValue) throws(SQLiteError) {
        try run(try statement(literal, for: .engine), [value])
    }

    private func run(_ statement: Statement, _ values: [SQLiteValue]) throws(SQLiteError) {
        try statement.bind(values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// The first column of the first row of a statement of the engine; `nil` where there is no row, or NULL in it.
    func value<Value: SQLiteConvertible>(_ type: Value.Type, _ text: String, _ values: [SQLiteValue] = []) throws -> Value? {
        let statement = try statement(text, for: .engine)
        try statement.bind(values)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try Value?(sqliteColumn: SQLiteColumn(firstOf: statement))
    }

    /// Whether no transaction is open: SQLite may have ended one by itself.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Whether the transaction sees one moment by now: it does once a statement has read something of a file.
    var hasSnapshot: Bool { sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE }

    /// How many rows the connection has changed so far.
    var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// How many rows the latest statement has changed, without those of its triggers.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
}

extension Connection.Boundary {
    fileprivate var index: Int {
        switch self {
        case .begin: 0
        case .beginImmediate: 1
        case .commit: 2
        }
    }
}
