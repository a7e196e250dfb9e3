import Foundation

/// A database of the system's SQLite: one connection that writes, some that read, and a word to everybody about what each commit changed.
///
/// ```swift
/// let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
/// let names = try await database.read { db in try db.values(String.self, "SELECT name FROM food ORDER BY name") }
/// try await database.write { db in try db.execute("INSERT INTO food (name) VALUES (\(name))") }
/// ```
///
/// Reads and writes never block for long: what takes more than microseconds runs on threads of the database. All members may be used on any thread.
public final class SQLiteDatabase: Sendable {
    let core: DatabaseCore

    init(_ core: DatabaseCore) { self.core = core }

    /// The same database for those who only read: what takes a ``SQLiteReader`` can neither write nor migrate.
    /// Within one process take this one rather than a second reader of the file, to which the database's own commits would be those of somebody else.
    public var reader: SQLiteReader { SQLiteReader(core, isOwner: false) }

    /// The name under which its regions are known to clients.
    public var name: String { core.name }

    /// How the database was found when it was opened, or when it was recovered last. ``reports`` has each later one.
    public var report: SQLiteReport { core.report }

    // MARK: Reading and writing

    /// Reads one moment of the database.
    ///
    /// The closure runs on a thread of the database, at the same time as other reads and one write. A read that takes microseconds runs on the thread of
    /// its caller; see ``Configuration/callersThreadLimit``. As long as the closure has seen no row, it may be called again on another thread.
    ///
    /// When the task is cancelled, the statement that runs is stopped. Reads of a task with background priority wait for all others, and leave one
    /// connection to those, if there are several.
    ///
    /// When a statement finds the file damaged, the database is recovered, see ``report``, and the closure is called once more.
    ///
    /// - Throws: ``SQLiteError``, what the closure throws, or `CancellationError`.
    public func read<Result: Sendable>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        try await core.read(at: ReadSite(fileID, line), isolation, body)
    }

    /// Reads something that takes long: behind other reads, and with a connection left to them. Reads that took long before are treated so by themselves.
    package func read<Result: Sendable>(
        isLong: Bool,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        try await core.read(at: ReadSite(#fileID, #line), nil, isLong: isLong, body)
    }

    /// Changes the database: all that the closure does comes about, or nothing of it.
    ///
    /// Writes run one after the other, on a thread of the database or, if they take microseconds, on the thread of their caller. A write that takes longer
    /// than expected may be undone, and its closure called again on another thread.
    ///
    /// When the closure throws, or the commit fails, everything is undone. When the task is cancelled
    /// before its turn came, nothing happens; a write that has begun goes on to its end.
    ///
    /// When a statement finds the file damaged, everything is undone, the database is recovered, see ``report``, and the closure is called once more.
    ///
    /// - Throws: ``SQLiteError``, what the closure throws, or `CancellationError`.
    @discardableResult
    public func write<Result: Sendable>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Result
    ) async throws -> Result {
        try await core.write(at: ReadSite(fileID, line), isolation, body)
    }

    /// Changes the database, and returns nothing: for a closure of one statement in a place where no value is wanted.
    public func write(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
    ) async throws {
        try await core.write(at: ReadSite(fileID, line), isolation, body)
    }

    /// The commits from now on, of this process and of others.
    public var changes: SQLiteChanges { SQLiteChanges(core.feed) }

    // MARK: Life

    /// Lets go of all locks, before the system suspends the app: waits for what runs, and closes the file. Reads and writes wait for ``resume()``.
    public func suspend() async { await core.suspend() }

    /// Goes on after ``suspend()``.
    public func resume() { core.resume() }

    /// Ends the database. What runs goes on to its end; what waits, and what comes later, fails with ``SQLiteError/Code/closed``.
    public func close() async { await core.close() }
}
