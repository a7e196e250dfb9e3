#if Postgres
/// A write to the database: either all its changes are committed, or none.
///
/// You get one in ``PostgresDatabase/write(_:isRepeatable:_:)``. It can also read, and sees what it has written.
public final class PostgresWriteTransaction: PostgresReadTransaction {
    /// Executes a statement, and returns the number of rows that it has inserted, updated or deleted.
    @discardableResult
    public func execute(_ sql: SQL) async throws -> Int { try await run.run([sql])[0].changeCount }

    /// Executes statements in one round trip, and returns the number of rows that each of them has changed. This is the fast way to write
    /// many rows.
    ///
    /// If one fails, those after it are not executed.
    @discardableResult
    public func execute(each statements: [SQL]) async throws -> [Int] {
        if statements.isEmpty { return [] }
        return try await run.run(statements).map(\.changeCount)
    }

    /// Executes statements within the transaction that are kept or rolled back together. If the closure throws an error, only these
    /// statements are undone, and the transaction can be continued.
    ///
    /// After a conflict with a concurrent transaction the whole transaction has to be repeated, so it can't be continued here either.
    @discardableResult
    public func savepoint<Result>(_ body: () async throws -> Result) async throws -> Result { try await run.savepoint(body) }
}
#endif
