import CSQLite
import QueryKit

/// The file that a connection has opened, as long as nothing else gets its path.
///
/// SQLite finds the log by the path of the database. After the file was moved or replaced, the path leads to the log of another file.
struct OpenFile {
    let path: String
    let number: UInt64?

    /// Whether the path still leads to this file. This check takes one to two microseconds.
    var isInPlace: Bool { number == fileNumber(path) }

    /// The error for a database whose path leads to another file.
    static func moved(_ path: String) -> SQLiteError {
        SQLiteError(
            .moved,
            "\(path) was moved, deleted or replaced while it was open. Put it back, or call reopen(), which opens the file that is there now."
        )
    }
}

extension Connection {
    /// Locks the file against replacements by recoveries, and checks that its path still leads to it. Call it before SQLite reads anything:
    /// it would open the log of the new file, and write it back into the old one.
    ///
    /// SQLite keeps this lock as long as the connection uses a log.
    func holdFile(_ path: String) throws(SQLiteError) -> OpenFile {
        let file = openedFile
        var attempts: Int32 = 0
        while let file, let code = file.pointee.pMethods?.pointee.xLock?(file, SQLITE_LOCK_SHARED), code != SQLITE_OK {
            guard code & 0xff == SQLITE_BUSY, busyWait.wait(attempts) else {
                throw SQLiteError(SQLiteError.Code(rawValue: code & 0xff), "\(path) can't be locked", extendedCode: code)
            }
            attempts += 1
        }
        let opened = OpenFile(path: path, number: fileNumber(path))
        guard !isMoved(handle), settings.fileNumber == nil || settings.fileNumber == opened.number else { throw OpenFile.moved(path) }
        return opened
    }

    private var openedFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file
    }

    /// The number in the header that shows whether this version of SQLite can write the file; 0 if it can't be read.
    var writeVersion: UInt8 {
        var version: UInt8 = 0
        guard let file = openedFile, file.pointee.pMethods?.pointee.xRead?(file, &version, 1, 18) == SQLITE_OK else { return 0 }
        return version
    }

    /// Throws if another file has the path of the database, or none.
    func checkFile() throws(SQLiteError) {
        fileCheckTime = monotonicNanoseconds()
        if let file, !file.isInPlace { throw OpenFile.moved(file.path) }
    }

    /// Checks the file before a read, but not more often than every 10 ms: the check takes a fifth of the time of a short read.
    func checkFileOccasionally() throws(SQLiteError) {
        if file != nil, monotonicNanoseconds() - fileCheckTime > 10_000_000 { try checkFile() }
    }

    /// Whether another file now has this path, so that writes on this connection would be lost.
    var hasMoved: Bool { isMoved(handle) }
}

/// Whether the path of a database leads to another file than the one that was opened.
func isMoved(_ handle: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
}

/// The inode of the file at a path; `nil` if there is none.
func fileNumber(_ path: String) -> UInt64? {
    #if os(Linux)
        let number = querykit_file_number(path)
        if number != .max { return number == 0 ? nil : number }
    #endif
    return Disk.inode(path)
}
