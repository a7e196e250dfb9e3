import Foundation
import QueryKit

/// Puts a new file in the place of a damaged one, which stays beside it under another name. Wherever it is cut off, nothing is lost.
///
/// 1. The new file is complete, under a name that says of which damaged file it was made. From here on, whoever opens that one goes through to the end.
/// 2. The damaged file and its log get a second name.
/// 3. The log goes: SQLite would play it back into the new file, since nothing in it says to which it belongs.
/// 4. The new file takes the place of the damaged one.
///
/// What fails before the last step is undone.
struct FileReplacement: Sendable {
    let path: String
    /// Called after each step; a test throws here.
    var didStep: @Sendable (Int) throws -> Void = { _ in }

    init(_ path: String) { self.path = path }

    /// Where the new file is made.
    var draft: String { path + ".recovering" }

    /// Where it lies once it is complete. A file that is put under the name later is another one, or was written later.
    private var complete: String? { Disk.fingerprint(path).map { "\(path).recovered-\($0)" } }

    /// Whether a replacement of the file was cut off, and has to be brought to its end.
    var isPending: Bool { complete.map(Disk.exists) ?? false }

    /// Removes what a recovery that was cut off has left of its draft. For the holder of the lock only.
    func removeDraft() throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Disk.remove(draft + suffix) }
    }

    /// Puts the draft in the place of the file. Returns where that is now.
    ///
    /// - Parameter quarantine: The name that the damaged file gets. Default: one that is free.
    func replace(_ file: DamagedFile, as quarantine: Quarantine? = nil) throws -> URL {
        guard let complete else { throw SQLiteError(.cannotOpen, "The file \(path) is gone.") }
        try Disk.sync(draft)
        try Disk.move(draft, to: complete)
        return try finish(file, with: complete, as: quarantine ?? Quarantine(of: path)) {
            try Disk.sync(Disk.folder(of: path))
            try didStep(1)
        }
    }

    /// Goes on behind the first step. Called with everybody else kept out.
    func finish(_ file: DamagedFile) throws -> URL {
        guard let complete else { throw SQLiteError(.cannotOpen, "The file \(path) is gone.") }
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
            // Where it can not be undone, the next who opens the file tries to go on.
            if quarantine.empty() { try? Disk.remove(complete) }
            throw error
        }
        // The new file is in its place, whether or not the disk knows yet.
        try? Disk.sync(Disk.folder(of: path))
        try didStep(4)
        return URL(filePath: quarantine.name)
    }
}
