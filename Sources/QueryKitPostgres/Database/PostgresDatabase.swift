#if Postgres
/// A PostgreSQL database, with a pool of connections.
///
/// ```swift
/// let database = try await PostgresDatabase.open(
///     "postgresql://diary@localhost/diary",
///     migrations: migrations
/// )
/// let names = try await database.read { db in
///     try await db.values(String.self, "SELECT name FROM food")
/// }
/// try await database.write { db in
///     try await db.execute("INSERT INTO food (name) VALUES (\(name))")
/// }
/// ```
///
/// No call blocks its thread. You can use all members on any thread. In the documentation of these types, *the server* is the PostgreSQL
/// server, not your app.
public final class PostgresDatabase: Sendable {
    let core: DatabaseCore

    init(_ core: DatabaseCore) { self.core = core }

    /// The name that identifies the regions of this database to clients.
    public var name: String { core.name }

    /// Reads from the database in a transaction that can't write.
    ///
    /// By default all statements of the closure see the same state. If a concurrent change makes that impossible, the closure is called
    /// again, up to ``Configuration/retryLimit`` times. If the task is cancelled, the running statement is cancelled on the server.
    ///
    /// Use the transaction only within the closure, and await each statement before the next. A read within a read needs a second
    /// connection. If all connections are held by transactions that wait for a second one, a transaction fails with
    /// ``PostgresError/Code/misuse`` after ``Configuration/connectTimeout``.
    ///
    /// Transactions share connections, so statements whose effect would outlast the transaction, such as `SET`, `LISTEN` and `PREPARE`, are
    /// refused. Functions with such an effect can't be recognized: call `set_config` with `true` as its last argument,
    /// `pg_advisory_xact_lock` instead of `pg_advisory_lock`, and create temporary tables with `ON COMMIT DROP`. Write settings for all
    /// connections in the connection string (`options=-c%20name%3Dvalue`), or set them for the role (`ALTER ROLE … SET`).
    ///
    /// - Parameters:
    ///   - isolation: What the statements see of concurrent changes.
    ///   - isRepeatable: Whether the closure may be called again. With `false`, a conflict is thrown as an error.
    ///   - body: The statements.
    /// - Throws: ``PostgresError``, an error that the closure throws, or `CancellationError`.
    public func read<Result>(
        _ isolation: Isolation = .repeatableRead,
        isRepeatable: Bool = true,
        _ body: (PostgresReadTransaction) async throws -> Result
    ) async throws -> Result {
        try await core.read(isolation, isRepeatable, body)
    }

    /// Writes to the database in a transaction: either all changes of the closure are committed, or none.
    ///
    /// If the closure throws or the commit fails, all changes are rolled back. After a conflict with a concurrent transaction (a
    /// serialization failure or a deadlock) the closure is called again, up to ``Configuration/retryLimit`` times. If it has effects
    /// besides its statements, such as an email that it sends, pass `isRepeatable: false`.
    ///
    /// If the task is cancelled, the running statement is cancelled on the server and all changes are rolled back. A commit that was sent
    /// isn't cancelled. If the connection is lost during the commit, the error is ``PostgresError/Code/outcomeUnknown``.
    ///
    /// - Parameters:
    ///   - isolation: What the statements see of concurrent changes.
    ///   - isRepeatable: Whether the closure may be called again. With `false`, a conflict is thrown as an error.
    ///   - body: The statements.
    /// - Throws: ``PostgresError``, an error that the closure throws, or `CancellationError`.
    @discardableResult
    public func write<Result>(
        _ isolation: Isolation = .readCommitted,
        isRepeatable: Bool = true,
        _ body: (PostgresWriteTransaction) async throws -> Result
    ) async throws -> Result {
        try await core.write(isolation, isRepeatable, body)
    }

    /// Closes the database permanently. Running transactions finish; waiting and later calls fail with ``PostgresError/Code/closed``.
    ///
    /// Waits for the running transactions, unless it is called within the closure of one.
    public func close() async { await core.close() }
}
#endif
