/// A look at one moment of the database: whatever is committed meanwhile, all statements see the same.
///
/// You get one in ``SQLiteDatabase/read(_:)``, where it is used by one thread and ends with the closure.
public class SQLiteReadTransaction {
    final let connection: Connection
    final let tracking: ReadTracking?
    /// The error after which nothing may follow.
    private(set) var failure: SQLiteError?

    init(_ connection: Connection, _ tracking: ReadTracking?) {
        self.connection = connection
        self.tracking = tracking
    }

    // MARK: Rows

    /// Calls a closure with each row of a result.
    ///
    /// The closure may carry out other statements; it can not keep the row.
    @inlinable
    public final func forEach(_ sql: SQL, _ body: (borrowing SQLiteRow) throws -> Void) throws {
        let statement = try begin(sql)
        defer { end(statement) }
        let row = SQLiteRow(statement)
        while try step(statement) { try body(row) }
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
        return try step(statement) ? try Row(row: SQLiteRow(statement)) : nil
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
        guard try step(statement) else { return nil }
        return try Value?(sqliteColumn: SQLiteColumn(firstOf: statement))
    }

    // MARK: Statements

    /// A statement with its values, ready for the first row.
    @usableFromInline
    final func begin(_ sql: SQL) throws -> Statement {
        try checkUsable()
        let statement = try connection.statement(sql.text, for: role)
        try check(statement)
        try statement.bind(sql.values)
        if let tracking { tracking.note(try regions(of: statement, sql.partitions)) }
        statement.isBusy = true
        connection.recorder.clear()
        return statement
    }

    @usableFromInline
    func end(_ statement: Statement) {
        statement.reset()
        if statement.hasOutgrownAccess(connection.recorder) {
            // It may have read something else than was said.
            tracking?.note(RegionList([.everything]))
            connection.forget(statement)
        }
        statement.isBusy = false
        statement.clear()
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
        // "INSERT OR ROLLBACK" and RAISE(ROLLBACK) end the transaction: what followed would be committed statement by statement.
        if connection.isOutsideTransaction {
            failure = error
            return error
        }
        switch error.code {
        case .constraint, .mismatch, .tooBig, .range, .misuse, .notAuthorized, .error, .readOnly: break
        default: failure = error
        }
        return error
    }

    /// Throws if nothing may follow.
    @usableFromInline
    final func checkUsable() throws { if let failure { throw failure } }

    /// Nothing may follow: whoever kept the transaction beyond its closure hears of it.
    final func close() { failure = failure ?? SQLiteError(.misuse, "The transaction is over: it can be used only within its closure.") }

    var role: AccessRecorder.Role { .reader }

    func check(_ statement: Statement) throws(SQLiteError) {
        guard statement.isReadOnly else {
            throw SQLiteError(.misuse, "A read can not write; use write instead.", sql: statement.sql)
        }
    }

    /// What a statement reads: its tables, or their partitions where it names them.
    private func regions(of statement: Statement, _ claims: [PartitionClaim]) throws(SQLiteError) -> RegionList {
        if claims.isEmpty { return statement.readRegions }
        var regions = statement.readRegions.regions
        for claim in claims {
            let whole = SQLiteRegion(table: claim.table)
            guard regions.contains(whole) else { continue }
            guard connection.partitionedTables.contains(claim.table) else {
                throw SQLiteError(
                    .misuse,
                    "The table \(claim.table) declares no partition; see SQLiteDatabase.Configuration.partitions.",
                    sql: statement.sql
                )
            }
            regions.removeAll { $0 == whole }
            regions += claim.partitions.map { SQLiteRegion(table: claim.table, partition: $0) }
        }
        return RegionList(regions)
    }
}
