#if Postgres
/// Reads from the database. All statements see the same state, unless the isolation level is ``PostgresDatabase/Isolation/readCommitted``.
///
/// You get one in ``PostgresDatabase/read(_:isRepeatable:_:)``. It is valid only within the closure, and runs one statement at a time.
///
/// After a statement has failed, PostgreSQL refuses all others until the transaction, or the savepoint in which the statement ran, is
/// rolled back.
public class PostgresReadTransaction {
    final let run: TransactionRun

    init(_ run: TransactionRun) { self.run = run }

    // MARK: Rows

    /// Calls a closure with each row of a result while the rows arrive, so any number of rows needs little memory.
    ///
    /// If the closure throws, the remaining rows are skipped; PostgreSQL sends them anyway, so limit the statement instead where you can.
    public final func forEach(_ sql: SQL, _ body: (borrowing PostgresRow) throws -> Void) async throws {
        try await run.stream(sql) { try $0.forEach(body) }
    }

    /// Returns the results of a closure that is called with each row.
    public final func map<Element>(
        _ sql: SQL,
        _ transform: (borrowing PostgresRow) throws -> Element
    ) async throws -> [Element] {
        try await one(sql).map(transform)
    }

    /// Runs several statements in one round trip, and returns the results of a closure that is called with each row, by statement.
    ///
    /// ```swift
    /// let days = try await db.map(each: days.map { day in
    ///     "SELECT name FROM entries WHERE day = \(day)"
    /// }) { row in try row[0] as String }
    /// ```
    public final func map<Element>(
        each statements: [SQL],
        _ transform: (borrowing PostgresRow) throws -> Element
    ) async throws -> [[Element]] {
        if statements.isEmpty { return [] }
        return try await run.run(statements).map { try $0.map(transform) }
    }

    /// Returns all rows of a result.
    public final func rows<Row: PostgresRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) async throws -> [Row] {
        try await one(sql).map { try Row(row: $0) }
    }

    /// Returns the first row of a result; `nil` if there is none.
    public final func row<Row: PostgresRowDecodable>(_ type: Row.Type = Row.self, _ sql: SQL) async throws -> Row? {
        try await one(sql).first { try Row(row: $0) }
    }

    /// Returns the first column of each row.
    public final func values<Value: PostgresConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) async throws -> [Value] {
        try await one(sql).map { try $0[0] }
    }

    /// Returns the first column of the first row; `nil` if there is no row, or if the column is NULL.
    public final func value<Value: PostgresConvertible>(_ type: Value.Type = Value.self, _ sql: SQL) async throws -> Value? {
        try await one(sql).first { try $0[0] as Value? } ?? nil
    }

    private func one(_ sql: SQL) async throws -> PostgresResult { try await run.run([sql])[0] }
}

/// The same reads, with the type inferred from the context: `let foods: [Food] = try await db.rows("SELECT …")`.
extension PostgresReadTransaction {
    /// Returns all rows of a result as the inferred type.
    public final func rows<Row: PostgresRowDecodable>(_ sql: SQL) async throws -> [Row] { try await rows(Row.self, sql) }

    /// Returns the first row of a result as the inferred type; `nil` if there is none.
    public final func row<Row: PostgresRowDecodable>(_ sql: SQL) async throws -> Row? { try await row(Row.self, sql) }

    /// Returns the first column of each row as the inferred type.
    public final func values<Value: PostgresConvertible>(_ sql: SQL) async throws -> [Value] { try await values(Value.self, sql) }

    /// Returns the first column of the first row as the inferred type; `nil` if there is no row, or if the column is NULL.
    public final func value<Value: PostgresConvertible>(_ sql: SQL) async throws -> Value? { try await value(Value.self, sql) }
}
#endif
