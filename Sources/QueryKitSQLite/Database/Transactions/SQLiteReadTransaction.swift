/// A look at one moment of the database: whatever is committed meanwhile, all statements see the same.
///
/// You get one in ``SQLiteDatabase/read(fileID:line:isolation:_:)``, where it is used by one thread and ends with the closure.
public class SQLiteReadTransaction {
    final let connection: Connection
    final let tracking: ReadTracking?
    /// Where it runs; `nil` for a write.
    final var pace: ReadPace?
    /// The error after which nothing may follow.
    private(set) var failure: SQLiteError?

    init(_ connection: Connection, _ tracking: ReadTracking?, _ pace: ReadPace?) {
        self.connection = connection
        self.tracking = tracking
        self.pace = pace
    }

    // MARK: Rows

    /// Calls a closure with each row of a result.
    ///
    /// The closure may carry out other statements; it can not keep the row.
    @inlinable
    public final func forEach(_ sql: SQL, _ body: (borrowing SQLiteRow) throws -> Void) throws {
        let statement = try begin(sql)
        defer { end(statement) }
        guard try first(statement) else { return }
        let row = SQLiteRow(statement)
        repeat { try body(row) } while try step(statement)
    }

    /// What a closure makes of each row.
    @inlinable
    public final func map<Element>(_ sql: SQL, _ transform: (borrowing SQLiteRow) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try forEach(sql) { elements.append(try transform($0)) }
        return elements
    }

    /// All rows of a result.
    @inlinable
    public final func rows<Row: SQLiteRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> [Row] {
        try map(sql) { try Row(row: $0) }
    }

    /// The first row of a result; `nil` where there is none.
    @inlinable
    public final func row<Row: SQLiteRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> Row? {
        let statement = try begin(sql)
        defer { end(statement) }
        return try first(statement) ? try Row(row: SQLiteRow(statement)) : nil
    }

    /// The first column of each row.
    @inlinable
    public final func values<Value: SQLiteConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) throws -> [Value] {
        try map(sql) { try $0[0] }
    }

    /// The first column of the first row; `nil` where there is no row, or NULL in it.
    @inlinable
    public final func value<Value: SQLiteConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) throws -> Value? {
        let statement = try begin(sql)
        defer { end(statement) }
        guard try first(statement) else { return nil }
        return try Value?(sqliteColumn: SQLiteColumn(firstOf: statement))
    }

    // MARK: Statements

    /// A statement with its values, ready for the first row.
    @usableFromInline
    final func begin(_ sql: SQL) throws -> Statement {
        try checkFailure()
        let isFirst = pace?.isAtFirst == true
        if isFirst { pace?.beginFirst() }
        let statement = try prepared(sql, isFirst: isFirst)
        try check(statement)
        if isFirst { try beginFirst(statement) }
        try statement.bind(sql.values)
        if !sql.partitions.isEmpty { try connection.check(sql.partitions, of: statement) }
        tracking?.note(connection.regions(of: statement, sql, isWrite: role == .writer))
        try connection.makeWay(for: statement)
        statement.isBusy = true
        connection.recorder.clear()
        return statement
    }

    /// A statement that can not be prepared because a table is missing depends on it all the same: it can once the table is there.
    private func prepared(_ sql: SQL, isFirst: Bool) throws(SQLiteError) -> Statement {
        do throws(SQLiteError) {
            return try connection.statement(sql, for: role)
        } catch {
            // The closure may catch the error, and the next statement is the first that reads.
            if isFirst { pace?.forgetFirst() }
            if let table = error.missingTable { tracking?.note(RegionList([SQLiteRegion(table: table)])) }
            throw error
        }
    }

    @usableFromInline
    func end(_ statement: Statement) {
        if pace?.end(statement) == true { connection.settings.longStatements?.insert(statement.sql) }
        statement.reset()
        statement.isBusy = false
        statement.clear()
        if statement.hasOutgrown { connection.forget(statement) }
    }

    /// The first step, in which SQLite prepares a statement anew if the schema has changed.
    @usableFromInline
    final func first(_ statement: Statement) throws -> Bool {
        // Later ones can't be moved: the closure has seen rows.
        let mayMove = connection.interruption.deadline != 0
        var isRow = mayMove ? try stepOnCallersThread(statement) : try step(statement)
        if let tracking, tracking.awaitsSnapshot, connection.hasSnapshot {
            if mayMove, !tracking.isSnapshotCertain { throw moved(statement) }
            try tracking.noteSnapshot {
                // No caller has seen the row yet.
                statement.reset()
                try connection.run(.commit)
                try connection.run(.begin)
                isRow = try step(statement)
            }
        }
        switch statement.adoptRepreparation(connection.recorder) {
        case .none: break
        // The row ids that were noted came from the former program.
        case .sameTables: tracking?.note(statement.readRegions([]))
        case .otherTables:
            tracking?.note(RegionList([.everything]))
            connection.schema = nil
        }
        return isRow
    }

    /// Decides whether the read may stay where it is.
    private func beginFirst(_ statement: Statement) throws {
        guard pace?.begin(statement) == true else { throw stopForMove() }
        if let pace, pace.place == .callersThread, role == .reader { connection.interruption.begin(deadline: pace.deadline) }
    }

    /// Gives up before the first statement if the thread must not be kept. From then on the closure isn't called again to move it.
    package final func stayOnLane() throws {
        guard pace?.leave() == true else { return }
        throw stopForMove()
    }

    /// The first step on a thread that must not be kept.
    private func stepOnCallersThread(_ statement: Statement) throws -> Bool {
        defer { connection.interruption.deadline = 0 }
        do {
            return try statement.step()
        } catch {
            throw connection.interruption.isOverdue ? moved(statement) : failed(error)
        }
    }

    /// Gives up before the first row is handed out.
    private func moved(_ statement: Statement) -> SQLiteError {
        pace?.giveUp(statement)
        return stopForMove()
    }

    /// Lets nothing follow. The closure may see the error; what it makes of it doesn't matter, because it begins again.
    private func stopForMove() -> SQLiteError {
        let error = SQLiteError(.interrupted, "The read begins again on another thread.")
        failure = error
        return error
    }

    @inlinable
    final func step(_ statement: Statement) throws -> Bool {
        do {
            return try statement.step()
        } catch {
            throw failed(error)
        }
    }

    /// After some errors a commit would keep a half of what was meant: "if the transaction is rolled back automatically … it is recommended that
    /// applications respond by explicitly issuing a ROLLBACK". Others concern one statement alone, and may be caught.
    @usableFromInline
    final func failed(_ error: SQLiteError) -> SQLiteError {
        // INSERT OR ROLLBACK, RAISE(ROLLBACK) and a full disk end the transaction, and what followed would be committed by itself.
        if connection.isOutsideTransaction { failure = error }
        switch error.code {
        case .constraint, .mismatch, .tooBig, .range, .misuse, .notAuthorized, .error, .readOnly: break
        default: failure = error
        }
        return error
    }

    /// Throws what forbids to go on, or to commit.
    @usableFromInline
    final func checkFailure() throws {
        if let failure { throw failure }
        if connection.isOutsideTransaction { throw SQLiteError(.error, "The transaction was ended by a statement in it, and is undone.") }
    }

    /// Nothing may follow: whoever kept the transaction beyond its closure hears of it.
    final func close() { failure = failure ?? SQLiteError(.misuse, "The transaction is over: it can be used only within its closure.") }

    var role: AccessRecorder.Role { .reader }

    func check(_ statement: Statement) throws(SQLiteError) {
        guard statement.isReadOnly else {
            throw SQLiteError(.misuse, "A read can not write; use write instead.", sql: statement.sql)
        }
    }
}
