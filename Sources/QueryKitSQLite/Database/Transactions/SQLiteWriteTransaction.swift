import QueryKit

/// A change of the database, of which all comes about or nothing.
///
/// You get one in ``SQLiteDatabase/write(fileID:line:isolation:_:)->_``. It also reads, and sees what it has written.
public final class SQLiteWriteTransaction: SQLiteReadTransaction {
    /// What was written so far.
    private var written: Set<String> = []
    private var changesSchema = false
    private var before: Int64 = 0
    private var reportedBefore: Int64 = 0
    /// Tables of whose rows not all were reported.
    private var unreported: Set<String> = []
    /// The columns that were updated, for tables in which nothing else was done. Tables that are not here were changed in all columns.
    private var columns: [String: RegionColumns] = [:]
    /// The statement that was noted last, which mostly comes again.
    @usableFromInline private(set) var noted: Statement?
    /// Whether it has rows that were not reported.
    private var hasUnreported = false
    private var mayReplace = false
    /// Whether it changes what no query reads, as ANALYZE does.
    private(set) var touchesInternals = false

    override init(_ connection: Connection, _ tracking: ReadTracking?, _ pace: ReadPace?) {
        super.init(connection, tracking, pace)
        connection.touches.begin()
        connection.rows.begin()
        connection.values.begin()
        before = connection.totalChanges
        reportedBefore = connection.reportedCount
    }

    /// Carries out a statement, and answers with the number of rows it has written itself (triggers not counted).
    @discardableResult
    public func execute(_ sql: SQL) throws -> Int {
        let statement = try begin(sql)
        defer { end(statement) }
        if try first(statement) { while try step(statement) {} }
        return changeCount(statement)
    }

    /// The key of the row that was inserted last.
    public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

    /// A statement that is carried out many times with other values, with `?` in their places: the fast way to write many rows.
    ///
    /// ```swift
    /// let insert = try db.prepare("INSERT INTO food (name, grams) VALUES (?, ?)")
    /// for food in foods { try insert.run(food.name, food.grams) }
    /// ```
    public func prepare(_ sql: StaticString) throws -> SQLitePreparedStatement {
        try checkFailure()
        // Many rows are on their way.
        try stayOnLane()
        let statement = try connection.statement(sql.description, for: role)
        try check(statement)
        try connection.makeWay(for: statement)
        return SQLitePreparedStatement(statement, self)
    }

    /// Carries out some statements of which all come about or none, within the transaction: an error that the closure throws undoes only these.
    @discardableResult
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try checkFailure()
        try connection.run("SAVEPOINT querykit")
        do {
            let result = try body()
            try connection.run("RELEASE querykit")
            return result
        } catch {
            // SQLite may have ended the whole transaction by itself.
            if !connection.isOutsideTransaction {
                try connection.run("ROLLBACK TO querykit")
                try connection.run("RELEASE querykit")
            }
            throw error
        }
    }

    // MARK: What is written

    override var role: AccessRecorder.Role { .writer }

    override func check(_ statement: Statement) throws(SQLiteError) {}

    override func end(_ statement: Statement) {
        // SQLite counts the rows when the statement has ended.
        super.end(statement)
        note(statement)
    }

    /// Adds what a statement has written. One that has changed no row has changed nothing, unless a virtual table counts otherwise.
    @usableFromInline
    func note(_ statement: Statement) {
        if statement.isReadOnly { return }
        let (after, reported) = (connection.totalChanges, connection.reportedCount)
        let hasChanged = after != before
        let isReported = after &- before == reported &- reportedBefore
        (before, reportedBefore) = (after, reported)
        if noted === statement, isReported || hasUnreported { return }
        let access = statement.access
        hasUnreported = !isReported || connection.changesKeys(statement)
        if hasUnreported { unreported.formUnion(access.writes) }
        if access.changesSchema || statement.hasOutgrown { changesSchema = true }
        if access.writes.isEmpty, !access.changesSchema { touchesInternals = true }
        guard hasChanged || access.changesSchema || access.writes.contains(where: connection.isVirtual) else { return }
        add(access.writes, connection.updatedColumns(of: statement))
        mayReplace = mayReplace || statement.mayReplace
        noted = statement
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

    /// Notes what a script of the engine's has done.
    func note(_ access: Access) {
        add(access.writes)
        unreported.formUnion(access.writes)
        changesSchema = changesSchema || access.changesSchema
        (before, reportedBefore) = (connection.totalChanges, connection.reportedCount)
    }

    /// What the transaction changes, by now.
    var change: SQLiteChangeSet {
        if changesSchema { return SQLiteChangeSet(.local, [.everything]) }
        // A row that REPLACE removes calls no trigger, and is not reported.
        if mayReplace { return SQLiteChangeSet(.local, connection.regions(of: written)) }
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
}

/// A statement of a write transaction, to be carried out many times; see ``SQLiteWriteTransaction/prepare(_:)``.
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

    /// Carries the statement out with some values.
    @inlinable
    public func run<each Value: SQLiteConvertible>(_ values: repeat each Value) throws {
        try transaction.checkFailure()
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            if index <= statement.parameterCount { try statement.bind(value.sqliteValue, index) }
        }
        if index != statement.parameterCount { try statement.checkCount(Int(index)) }
        try transaction.checkFailure()
        defer {
            statement.reset()
            // Also after an error: OR FAIL keeps what came before it.
            transaction.note(statement)
        }
        // What SQLite prepares anew it prepares in the first run: nobody else can change the schema now.
        let hasRow = transaction.noted === statement ? try transaction.step(statement) : try transaction.first(statement)
        if hasRow { while try transaction.step(statement) {} }
    }
}
