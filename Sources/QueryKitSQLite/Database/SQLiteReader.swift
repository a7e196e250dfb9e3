public import Foundation

/// A database for those who only read it: an extension, a widget, a repository that has no business writing.
///
/// ```swift
/// let reader = try await SQLiteReader.open(url)
/// ```
public final class SQLiteReader: Sendable {
    let core: DatabaseCore

    init(_ core: DatabaseCore) { self.core = core }

    /// Opens a file that another process has made. It is neither migrated nor recovered from damage: that is up to who writes.
    ///
    /// - Parameters:
    ///   - url: The file, which must be there.
    ///   - migrations: Those that the reader knows, to refuse a file that is older or newer; empty to take it as it is.
    ///   - configuration: How it is opened.
    public static func open(
        _ url: URL,
        migrations: SQLiteMigrations = [],
        configuration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()
    ) async throws -> SQLiteReader {
        SQLiteReader(try await DatabaseCore.openReader(url, migrations, configuration))
    }

    /// The name under which its regions are known to clients.
    public var name: String { core.name }

    /// Reads one moment of the database; see ``SQLiteDatabase/read(_:)``.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (SQLiteReadTransaction) throws -> Result) async throws -> Result {
        try await core.read(body)
    }

    /// The commits from now on.
    public var changes: SQLiteChanges { SQLiteChanges(core.feed) }

    /// Lets go of all locks; see ``SQLiteDatabase/suspend()``.
    public func suspend() async { await core.suspend() }

    /// Goes on after ``suspend()``.
    public func resume() { core.resume() }

    /// Ends the database for this reader, and for all who share it.
    public func close() async { await core.close() }
}
