public import Foundation

extension SQLiteDatabase {
    /// Copies a snapshot of the database into a file. Reads and writes continue during the copy.
    ///
    /// The copy is a single file without a log, readable for its user only. It replaces an existing file once it is complete; if the task
    /// is cancelled or the copy fails, the unfinished copy is deleted. A database in memory is copied on its one connection, so its reads
    /// and writes wait. A database that is in memory because its file is damaged can't be copied onto that file.
    ///
    /// ```swift
    /// try await database.backup(to: url) { fraction in print(fraction) }
    /// ```
    ///
    /// - Parameters:
    ///   - target: The file. It must not be a database in use.
    ///   - progress: Called with the completed fraction, from 0 to 1, on a thread of the database.
    public func backup(to target: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        try await core.backup(to: target, progress)
    }

    /// Copies the log into the file and empties the log. If a read still uses an older snapshot, a part of the log remains. The database
    /// does this automatically when the log has grown.
    @discardableResult
    public func checkpoint() async throws -> SQLiteCheckpoint {
        try await core.performOnLog { connection, _ in try connection.writeLogBack() }
    }

    /// Rewrites the file without the free space that deleted rows have left. Writes wait until this is done. Temporarily, the rewritten
    /// contents take up memory and, in the log, space on the disk: each as much as the rewritten file.
    ///
    /// Row ids may change in tables without an `INTEGER PRIMARY KEY`. If the task is cancelled, the file is unchanged.
    public func vacuum() async throws {
        try await core.performOnLog { connection, job in try connection.vacuum(job) }
    }

    /// Checks the whole database: each table with its indexes, all pages of the file, and all foreign keys. Reads and writes continue
    /// during the check.
    ///
    /// A damaged file is recovered as for a read, unless the configuration disables recovery; see ``report`` and ``reports``. The problems
    /// that were found are returned in either case.
    ///
    /// - Parameter progress: Called with the completed fraction, from 0 to 1, on a thread of the database.
    /// - Returns: The problems, one sentence each; empty if the file is undamaged. SQLite reports at most a hundred problems of the file
    ///   per table.
    /// - Throws: ``SQLiteError`` if the database can't be checked, or `CancellationError`.
    public func integrityCheck(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [String] {
        try await core.integrityCheck(progress)
    }
}

extension SQLiteReader {
    /// Copies the database into a file; see ``SQLiteDatabase/backup(to:progress:)``.
    public func backup(to target: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        try await core.backup(to: target, progress)
    }

    /// Checks the whole database; see ``SQLiteDatabase/integrityCheck(progress:)``.
    public func integrityCheck(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [String] {
        try await core.integrityCheck(progress)
    }
}
