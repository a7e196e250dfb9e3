import Foundation
import QueryKit

/// Replaces a damaged file with a new one, and keeps the damaged file next to it under another name. Nothing is lost if it is interrupted
/// at any step.
///
/// 1. The new file is complete. Its name identifies the damaged file that it was made from. From here on, any process that opens the
///    damaged file finishes the replacement.
/// 2. The damaged file and its log get a second name.
/// 3. The log is removed: SQLite would apply it to the new file, because a log doesn't identify its file.
/// 4. The new file is moved to the path of the damaged one.
///
/// If a step before the last one fails, the previous steps are undone.
struct FileReplacement: Sendable {
    let path: String
    /// Called after each step. Tests throw here.
    var didStep: @Sendable (Int) throws -> Void = { _ in }

    init(_ path: String) { self.path = path }

    /// The path of the unfinished new file.
    var draft: String { path + ".recovering" }

    /// The path of the new file once it is complete. The name contains the inode and the date of the damaged file, so it doesn't match a
    /// file that is put there later.
    private var complete: String? { Disk.fingerprint(path).map { "\(path).recovered-\($0)" } }

    private var missing: SQLiteError {
        SQLiteError(.cannotOpen, "The file \(path) no longer exists, so it can't be recovered. Restore a backup.")
    }

    /// Whether a replacement of the file was interrupted and must be finished.
    var isPending: Bool { complete.map(Disk.exists) ?? false }

    /// Removes the draft of an interrupted recovery. Call it only with the lock held.
    func removeDraft() throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Disk.remove(draft + suffix) }
    }

    /// Replaces the file with the draft. Returns the new location of the damaged file.
    ///
    /// - Parameter quarantine: The new name of the damaged file. Default: an unused name.
    func replace(_ file: DamagedFile, as quarantine: Quarantine? = nil) throws -> URL {
        guard let complete else { throw missing }
        try Disk.sync(draft)
        try Disk.move(draft, to: complete)
        return try finish(file, with: complete, as: quarantine ?? Quarantine(of: path)) {
            try Disk.sync(Disk.folder(of: path))
            try didStep(1)
        }
    }

    /// Continues after the first step. Call it with all other connections locked out.
    func finish(_ file: DamagedFile) throws -> URL {
        guard let complete else { throw missing }
        return try finish(file, with: complete, as: Quarantine(of: path)) {}
    }

    private func finish(_ file: DamagedFile, with complete: String, as quarantine: Quarantine, _ begin: () throws -> Void) throws -> URL {
        do {
            try begin()
            try quarantine.fill(file)
            try didStep(2)
            for suffix in ["-shm"] + Quarantine.logs { try Disk.remove(path + suffix) }
            try Disk.sync(Disk.folder(of: path))
            try didStep(3)
            try Disk.move(complete, to: path)
        } catch let error as SQLiteError {
            // If the steps can't be undone, the next process that opens the file tries to finish them.
            if quarantine.empty() { try? Disk.remove(complete) }
            throw error
        }
        // The new file is in place, even if this isn't on the disk yet.
        try? Disk.sync(Disk.folder(of: path))
        try didStep(4)
        return URL(filePath: quarantine.name)
    }
}
