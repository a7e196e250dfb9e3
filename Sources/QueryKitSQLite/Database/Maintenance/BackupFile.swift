import CSQLite
import Foundation
import QueryKit

/// A copy of a database. It has a temporary name until it is complete.
struct BackupFile: Sendable {
    private let path: String
    private let draft: String

    /// The number of pages that are copied between two checks for cancellation.
    private static let step: Int32 = 256

    /// - Parameter source: The path of the database; `nil` in memory.
    init(_ target: URL, of source: String?) throws(SQLiteError) {
        path = target.path(percentEncoded: false)
        draft = Leftovers.name(path, suffix: ".backup")
        if let source, ResolvedLocation.files(of: source).contains(where: { $0 == path || Disk.isSame($0, path) }) {
            throw SQLiteError(.misuse, "A database can't be copied onto itself: \(path). Choose another file.")
        }
        if Disk.isFolder(path) { throw SQLiteError(.cannotOpen, "\(path) is a folder, not a file. Choose a file in it.") }
        // SQLite would apply that log to the copy.
        if ["-wal", "-journal"].contains(where: { (Disk.size(path + $0) ?? 0) > 0 }) {
            throw SQLiteError(.misuse, "\(path) is a database in use. Choose another name for the copy.")
        }
    }

    /// Copies the database as the connection sees it.
    func write(from source: Connection, _ job: any Interruptible, _ progress: (@Sendable (Double) -> Void)?) throws {
        let name = URL(filePath: path).lastPathComponent
        Leftovers.remove(in: Disk.folder(of: path), prefix: name + ".", suffix: ".backup")
        Leftovers.removeOrphans(in: Disk.folder(of: path), suffix: ".backup")
        do {
            try Disk.make(draft)
            try copy(source, job, progress)
            // The copied header says that the database uses a log. Opening the copy once more changes its journal mode, since the copy has
            // no log.
            let copied = try open()
            if copied.hasUseMark { try copied.removeUseMark(nil) }
            try Disk.sync(draft)
            try Disk.move(draft, to: path)
            try Disk.sync(Disk.folder(of: path))
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { try? Disk.remove(draft + suffix) }
            throw error
        }
    }

    private func copy(_ source: Connection, _ job: any Interruptible, _ progress: (@Sendable (Double) -> Void)?) throws {
        let target = try open()
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteError(connection: target.handle, code: sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, !job.isCancelled {
            code = sqlite3_backup_step(backup, Self.step)
            let total = sqlite3_backup_pagecount(backup)
            if total > 0 { progress?(1 - Double(sqlite3_backup_remaining(backup)) / Double(total)) }
        }
        let end = sqlite3_backup_finish(backup)
        guard !job.isCancelled || code == SQLITE_DONE else { throw CancellationError() }
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(connection: target.handle, code: code == SQLITE_DONE ? end : code)
        }
    }

    private func open() throws -> Connection {
        var settings = ConnectionSettings(mode: .readWrite)
        settings.usesWriteAheadLog = false
        let connection = try Connection(path: draft, settings: settings)
        // The finished file is synced as a whole.
        try connection.run("PRAGMA synchronous = 0")
        return connection
    }
}
