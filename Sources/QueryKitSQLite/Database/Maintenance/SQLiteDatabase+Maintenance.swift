public import Foundation

extension SQLiteDatabase {
    /// Copies the database into a file, as it is at this moment. Reads and writes go on meanwhile.
    ///
    /// The copy is one file without a log, readable for its user only. One that is there already is replaced when the new one is complete; when the task is
    /// cancelled or the copy fails, nothing is left of it. A database in memory is copied in turn with its reads and writes, which wait meanwhile; one that
    /// is in memory because its file is damaged is not copied onto that file.
    ///
    /// ```swift
    /// try await database.backup(to: url) { fraction in print(fraction) }
    /// ```
    ///
    /// - Parameters:
    ///   - target: The file. It must not be a database in use.
    ///   - progress: Called with the part that is done, from 0 to 1, on a thread of the database.
    public func backup(to target: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        try await core.backup(to: target, progress)
    }

    /// Writes the log back into the file and empties it, as far as nobody reads an older moment. The database does so by itself when the log has grown.
    @discardableResult
    public func checkpoint() async throws -> SQLiteCheckpoint {
        try await core.lanes.value(.write) { connection in try connection.writeLogBack() }
    }

    /// Writes the file anew, without the room that deleted rows have left. Writes wait meanwhile, and it takes as much room on the disk again.
    ///
    /// Row numbers may change in tables that have no `INTEGER PRIMARY KEY`. When the task is cancelled, the file stays as it was.
    public func vacuum() async throws {
        try await core.lanes.perform(.write) { connection, job in try connection.vacuum(job) }
    }

    /// Looks everything through: each table with its indexes, all pages of the file, and whether what rows refer to is there. Reads and writes go on meanwhile.
    ///
    /// A file that is damaged is recovered as for a read, unless the configuration says that damage stays; ``report`` and ``reports`` tell. What was wrong is
    /// returned all the same.
    ///
    /// - Parameter progress: Called with the part that is done, from 0 to 1, on a thread of the database.
    /// - Returns: What is wrong, a sentence each; empty when the file is sound. Of damage to the file SQLite tells a hundred at most in each table.
    /// - Throws: ``SQLiteError`` if the database can not be looked at, or `CancellationError`.
    public func integrityCheck(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [String] {
        try await core.integrityCheck(progress)
    }
}

extension SQLiteReader {
    /// Copies the database into a file; see ``SQLiteDatabase/backup(to:progress:)``.
    public func backup(to target: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        try await core.backup(to: target, progress)
    }

    /// Looks everything through; see ``SQLiteDatabase/integrityCheck(progress:)``.
    public func integrityCheck(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [String] {
        try await core.integrityCheck(progress)
    }
}
