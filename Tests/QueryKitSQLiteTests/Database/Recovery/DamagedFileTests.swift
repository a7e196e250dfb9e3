import CSQLite
import Foundation
import Testing

@testable import QueryKitSQLite

/// A damaged file whose disk fails too: the error says what can't be done, and what to check.
struct DamagedFileTests {
    private let folder: WatchedFolder
    private let path: String

    init() throws {
        folder = try WatchedFolder()
        try folder.make("damaged.sqlite")
        path = folder.path(of: "damaged.sqlite")
    }

    @Test func `D9 a file that the system can't lock has its path in the error`() throws {
        let file = try DamagedFile(path)
        // SQLITE_IOERR_LOCK, as for a network disk without locks.
        file.methods.xLock = { _, lock in lock == SQLITE_LOCK_SHARED ? SQLITE_IOERR | (15 << 8) : SQLITE_OK }
        #expect { try file.lock(milliseconds: 0) } throws: { error in
            error as? SQLiteError
                == SQLiteError(.permission, "\(path) can't be locked for recovery. Check that the file can be read and written.")
        }
        #expect(!file.isExclusive)
    }

    @Test func `D9 a file that another connection uses has its path in the error`() throws {
        let file = try DamagedFile(path)
        file.methods.xLock = { _, _ in SQLITE_BUSY }
        #expect { try file.lock(milliseconds: 0) } throws: { error in
            let message =
                "\(path) is damaged, and can't be recovered while another process, or another SQLiteDatabase of this process, has it open. Close it there."
            return error as? SQLiteError == SQLiteError(.busy, message)
        }
    }

    @Test func `D9 a file that can't be read now is not copied as zeros`() throws {
        try Data(repeating: 7, count: 5_000).write(to: URL(filePath: path))
        let file = try DamagedFile(path)
        // SQLITE_IOERR_READ
        file.methods.xRead = { _, _, _, _ in SQLITE_IOERR | (1 << 8) }
        #expect(throws: SQLiteError(.inputOutput, "Nothing in \(path) can be read now. Check its permissions and its disk.")) {
            try ScratchCopy.make(of: path, file)
        }
    }

    @Test func `D9 a file whose size can't be read has its path in the error, and is not copied`() throws {
        let file = try DamagedFile(path)
        // SQLITE_IOERR_FSTAT
        file.methods.xFileSize = { _, _ in SQLITE_IOERR | (7 << 8) }
        let copy = folder.path(of: "copy.sqlite")
        #expect { try file.copy(to: copy) } throws: { error in
            error as? SQLiteError == SQLiteError(.inputOutput, "The size of \(path) can't be determined. Check that its disk can be read.")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(file.size == 0)
    }
}
