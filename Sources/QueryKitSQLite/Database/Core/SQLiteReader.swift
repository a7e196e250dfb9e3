/// A database for those who only read it: an extension, a widget, a repository that has no business writing.
///
/// ```swift
/// let reader = try await SQLiteReader.open(url)
/// ```
public final class SQLiteReader: Sendable {
    let core: DatabaseCore
    /// Whether the connections are its own, and not those of a database that also writes.
    private let isOwner: Bool

    init(_ core: DatabaseCore, isOwner: Bool) {
        self.core = core
        self.isOwner = isOwner
    }

    /// The name under which its regions are known to clients.
    public var name: String { core.name }

    /// How the database was found when it was opened: a reader doesn't recover it, but learns what a recovery of another process has to report.
    public var report: SQLiteReport { core.report }

    /// Reads one moment of the database; see ``SQLiteDatabase/read(fileID:line:isolation:_:)``.
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

    /// Lets go of all locks; see ``SQLiteDatabase/suspend()``. Does nothing for the reader of a database, which rests and ends with that.
    public func suspend() async { if isOwner { await core.suspend() } }

    /// Goes on after ``suspend()``.
    public func resume() { if isOwner { core.resume() } }

    /// Ends the database for this reader. Does nothing for the reader of a database, which ends with that.
    public func close() async { if isOwner { await core.close() } }
}
