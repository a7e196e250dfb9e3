import QueryKit

/// A write to the database: either all its changes are committed, or none.
///
/// You get one in ``SQLiteDatabase/write(fileID:line:isolation:_:)->_``. It can also read, and sees what it has written.
public final class SQLiteWriteTransaction: SQLiteReadTransaction {
    /// The tables written so far.
    private var written: Set<String> = []
    private var changesSchema = false
    private var before: Int64 = 0
    private var reportedBefore: Int64 = 0
    /// Tables with written rows that the update hook has not reported.
    private var unreported: Set<String> = []
    /// The updated columns of tables that were only updated. Tables that are missing here count as changed in all columns.
    private var columns: [String: RegionColumns] = [:]
    /// The statement that was noted last. Usually the same statement runs again next.
    @usableFromInline private(set) var noted: Statement?
    /// Whether that statement has written rows that were not reported.
    private var hasUnreported = false
    /// Whether only the written tables are known: rows may have been replaced, or a statement has failed.
    private var knowsTablesOnly = false
    /// The schema before the first statement that changes it; `nil` if there is no such statement, or no record of the schema.
    private var schemaChange: SchemaRecord.Change?
    private var hasBegunSchemaChange = false
    /// Whether the transaction changes only internal tables that no query reads, as ANALYZE does.
    private(set) var touchesInternals = false

    /// What the transaction reads, if that is collected.
    private(set) var reads: CollectedReads?

    init(_ connection: Connection, _ placement: ReadPlacement? = nil, collectingReads: Bool = false) {
        reads = collectingReads ? CollectedReads() : nil
        super.init(connection, nil, placement)
        connection.touches.begin()
        connection.rows.begin()
        connection.values.begin()
        before = connection.totalChanges
        reportedBefore = connection.reportedCount
    }

    /// Executes a statement, and returns the number of rows that it has written itself (not counting triggers).
    @discardableResult
    public func execute(_ sql: SQL) throws -> Int {
        let statement = try begin(sql)
        defer { end(statement) }
        if try first(statement) { while try step(statement) {} }
        return changeCount(statement)
    }

    /// The row id of the latest inserted row.
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// Prepares a statement for repeated execution, with `?` as placeholders for its values. This is the fast way to write many rows.
    ///
    /// ```swift
    /// let insert = try db.prepare(
    ///     "INSERT INTO food (name, grams) VALUES (?, ?)"
    /// )
    /// for food in foods { try insert.run(food.name, food.grams) }
    /// ```
    public func prepare(_ sql: StaticString) throws -> SQLitePreparedStatement {
        try checkFailure()
        // A prepared statement is for many rows, which would block a caller's thread.
        try stayOnLane()
        var statement = try connection.statement(sql.description, for: role)
        if try isOutdated(statement) { statement = try connection.statement(sql.description, for: role) }
        try check(statement)
        if statement.access.changesSchema { try beginSchemaChange(by: statement) }
        return SQLitePreparedStatement(statement, self)
    }

    /// Executes statements within the transaction that are kept or rolled back together. If the closure throws an error, only these
    /// statements are undone.
    @discardableResult
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try checkFailure()
        try connection.run("SAVEPOINT querykit")
        do {
            let result = try body()
            try connection.run("RELEASE querykit")
            return result
        } catch {
            // SQLite may have rolled back the whole transaction.
            if !connection.isOutsideTransaction {
                try connection.run("ROLLBACK TO querykit")
                try connection.run("RELEASE querykit")
            }
            throw error
        }
    }

    // MARK: Recording writes

    override var role: AccessRecorder.Role { .writer }

    override func noteReads(of statement: Statement, _ sql: SQL) {
        if recordsReads { note(connection.regions(of: statement, sql, isWrite: true)) }
    }

    override var recordsReads: Bool { reads != nil }

    override func note(_ list: RegionList) { reads?.note(list) }

    override func check(_ statement: Statement) throws(SQLiteError) {}

    @discardableResult
    override func end(_ statement: Statement) -> Bool {
        // SQLite updates the row count when the statement has ended.
        let hasFailed = super.end(statement)
        note(statement, hasFailed: hasFailed)
        return hasFailed
    }

    /// Adds the changes of a statement. A statement that has changed no row has no changes, except for virtual tables, which count changed
    /// rows differently.
    ///
    /// - Parameter hasFailed: Whether its last step has failed. Some of its rows may remain although SQLite doesn't count them, and not all
    ///   triggers have run, so everything that it may write counts as changed.
    @usableFromInline
    func note(_ statement: Statement, hasFailed: Bool) {
        if statement.isReadOnly { return }
        let (after, reported) = (connection.totalChanges, connection.reportedCount)
        let hasChanged = after != before || hasFailed
        let isReported = after &- before == reported &- reportedBefore
        (before, reportedBefore) = (after, reported)
        if noted === statement, isReported || hasUnreported, !hasFailed { return }
        let access = statement.access
        hasUnreported = !isReported || connection.changesKeys(statement)
        if hasUnreported { unreported.formUnion(access.writes) }
        if access.changesSchema || statement.hasOutgrown { changesSchema = true }
        if access.writes.isEmpty, !access.changesSchema { touchesInternals = true }
        guard hasChanged || access.changesSchema || access.writes.contains(where: connection.isUncounted) else {
            // An insert counts up even if its row is ignored.
            if connection.isNumbered(access.inserts) { add(["sqlite_sequence"]) }
            return
        }
        add(access.writes, connection.updatedColumns(of: statement))
        knowsTablesOnly = knowsTablesOnly || hasFailed || statement.mayReplace
        // If the first step has failed, it is unknown whether SQLite has prepared the statement again.
        if !hasFailed { noted = statement }
    }

    private func add(_ tables: Set<String>, _ updated: [String: RegionColumns] = [:]) {
        if written.isEmpty {
            (written, columns) = (tables, updated)
            return
        }
        for table in tables {
            if written.insert(table).inserted {
                columns[table] = updated[table]
            } else if let known = columns[table] {
                columns[table] = updated[table].map(known.union)
            }
        }
    }

    private func changeCount(_ statement: Statement) -> Int {
        statement.isReadOnly || statement.access.changesSchema ? 0 : connection.changes
    }

    /// Records what a script that the library executed has written.
    func note(_ access: Access) {
        add(access.writes)
        unreported.formUnion(access.writes)
        changesSchema = changesSchema || access.changesSchema
        (before, reportedBefore) = (connection.totalChanges, connection.reportedCount)
    }

    /// The changes of the transaction so far.
    var change: SQLiteChangeSet {
        if changesSchema { return SQLiteChangeSet(.local, [.everything]) }
        // Rows that REPLACE removes fire no trigger and are not reported.
        if knowsTablesOnly { return SQLiteChangeSet(.local, connection.regions(of: written)) }
        return SQLiteChangeSet(.local, regions, connection.changes(in: written, except: unreported, columns))
    }

    private var regions: Set<SQLiteRegion> {
        if connection.partitions.isEmpty { return connection.regions(of: written) }
        var regions: Set<SQLiteRegion> = []
        for table in written {
            if let partitions = connection.touchedPartitions(of: table) {
                regions.formUnion(partitions.map { SQLiteRegion(table: table, partition: $0) })
            } else {
                regions.insert(SQLiteRegion(table: table))
            }
        }
        return regions
    }

    var hasChangedSchema: Bool { changesSchema }

    override func beginSchemaChange(by statement: Statement) throws {
        if !hasBegunSchemaChange {
            // Reading the schema would block a caller's thread.
            try stayOnLane()
            hasBegunSchemaChange = true
            schemaChange = try SchemaRecord.Change(on: connection)
        }
        try super.beginSchemaChange(by: statement)
    }

    /// Updates the record of the schema before the commit.
    func recordSchema() throws {
        // SQLite counts the table that ANALYZE creates as a change of the schema. No record contains this table.
        if !hasBegunSchemaChange, written.contains("sqlite_schema") {
            try stayOnLane()
            schemaChange = try SchemaRecord.Change(on: connection)
        }
        try schemaChange?.record(on: connection)
    }
}

/// A statement of a write transaction for repeated execution; see ``SQLiteWriteTransaction/prepare(_:)``.
public struct SQLitePreparedStatement: ~Copyable {
    @usableFromInline let statement: Statement
    @usableFromInline let transaction: SQLiteWriteTransaction

    init(_ statement: Statement, _ transaction: SQLiteWriteTransaction) {
        self.statement = statement
        self.transaction = transaction
        statement.isBusy = true
    }

    deinit {
        statement.isBusy = false
        statement.clear()
        if statement.hasOutgrown { transaction.connection.forget(statement) }
    }

    /// Executes the statement with these values.
    @inlinable
    public func run<each Value: SQLConvertible>(_ values: repeat each Value) throws {
        try transaction.checkFailure()
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            if index <= statement.parameterCount { try statement.bind(SQLiteValue(value.sqlValue), index) }
        }
        if index != statement.parameterCount { try statement.checkCount(Int(index)) }
        try transaction.checkFailure()
        defer { transaction.note(statement, hasFailed: statement.reset()) }
        // Only the first run can cause a reprepare: no other connection can change the schema during this transaction.
        let hasRow = transaction.noted === statement ? try transaction.step(statement) : try transaction.first(statement)
        if hasRow { while try transaction.step(statement) {} }
    }
}
