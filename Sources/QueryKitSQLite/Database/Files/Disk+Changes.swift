import Foundation
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the engine does to files beside SQLite.
///
/// A database that is open is never opened here: closing a descriptor of a file gives up all locks that the process has on it (fcntl(2)).
extension Disk {
    /// Whether there is no log beside a database, or an empty one.
    static func isWithoutLog(_ path: String) -> Bool { (size(path + "-wal") ?? 0) == 0 }

    /// The salts of the log beside a database, which change whenever it begins from its start. SQLite keeps no lock on the log, so it may be opened here.
    static func logGeneration(_ path: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path + "-wal") else { return nil }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 24), header.count == 24 else { return nil }
        return header.suffix(8)
    }

    /// Says which file lies under a name, and when it was written last.
    static func fingerprint(_ path: String) -> String? {
        guard let inode = inode(path), let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let date = attributes[.modificationDate] as? Date
        else { return nil }
        let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded())
        return String(inode, radix: 36) + "-" + String(milliseconds, radix: 36)
    }

    // MARK: Changes

    /// Makes an empty file that only its user can read; fails where there is one.
    static func make(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("be made", path) }
        close(descriptor)
    }

    /// Moves a file in one step, also onto one that is there.
    static func move(_ path: String, to other: String) throws(SQLiteError) {
        guard rename(path, other) == 0 else { throw failure("be moved to \(other)", path) }
    }

    /// Gives a file a second name; false where the file system has no such thing.
    static func link(_ path: String, as other: String) throws(SQLiteError) -> Bool {
        if posixLink(path, other) == 0 { return true }
        switch errno {
        case EEXIST, ENOSPC, EROFS, EACCES, EIO, EDQUOT, ENOENT: throw failure("be linked to \(other)", path)
        default: return false
        }
    }

    static func remove(_ path: String) throws(SQLiteError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("be removed", path) }
    }

    /// Copies a file that is no open database.
    static func copy(_ path: String, to other: String) throws(SQLiteError) {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: other)
        } catch {
            throw SQLiteError(.full, "\(path) can not be copied to \(other): \(error.localizedDescription)")
        }
        restrict(other)
    }

    /// Lets only its user read and write a file.
    static func restrict(_ path: String) { chmod(path, 0o600) }

    /// Waits until the disk has what was written to a file, or to a folder: its names.
    static func sync(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("be opened", path) }
        defer { close(descriptor) }
        #if canImport(Darwin)
            // There fsync(2) only hands it to the disk, which may keep it in its cache. Not every file system knows better.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        // Some file systems do not know how to do that with folders.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("be written to the disk", path) }
    }

    /// Writes bytes at a place of a file that is no open database.
    static func write(_ bytes: [UInt8], to path: String, at offset: Int64) throws(SQLiteError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("be opened", path) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset) + off_t(written)) }
            guard count > 0 else { throw failure("be written", path) }
            written += count
        }
    }

    private static func failure(_ deed: String, _ path: String) -> SQLiteError {
        let number = errno
        let code: SQLiteError.Code =
            switch number {
            case ENOSPC, EDQUOT: .full
            case EACCES, EPERM, EROFS: .permission
            default: .inputOutput
            }
        return SQLiteError(code, "\(path) can not \(deed): \(String(cString: strerror(number))).")
    }
}

/// The function of C, which a method of the same name would hide.
private func posixLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
