import CSQLite
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The state of the log as a connection knows it.
final class LogFile {
    /// The number of pages.
    var pages: Int32 = 0
    /// The path of the log; `nil` unless the connection writes to a file.
    private(set) var path: String?
    /// Where the commits are recorded.
    private(set) var known = KnownLog()
    /// The header of the index, which stays in the same place until the connection is closed.
    var index: UnsafeRawPointer?
    /// The file that receives commits. If another file has its path, the log has been deleted.
    private(set) var inode: UInt64?
    /// The same file, opened. Closing it releases none of SQLite's locks, because they are on other files.
    private var descriptor: Int32 = -1
    /// The name that this process has given to the log; `nil` while the log has its own. The file may be removed already.
    private(set) var aside: String? { didSet { known.aside = aside } }
    /// The number of calls of ``hasName()`` since the latest look at the path.
    private var checkCount = 0
    /// The time of the latest look at the path.
    private var lookTime: UInt64 = 0
    /// After how many calls, and after how many nanoseconds, a look at the path is due.
    private static let maxCheckCount = 16
    private static let maxAge: UInt64 = 1_000_000_000
    /// The number of pages when the file was last marked, or after the latest commit since then.
    private var last: Int32?

    /// Call after a commit. Returns whether another process has written the log back since the previous commit, and so has removed the mark
    /// from the file. A log that has become shorter shows this. If the restarted log is already longer than before, only its next restart
    /// shows it.
    func isRestarted() -> Bool {
        defer { last = pages }
        guard let last else { return false }
        return pages < last
    }

    func noteMark() { last = pages }

    /// What the file contains that receives commits.
    func contents() throws(SQLiteError) -> LogContents {
        // Opening it may have failed, for example because the process had too many open files.
        if descriptor < 0 { try openFile() }
        guard let path, descriptor >= 0 else { return LogContents() }
        return try LogContents(descriptor, path)
    }

    /// From now on, follows the log of this database.
    func follow(_ database: String, _ known: KnownLog = KnownLog()) {
        let path = database + "-wal"
        self.path = path
        self.known = known
        follow(fileNumber())
    }

    /// From now on, this file is the one that receives commits.
    func follow(_ inode: UInt64?) {
        closeFile()
        self.inode = inode
        try? openFile()
    }

    /// Opens the file, unless the path doesn't lead to it any more.
    private func openFile() throws(SQLiteError) {
        guard let path, let opened = try LogContents.openFile(path) else { return }
        descriptor = opened
        var entry = stat()
        guard fstat(opened, &entry) == 0, inode == nil || inode == UInt64(entry.st_ino) else { return closeFile() }
        inode = UInt64(entry.st_ino)
    }

    private func closeFile() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    deinit { closeFile() }

    /// Whether the file that receives commits still has a name, so that it was not deleted. This check takes a third of the time of a look
    /// at the path. Also false if a look at the path is due, because the file may have been renamed.
    func hasName() -> Bool {
        let now = monotonicNanoseconds()
        checkCount += 1
        if descriptor < 0 || checkCount >= Self.maxCheckCount || now - lookTime > Self.maxAge {
            (checkCount, lookTime) = (0, now)
            return false
        }
        #if os(Linux)
            let count = querykit_name_count(descriptor)
            return count > 0 && count != .max
        #else
            var entry = stat()
            return fstat(descriptor, &entry) == 0 && entry.st_nlink > 0
        #endif
    }

    /// Gives the log an unused name; returns false if that is impossible.
    func moveAside() -> Bool {
        guard let path, let name = unusedName, (try? Disk.move(path, to: name)) != nil else { return false }
        aside = name
        return true
    }

    /// Keeps the log, which loses its contents when it is closed if it has no name. Returns its new name; `nil` if that is impossible.
    func keep() -> String? {
        if let aside, QueryKitSQLite.fileNumber(aside) == inode { return aside }
        guard let name = unusedName, (try? Disk.make(name)) != nil else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var size = 0
        while true {
            let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(size)) }
            if count == 0, size > 0 { return name }
            guard count > 0, (try? Disk.write(Array(bytes[..<count]), to: name, at: Int64(size))) != nil else { break }
            size += count
        }
        try? Disk.remove(name)
        return nil
    }

    /// Removes the log if it was moved aside. Call it when all commits are in the file.
    func removeAside() { if let aside { try? Disk.remove(aside) } }

    private var unusedName: String? {
        guard let path, let inode else { return nil }
        let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? "\(path)-moved-\(inode)" : "\(path)-moved-\(inode)-\($0)" }
        return names.first { !Disk.exists($0) }
    }

    /// The inode of the file that currently has the path of the log.
    func fileNumber() -> UInt64? { path.flatMap { QueryKitSQLite.fileNumber($0) } }
}
