/// A read-only database: for an extension, a widget, or a repository that must not write.
///
/// ```swift
/// let reader = try await SQLiteReader.open(url)
/// ```
public final class SQLiteReader: Sendable {
    let core: DatabaseCore
    /// Whether this reader has its own connections, rather than those of a database that also writes.
    let isOwner: Bool

    init(_ core: DatabaseCore, isOwner: Bool) {
        self.core = core
        self.isOwner = isOwner
    }

    /// The name that identifies the regions of this database to clients.
    public var name: String { core.name }

    /// The state of the database when it was opened. A reader doesn't recover the file, but its report includes recoveries that other
    /// processes made.
    public var report: SQLiteReport { core.report }

    /// Reads from one snapshot of the database; see ``SQLiteDatabase/read(fileID:line:isolation:_:)``.
    public func read<Result: Sendable>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result
    ) async throws -> Result {
        try await core.read(at: ReadSite(fileID, line), isolation, body)
    }

    /// The commits from now on.
    public var changes: SQLiteChanges { SQLiteChanges(core.feed) }

    /// Releases all locks; see ``SQLiteDatabase/suspend()``. Does nothing if the reader belongs to a database: suspend the database
    /// instead.
    public func suspend() async { if isOwner { await core.suspend() } }

    /// Continues after ``suspend()``.
    public func resume() { if isOwner { core.resume() } }

    /// Closes the database for this reader. Does nothing if the reader belongs to a database: close the database instead.
    public func close() async { if isOwner { await core.close() } }
}
