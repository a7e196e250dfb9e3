import Foundation

/// An SQLite database with one connection for writing, several for reading, and notifications of what each commit changed.
///
/// ```swift
/// let database = try await SQLiteDatabase.open(
///     .file(url),
///     migrations: migrations
/// )
/// let names = try await database.read { db in
///     try db.values(String.self, "SELECT name FROM food ORDER BY name")
/// }
/// try await database.write { db in
///     try db.execute("INSERT INTO food (name) VALUES (\(name))")
/// }
/// ```
///
/// Reads and writes run on threads of the database. Only reads and writes that have been quick so far run on the calling thread instead,
/// unless it is the main thread; see ``Configuration/callersThreadLimit``. You can use all members on any thread.
public final class SQLiteDatabase: Sendable {
    let core: DatabaseCore

    init(_ core: DatabaseCore) { self.core = core }

    /// A read-only view of this database. Code that takes a ``SQLiteReader`` can neither write nor migrate. Within one process, use this
    /// property rather than opening a second reader of the file: a second reader treats the commits of this database as those of another
    /// process.
    public var reader: SQLiteReader { SQLiteReader(core, isOwner: false) }

    /// The name that identifies the regions of this database to clients.
    public var name: String { core.name }

    /// The state of the database when it was opened, or when it was last recovered. ``reports`` delivers each later report.
    public var report: SQLiteReport { core.report }

    // MARK: Reading and writing

    /// Reads from one snapshot of the database.
    ///
    /// The closure runs on a thread of the database, concurrently with other reads and one write. If the latest reads at the same source
    /// location took microseconds, the closure runs on its caller's thread; see ``Configuration/callersThreadLimit``. Until the closure has
    /// received its first row, it may be called again on another thread.
    ///
    /// If the task is cancelled, the running statement is interrupted. Reads of a task with background priority wait behind all other
    /// reads. If there are several connections for reading, one of them stays free for the other reads.
    ///
    /// If a statement finds that the file is damaged, the database is recovered (see ``report``) and the closure is called once more.
    ///
    /// - Throws: ``SQLiteError``, an error that the closure throws, or `CancellationError`.
    public func read<Result: Sendable>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        try await core.read(at: ReadSite(fileID, line), isolation, body)
    }

    /// Performs a long read: it waits behind other reads and leaves one connection free for them. Reads that took long before are detected
    /// automatically.
    package func read<Result: Sendable>(
        isLong: Bool,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        try await core.read(at: ReadSite(#fileID, #line), nil, isLong: isLong, body)
    }

    /// Writes to the database in a transaction: either all changes of the closure are committed, or none.
    ///
    /// Writes run one after the other, on a thread of the database. If the latest writes at the same source location were quick, the write
    /// begins on its caller's thread. If its first statement is not known to be quick, the closure is called again on a thread of the
    /// database before that statement is executed.
    ///
    /// If the closure throws or the commit fails, all changes are rolled back. If the task is cancelled before the write begins, nothing
    /// happens; a write that has begun runs to its end.
    ///
    /// If a statement finds that the file is damaged, all changes are rolled back, the database is recovered (see ``report``), and the
    /// closure is called once more.
    ///
    /// - Throws: ``SQLiteError``, an error that the closure throws, or `CancellationError`.
    @discardableResult
    public func write<Result: Sendable>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Result
    ) async throws -> Result {
        try await core.write(at: ReadSite(fileID, line), isolation, body)
    }

    /// Writes to the database and returns nothing: for a closure with a single statement whose result you don't need.
    public func write(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
    ) async throws {
        try await core.write(at: ReadSite(fileID, line), isolation, body)
    }

    /// The commits from now on, of this process and of other processes.
    public var changes: SQLiteChanges { SQLiteChanges(core.feed) }

    // MARK: Suspending and closing

    /// Releases all locks before the system suspends the app: waits for running work and closes the file. Reads and writes wait for
    /// ``resume()``.
    public func suspend() async { await core.suspend() }

    /// Continues after ``suspend()``.
    public func resume() { core.resume() }

    /// Closes the database permanently. Running work finishes; waiting and later calls fail with ``SQLiteError/Code/closed``.
    public func close() async { await core.close() }
}
