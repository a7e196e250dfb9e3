/// Reads from one snapshot of the database: all statements see the same state, regardless of later commits.
///
/// You get one in ``SQLiteDatabase/read(fileID:line:isolation:_:)``. It is used on one thread and is valid only within the closure.
public class SQLiteReadTransaction {
    final let connection: Connection
    /// Records what a read reads; `nil` if that is not needed, and for a write.
    final let tracking: ReadTracking?
    /// Decides on which thread the read runs; `nil` for a write.
    final var placement: ReadPlacement?
    /// The error after which no statement may follow.
    private(set) var failure: SQLiteError?

    init(_ connection: Connection, _ tracking: ReadTracking?, _ placement: ReadPlacement?) {
        self.connection = connection
        self.tracking = tracking
        self.placement = placement
    }

    // MARK: Rows

    /// Calls a closure with each row of a result.
    ///
    /// The closure may execute other statements, but it can't keep the row.
    @inlinable
    public final func forEach(_ sql: SQL, _ body: (borrowing SQLiteRow) throws -> Void) throws {
        let statement = try begin(sql)
        defer { end(statement) }
        guard try first(statement) else { return }
        let row = SQLiteRow(statement)
        repeat { try body(row) } while try step(statement)
    }

    /// Returns the results of a closure that is called with each row.
    @inlinable
    public final func map<Element>(_ sql: SQL, _ transform: (borrowing SQLiteRow) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try forEach(sql) { elements.append(try transform($0)) }
        return elements
    }

    /// Returns all rows of a result.
    @inlinable
    public final func rows<Row: SQLiteRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> [Row] {
        try map(sql) { try Row(row: $0) }
    }

    /// Returns the first row of a result; `nil` if there is none.
    @inlinable
    public final func row<Row: SQLiteRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) throws -> Row? {
        let statement = try begin(sql)
        defer { end(statement) }
        return try first(statement) ? try Row(row: SQLiteRow(statement)) : nil
    }

    /// Returns the first column of each row.
    @inlinable
    public final func values<Value: SQLiteConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) throws -> [Value] {
        try map(sql) { try $0[0] }
    }

    /// Returns the first column of the first row; `nil` if there is no row, or if the column is NULL.
    @inlinable
    public final func value<Value: SQLiteConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) throws -> Value? {
        let statement = try begin(sql)
        defer { end(statement) }
        guard try first(statement) else { return nil }
        return try Value?(sqliteColumn: SQLiteColumn(firstOf: statement))
    }

    // MARK: Statements

    /// Returns a statement with its values bound, before its first row.
    @usableFromInline
    final func begin(_ sql: SQL) throws -> Statement {
        try checkFailure()
        let isFirst = placement?.isAtFirst == true
        if isFirst { placement?.beginFirst() }
        var statement = try prepared(sql, isFirst: isFirst)
        try check(statement)
        if isFirst { try beginFirst(statement) }
        if !(isFirst && checksSchemaItself(statement)), try isOutdated(statement) {
            statement = try prepared(sql, isFirst: isFirst)
            if isFirst { try beginFirst(statement) }
        }
        try statement.bind(sql)
        if !sql.partitions.isEmpty { try connection.check(sql.partitions, of: statement) }
        noteReads(of: statement, sql)
        if statement.access.changesSchema { try beginSchemaChange(by: statement) }
        statement.isBusy = true
        connection.recorder.clear()
        return statement
    }

    /// Prepares a statement. If that fails, what the statement would read is unknown, so the read depends on everything, or on the table
    /// that is missing.
    private func prepared(_ sql: SQL, isFirst: Bool) throws(SQLiteError) -> Statement {
        do throws(SQLiteError) {
            return try connection.statement(sql, for: role)
        } catch {
            // The closure may catch the error. Then the next statement counts as the first.
            if isFirst { placement?.forgetFirst() }
            note(RegionList([error.missingTable.map { SQLiteRegion(table: $0) } ?? .everything]))
            throw error
        }
    }

    /// Whether the first step of a statement shows a changed schema in time. On a caller's thread the read can still move after that step,
    /// so no check is necessary before it.
    private func checksSchemaItself(_ statement: Statement) -> Bool {
        connection.interruption.deadline != 0 && statement.usesTables && !statement.isExplanation
    }

    /// Whether the schema has changed since a statement was prepared.
    final func isOutdated(_ statement: Statement) throws -> Bool {
        do {
            return try connection.isOutdated(statement)
        } catch {
            throw connection.interruption.deadline != 0 && connection.interruption.isOverdue ? moved(statement) : failed(error)
        }
    }

    /// Ends a statement. Returns whether its last step has failed.
    @usableFromInline
    @discardableResult
    func end(_ statement: Statement) -> Bool {
        if placement?.end(statement) == true { connection.settings.longStatements?.insert(statement.sql) }
        if statement.countsScans { statement.noteScan() }
        let hasFailed = statement.reset()
        statement.isBusy = false
        statement.clear()
        if statement.hasOutgrown { connection.forget(statement) }
        return hasFailed
    }

    /// The first step of a statement, in which SQLite prepares it again if the schema has changed.
    @usableFromInline
    final func first(_ statement: Statement) throws -> Bool {
        // Later statements can't be moved, because the closure has already seen rows.
        let mayMove = connection.interruption.deadline != 0
        var isRow = mayMove ? try stepOnCallersThread(statement) : try step(statement)
        var repreparation = statement.adoptRepreparation(connection.recorder)
        // SQLite also prepares a statement again for another plan.
        if mayMove, repreparation != .none, try connection.followSchema() { throw movedToNewSchema() }
        if tracking?.hasCertainSnapshot(connection, after: statement) == false {
            if mayMove { throw moved(statement) }
            isRow = try firstAgain(statement) ?? isRow
            let again = statement.adoptRepreparation(connection.recorder)
            if again != .none { repreparation = again }
        }
        switch repreparation {
        case .none: break
        // The recorded row ids came from the previous program of the statement.
        case .sameTables: if recordsReads { note(statement.readRegions([])) }
        case .otherTables: note(RegionList([.everything]))
        }
        return isRow
    }

    /// Takes another snapshot until it is known which commits it includes. Returns the result of the first step in the new snapshot; `nil`
    /// if the previous one is kept.
    private func firstAgain(_ statement: Statement) throws -> Bool? {
        var isRow: Bool?
        try tracking?.noteSnapshot {
            // No row has been handed out yet, so the statement can begin again in a new transaction.
            statement.reset()
            try connection.run(.commit)
            try connection.run(.begin)
            // The regions were noted for the schema of the previous snapshot.
            if try isOutdated(statement) { note(RegionList([.everything])) }
            isRow = try step(statement)
        }
        return isRow
    }

    /// Decides whether the read may continue on this thread.
    private func beginFirst(_ statement: Statement) throws {
        guard placement?.begin(statement) == true else { throw stopForMove() }
        if let placement, placement.executor.isCallersThread, role == .reader {
            connection.interruption.begin(deadline: placement.deadline)
        }
    }

    /// Stops before the first statement if the read may not run on this thread. If the read continues, its closure is not called again on
    /// another thread.
    package final func stayOnLane() throws {
        guard placement?.moveBeforeLongWork() == true else { return }
        throw stopForMove()
    }

    /// The first step on a caller's thread, within the deadline.
    private func stepOnCallersThread(_ statement: Statement) throws -> Bool {
        defer { connection.interruption.deadline = 0 }
        do {
            return try connection.takeSnapshot(by: statement) { () throws(SQLiteError) in try statement.step() }
        } catch {
            if connection.interruption.isOverdue { throw moved(statement) }
            // The cause may be, for example, a table that no longer exists. The read begins again with the new schema, and then notes the
            // missing table.
            if error.code == .error, (try? connection.followSchema()) == true { throw movedToNewSchema() }
            throw failed(error)
        }
    }

    /// Stops the read, because its statement was prepared for an older schema.
    private func movedToNewSchema() -> SQLiteError {
        placement?.moveToLane()
        return stopForMove()
    }

    /// Stops the read before its first row is handed out, so that it can begin again on another thread.
    private func moved(_ statement: Statement) -> SQLiteError {
        placement?.moveAfterTimeout(of: statement)
        return stopForMove()
    }

    /// Prevents all further statements. It doesn't matter whether the closure catches the error, because the closure is called again.
    private func stopForMove() -> SQLiteError {
        let error = SQLiteError(.interrupted, "The read stops here and starts again on another thread. You need not do anything.")
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

    /// After some errors, a commit would save only half of the changes: "if the transaction is rolled back automatically … it is
    /// recommended that applications respond by explicitly issuing a ROLLBACK". Other errors concern only one statement, and the closure
    /// may catch them.
    @usableFromInline
    final func failed(_ error: SQLiteError) -> SQLiteError {
        // INSERT OR ROLLBACK, RAISE(ROLLBACK) and a full disk end the transaction, and each following statement would be committed
        // individually.
        if connection.isOutsideTransaction || !error.concernsStatement { failure = error }
        return error
    }

    /// Throws the error that prevents further statements or the commit.
    @usableFromInline
    final func checkFailure() throws {
        if let failure { throw failure }
        if connection.isOutsideTransaction {
            throw SQLiteError(
                .error,
                "A statement ended the transaction, and its changes were rolled back. Throw an error instead of ROLLBACK in SQL."
            )
        }
    }

    /// Prevents further statements. Code that has kept the transaction beyond its closure gets an error.
    final func close() { failure = failure ?? SQLiteError(.misuse, "The transaction has ended. Use it only within its closure.") }

    // MARK: Differences from a write

    /// Records what a statement reads.
    func noteReads(of statement: Statement, _ sql: SQL) {
        guard let tracking, !sql.partitions.isEmpty || !tracking.noteAgain(statement) else { return }
        tracking.note(connection.regions(of: statement, sql, isWrite: false))
    }

    /// Whether ``note(_:)`` has an effect.
    var recordsReads: Bool { tracking != nil }

    /// Records regions that the transaction reads.
    func note(_ list: RegionList) { tracking?.note(list) }

    func beginSchemaChange(by statement: Statement) throws { try connection.beginSchemaChange(by: statement) }

    var role: AccessRecorder.Role { .reader }

    func check(_ statement: Statement) throws(SQLiteError) {
        guard statement.isReadOnly else {
            throw SQLiteError(.misuse, "A read can't write; use write instead.", sql: statement.sql)
        }
    }
}
