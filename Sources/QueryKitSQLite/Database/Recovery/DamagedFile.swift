import CSQLite
import QueryKit

/// A file that SQLite may not be able to read. It is accessed through SQLite's file methods, so other processes see the locks on it, and
/// this process loses none of its locks.
final class DamagedFile {
    private let path: String
    private let handle: OpaquePointer
    private let file: UnsafeMutablePointer<sqlite3_file>
    /// SQLite's functions for the file. Tests replace them to let one fail.
    var methods: sqlite3_io_methods

    /// Opens the file without reading it.
    init(_ path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        var opened: OpaquePointer?
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(connection: opened, code: code)
            sqlite3_close_v2(opened)
            throw error
        }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(opened, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file, let methods = file.pointee.pMethods?.pointee else {
            sqlite3_close_v2(opened)
            throw SQLiteError(.cannotOpen, "\(path) can't be opened.")
        }
        self.path = path
        handle = opened
        self.file = file
        self.methods = methods
    }

    /// Also releases the lock.
    deinit { sqlite3_close_v2(handle) }

    /// Whether all other connections are locked out. If not, the file can only be read.
    private(set) var isExclusive = false

    /// Waits until no other connection has the database open, and then locks out all other connections. If the file is read-only, it locks
    /// out only writers.
    func lock(milliseconds: Int32) throws(SQLiteError) {
        var waited: Int32 = 0
        while true {
            // First takes the shared lock and then the exclusive one, because a connection to a database with a log holds the shared lock
            // as long as it is open.
            let shared = requestLock(SQLITE_LOCK_SHARED)
            let code = shared == SQLITE_OK ? requestLock(SQLITE_LOCK_EXCLUSIVE) : shared
            isExclusive = code == SQLITE_OK
            // A read-only file can't be locked exclusively.
            if shared == SQLITE_OK, code & 0xff != SQLITE_BUSY { return }
            _ = methods.xUnlock?(file, SQLITE_LOCK_NONE)
            guard code & 0xff == SQLITE_BUSY else {
                throw SQLiteError(.permission, "\(path) can't be locked for recovery. Check that the file can be read and written.")
            }
            guard waited < milliseconds else {
                throw SQLiteError(
                    .busy,
                    "\(path) is damaged, and can't be recovered while another process, or another SQLiteDatabase of this process, has it open. Close it there."
                )
            }
            sqlite3_sleep(10)
            waited += 10
        }
    }

    private func requestLock(_ lock: Int32) -> Int32 { methods.xLock?(file, lock) ?? SQLITE_MISUSE }

    /// Whether another file now has this path.
    var hasMoved: Bool { isMoved(handle) }

    /// Copies the file. Parts that can't be read from the disk become zeros.
    func copy(to path: String) throws(SQLiteError) {
        var size: sqlite3_int64 = 0
        guard methods.xFileSize?(file, &size) == SQLITE_OK else {
            throw SQLiteError(.inputOutput, "The size of \(self.path) can't be determined. Check that its disk can be read.")
        }
        try Disk.make(path)
        let block: Int64 = 1 << 20
        for start in stride(from: 0, to: size, by: Int64.Stride(block)) {
            try Disk.write(bytes(Int(min(block, size - start)), at: start), to: path, at: start)
        }
        // Access may only be denied now: iOS does that before a device is unlocked for the first time.
        guard size == 0 || hasRead else {
            throw SQLiteError(.inputOutput, "Nothing in \(self.path) can be read now. Check its permissions and its disk.")
        }
    }

    /// Whether anything could be read.
    private var hasRead = false

    /// The size in bytes.
    var size: Int {
        var size: sqlite3_int64 = 0
        return methods.xFileSize?(file, &size) == SQLITE_OK ? Int(size) : 0
    }

    /// Returns bytes of the file.
    func bytes(_ count: Int, at offset: Int64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        if read(&bytes, 0..<count, at: offset) { return bytes }
        let sector = 512
        for start in stride(from: 0, to: count, by: sector) {
            let range = start..<min(start + sector, count)
            if !read(&bytes, range, at: offset) { bytes.replaceSubrange(range, with: repeatElement(0, count: range.count)) }
        }
        return bytes
    }

    private func read(_ bytes: inout [UInt8], _ range: Range<Int>, at offset: Int64) -> Bool {
        let code = bytes[range].withUnsafeMutableBytes { buffer in
            methods.xRead?(file, buffer.baseAddress, Int32(buffer.count), offset + Int64(range.lowerBound)) ?? SQLITE_MISUSE
        }
        // SQLITE_IOERR_SHORT_READ: the bytes beyond the end of the file are zeros.
        let isRead = code == SQLITE_OK || code == SQLITE_IOERR | (2 << 8)
        hasRead = hasRead || isRead
        return isRead
    }
}

extension Connection {
    /// Whether the file can't be written, according to what was read of it so far.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
}
