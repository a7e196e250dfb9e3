import Foundation
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// File operations of this library, outside of SQLite.
///
/// These functions must not open a database in use: closing a descriptor of a file releases all locks that the process has on it
/// (fcntl(2)).
extension Disk {
    /// Whether the log of a database is missing or empty.
    static func isWithoutLog(_ path: String) -> Bool { (size(path + "-wal") ?? 0) == 0 }

    /// The salts in the header of a database's log, which change whenever the log restarts. SQLite holds no locks on the log, so it may be
    /// opened here.
    static func logGeneration(_ path: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path + "-wal") else { return nil }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 24), header.count == 24 else { return nil }
        return header.suffix(8)
    }

    /// Identifies the file at a path and its modification date.
    static func fingerprint(_ path: String) -> String? {
        guard let inode = inode(path), let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let date = attributes[.modificationDate] as? Date
        else { return nil }
        let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded())
        return String(inode, radix: 36) + "-" + String(milliseconds, radix: 36)
    }

    /// The paths under which recoveries keep damaged files begin with this text.
    static func prefixOfFilesSetAside(_ path: String) -> String { path + ".damaged-" }

    /// The damaged files of a database that recoveries have set aside, with their logs.
    static func filesSetAside(_ path: String) -> [String] {
        let folder = folder(of: path)
        return names(in: folder).map { folder + $0 }.filter { $0.hasPrefix(prefixOfFilesSetAside(path)) }
    }

    // MARK: Changes

    /// Creates an empty file that only its user can read. Fails if the file exists.
    static func make(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("be created", path) }
        close(descriptor)
    }

    /// Moves a file atomically, replacing an existing one.
    static func move(_ path: String, to other: String) throws(SQLiteError) {
        guard rename(path, other) == 0 else { throw failure("be moved to \(other)", path) }
    }

    /// Creates a hard link to a file. Returns false if the file system doesn't support links.
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

    /// Copies a file, which must not be a database in use.
    static func copy(_ path: String, to other: String) throws(SQLiteError) {
        do {
            try FileManager.default.copyItem(atPath: path, toPath: other)
        } catch {
            throw SQLiteError(.full, "\(path) can't be copied to \(other): \(error.localizedDescription)")
        }
        restrict(other)
    }

    /// Sets the permissions of a file so that only its user can read and write it.
    static func restrict(_ path: String) { chmod(path, 0o600) }

    /// Waits until the contents of a file, or the names in a folder, are on the disk.
    static func sync(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("be opened", path) }
        defer { close(descriptor) }
        #if canImport(Darwin)
            // On Darwin, fsync(2) only passes the data to the disk, which may keep it in its cache. Not every file system supports
            // F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        // Some file systems don't support this for folders.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("be written to the disk", path) }
    }

    /// Writes bytes at an offset of a file, which must not be a database in use.
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

    /// The error of the latest call of the system.
    static func failure(_ operation: String, _ path: String) -> SQLiteError {
        let number = errno
        let code: SQLiteError.Code =
            switch number {
            case ENOSPC, EDQUOT: .full
            case EACCES, EPERM, EROFS: .permission
            default: .inputOutput
            }
        return SQLiteError(code, "\(path) can't \(operation): \(String(cString: strerror(number))).")
    }
}

/// The C function, which a method of the same name would shadow.
private func posixLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
